#include "transformer/linear.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "transformer/pruned_argmax.h"

namespace latimer {
namespace {

// Below this many multiplications a split costs more than it saves.
constexpr uint64_t kSmallestSplit = uint64_t{1} << 17;

RowQuantization* RowParameters(Workspace& workspace) {
  static_assert(sizeof(RowQuantization) == sizeof(uint64_t));
  static_assert(kReadSlackBytes >= kActivationPaddingBytes);
  return reinterpret_cast<RowQuantization*>(workspace.row_quantization);
}

void ApplyChannels(RunContext& context, const Linear& linear,
                   const LinearInput& input, uint32_t begin, uint32_t end,
                   float* y) {
  if (begin >= end) return;
  Workspace& workspace = *context.workspace;
  if (kProfile.int8_weights && context.model.weight_type == WeightType::kInt8) {
    GemmInt8(context.gemm, input.rows, linear, begin, end, workspace.quantized,
             input.columns, RowParameters(workspace), y, linear.n);
  } else if (kProfile.f16_weights &&
             context.model.weight_type == WeightType::kF16) {
    static_assert(ShapeOf(Tile::k16x1).nr == kGemmF16Channels);
    context.vector->gemm_f16({input.rows, linear.k, input.values, input.columns,
                              reinterpret_cast<const uint16_t*>(linear.data),
                              begin, end, y, linear.n});
  } else if constexpr (kProfile.f32_weights) {
    GemmF32(context.gemm, input.rows, linear, begin, end, input.values,
            input.columns, y, linear.n);
  }
  // Not by the GEMM, whose kernels round the sum as suits their CPU.
  if (linear.bias == nullptr) return;
  for (size_t row = 0; row < input.rows; ++row) {
    context.vector->add(end - begin, linear.bias + begin,
                        y + row * linear.n + begin);
  }
}

// Blocks [begin, end) of ApplyMaskedLinear; a run of blocks that are needed is
// computed at once.
void ApplyMaskedBlocks(RunContext& context, const Linear& linear,
                       const LinearInput& input, const uint16_t* masks,
                       uint32_t begin, uint32_t end, float* y) {
  const auto channel = [&](uint32_t block) {
    const uint32_t first = block * kChannelBlock;
    return first < linear.n ? first : linear.n;
  };
  while (begin < end) {
    if (masks[begin] == 0) {
      ++begin;
      continue;
    }
    uint32_t last = begin;
    while (last < end && masks[last] != 0) ++last;
    ApplyChannels(context, linear, input, channel(begin), channel(last), y);
    for (uint32_t i = channel(begin); i < channel(last); ++i) {
      if ((masks[i / kChannelBlock] >> i % kChannelBlock & 1) == 0) {
        y[i] = -std::numeric_limits<float>::infinity();
      }
    }
    begin = last;
  }
}

}  // namespace

LinearInput PrepareInput(RunContext& context, const float* x, size_t rows,
                         size_t columns) {
  if (kProfile.int8_weights && context.model.weight_type == WeightType::kInt8) {
    Workspace& workspace = *context.workspace;
    QuantizeRows(context.gemm, rows, columns, x, columns, workspace.quantized,
                 columns, RowParameters(workspace));
  }
  return {x, rows, columns};
}

void ApplyLinear(RunContext& context, const Linear& linear,
                 const LinearInput& input, float* y) {
  LATIMER_DCHECK(linear.k == input.columns);
  const uint32_t threads = context.threads.thread_count();
  const uint64_t work = uint64_t{linear.n} * linear.k * input.rows;
  if (threads == 1 || work < kSmallestSplit) {
    ApplyChannels(context, linear, input, 0, linear.n, y);
    return;
  }
  const uint32_t blocks = (linear.n + kChannelBlock - 1) / kChannelBlock;
  context.threads.ForEachShard([&](uint32_t part, uint32_t parts) {
    const auto bound = [&](uint32_t i) {
      const uint64_t channel = uint64_t{blocks} * i / parts * kChannelBlock;
      return static_cast<uint32_t>(channel < linear.n ? channel : linear.n);
    };
    ApplyChannels(context, linear, input, bound(part), bound(part + 1), y);
  });
}

void ApplyMaskedLinear(RunContext& context, const Linear& linear,
                       const LinearInput& input, const uint16_t* masks,
                       float* y) {
  LATIMER_DCHECK(linear.k == input.columns && input.rows == 1);
  static_assert(kChannelBlock == 16);  // The bits of a mask.
  const uint32_t blocks = (linear.n + kChannelBlock - 1) / kChannelBlock;
  if (context.threads.thread_count() == 1 ||
      uint64_t{linear.n} * linear.k < kSmallestSplit) {
    ApplyMaskedBlocks(context, linear, input, masks, 0, blocks, y);
    return;
  }
  context.threads.ForEachShard([&](uint32_t part, uint32_t parts) {
    const auto bound = [&](uint32_t i) {
      return static_cast<uint32_t>(uint64_t{blocks} * i / parts);
    };
    ApplyMaskedBlocks(context, linear, input, masks, bound(part),
                      bound(part + 1), y);
  });
}

void ComputeOutput(RunContext& context, const float* x, size_t columns,
                   const SentenceCaches& caches) {
  const Linear& output = context.model.tensors.output;
  const LinearInput input = PrepareInput(context, x, 1, columns);
  float* logits = context.workspace->logits;
  if (kProfile.pruned_argmax && output.nibbles) {
    UnprunedLogits(context, 0);
  } else if (kProfile.shortlist && context.model.info.has_shortlist) {
    if (context.masked_logits != &caches) {
      std::fill_n(logits, output.n, -std::numeric_limits<float>::infinity());
      context.masked_logits = &caches;
    }
    ApplyMaskedLinear(context, output, input, caches.shortlist, logits);
  } else {
    ApplyLinear(context, output, input, logits);
  }
}

uint32_t MostWindowTokens(const RunContext& context, size_t rows) {
  // What leaves its logits in the first-level cache.
  const size_t most =
      std::min(size_t{kLogitWindow} * context.threads.thread_count(),
               Elements(Buffer::kLogits, sizeof(float)) / rows);
  return static_cast<uint32_t>(most / kChannelBlock * kChannelBlock);
}

void ComputeLogitWindow(RunContext& context, const LinearInput& input,
                        uint32_t begin, uint32_t end) {
  const Linear& output = context.model.tensors.output;
  LATIMER_DCHECK(begin % kChannelBlock == 0 && end <= output.n);
  const Tile tile = context.model.tile;
  Linear window = output;
  window.n = end - begin;
  if (window.bias != nullptr) window.bias += begin;
  const uint64_t block =
      PackedBlockBytes(context.model.weight_type, tile, output.k);
  window.data += static_cast<size_t>(begin / ShapeOf(tile).nr * block);
  ApplyLinear(context, window, input, context.workspace->logits);
}

void LookUpRow(const RunContext& context, const Linear& embedding,
               uint32_t token, float* row) {
  LATIMER_DCHECK(token < embedding.n);
  if (kProfile.pruned_argmax && embedding.nibbles) {
    UnpackNibbleRow(embedding, token, row);
    return;
  }
  UnpackRow(context.model.weight_type, context.model.tile, embedding, token,
            row);
}

}  // namespace latimer
