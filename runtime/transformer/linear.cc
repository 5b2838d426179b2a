#include "transformer/linear.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "ops/gemm_int8.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// What GemmInt8 needs to unpack weights of any type and tile fits: an int8
// block, or the codes of one and sums of rows.
constexpr bool UnpackedFit(WeightType type, Tile tile) {
  const uint64_t nr = ShapeOf(tile).nr;
  for (uint64_t k = 1; k <= 64; ++k) {
    const uint64_t sums = nr <= 8 ? kCodesScratchSums * sizeof(int32_t) : 0;
    const uint64_t codes = PackedInputs(type, tile, k) * nr;
    if (PackedBlockBytes(WeightTypeOf(tile), tile, k) > UnpackedBytes(k) ||
        codes + std::max(sums, nr * sizeof(int32_t)) > UnpackedBytes(k)) {
      return false;
    }
  }
  return true;
}
static_assert([] {
  bool fit = true;
  for (uint32_t value = 1; value < sizeof(kTiles) / sizeof(kTiles[0]);
       ++value) {
    const auto tile = static_cast<Tile>(value);
    ForEachWeightType([&](WeightType type) {
      if (!IsChunked(type) || !MayBeIn(WeightTypeOf(tile), type)) return;
      fit = fit && UnpackedFit(type, tile);
    });
  }
  return fit;
}());

// Below this many multiplications a split costs more than it saves.
constexpr uint64_t kSmallestSplit = uint64_t{1} << 17;

// Channels [begin, end) of y [rows, linear.n].
void ComputeChannels(const Engine& engine, const Linear& linear,
                     const LinearInput& input, uint32_t begin, uint32_t end,
                     uint32_t shard, float* y) {
  if (begin >= end) return;
  if (kProfile.f16_weights && linear.type == WeightType::kF16) {
    static_assert(ShapeOf(Tile::k16x1).nr == kGemmF16Channels);
    engine.vector->gemm_f16({input.rows, linear.k, input.values, input.columns,
                             reinterpret_cast<const uint16_t*>(linear.data),
                             begin, end, y, linear.n});
  } else if (kProfile.int8_weights && IsInteger(engine.model.weight_type)) {
    GemmInt8(engine.gemm, input.rows, linear, begin, end, input.quantized,
             input.columns, input.quantization, y, linear.n,
             input.unpacked + shard * input.unpacked_stride);
  } else if (kProfile.f32_weights && engine.vector->gemm_f32 != nullptr) {
    engine.vector->gemm_f32({input.rows, linear.k, input.values, input.columns,
                             reinterpret_cast<const float*>(linear.data), begin,
                             end, y, linear.n});
  } else if constexpr (kProfile.f32_weights) {
    GemmF32(engine.gemm, input.rows, linear, begin, end, input.values,
            input.columns, y, linear.n);
  }
  // Not by the GEMM, whose kernels round the sum as suits their CPU.
  if (linear.bias == nullptr) return;
  for (size_t row = 0; row < input.rows; ++row) {
    engine.vector->add(end - begin, linear.bias + begin,
                       y + row * linear.n + begin);
  }
}

// Calls run(shard, begin, end) for shards of the linear's blocks of
// kChannelBlock channels, on all threads if there is enough work.
template <typename Run>
void ForEachBlockRange(const Engine& engine, const Linear& linear, size_t rows,
                       const Run& run) {
  const uint32_t blocks = (linear.n + kChannelBlock - 1) / kChannelBlock;
  if (engine.threads.thread_count() == 1 || blocks == 1 ||
      uint64_t{linear.n} * linear.k * rows < kSmallestSplit) {
    run(0u, 0u, blocks);
    return;
  }
  engine.threads.ForEachShard([&](uint32_t shard, uint32_t shards) {
    const auto bound = [&](uint32_t i) {
      return static_cast<uint32_t>(uint64_t{blocks} * i / shards);
    };
    run(shard, bound(shard), bound(shard + 1));
  });
}

// The first channel of a block, or the end of the last one.
uint32_t ChannelOf(const Linear& linear, uint32_t block) {
  return std::min(block * kChannelBlock, linear.n);
}

// Blocks [begin, end) of ApplyMaskedLinear; a run of blocks that are needed is
// computed at once.
void ComputeMaskedBlocks(const Engine& engine, const Linear& linear,
                         const LinearInput& input, const uint16_t* masks,
                         uint32_t begin, uint32_t end, uint32_t shard,
                         float* y) {
  while (begin < end) {
    if (masks[begin] == 0) {
      ++begin;
      continue;
    }
    uint32_t last = begin;
    while (last < end && masks[last] != 0) ++last;
    const uint32_t from = ChannelOf(linear, begin);
    const uint32_t to = ChannelOf(linear, last);
    ComputeChannels(engine, linear, input, from, to, shard, y);
    for (uint32_t i = from; i < to; ++i) {
      if ((masks[i / kChannelBlock] >> i % kChannelBlock & 1) == 0) {
        y[i] = -std::numeric_limits<float>::infinity();
      }
    }
    begin = last;
  }
}

}  // namespace

LinearInput LinearInput::Row(size_t i) const {
  LinearInput row = *this;
  row.rows = 1;
  row.values += i * columns;
  if (quantized != nullptr) {
    row.quantized += i * columns;
    row.quantization += i;
  }
  return row;
}

size_t GatheredFloats(const LinearInput& input) {
  if (input.quantized == nullptr) return input.columns;
  return (input.columns + sizeof(RowQuantization)) / sizeof(float) + 1;
}

LinearInput GatherRows(const LinearInput& input, std::span<const uint32_t> rows,
                       std::span<float> memory) {
  LATIMER_DCHECK(rows.size() * GatheredFloats(input) +
                     kReadSlackBytes / sizeof(float) <=
                 memory.size());
  LinearInput gathered = {.rows = rows.size(),
                          .columns = input.columns,
                          .unpacked = input.unpacked,
                          .unpacked_stride = input.unpacked_stride};
  if (input.quantized == nullptr) {
    gathered.values = memory.data();
    for (size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(memory.data() + i * input.columns,
                  input.values + rows[i] * input.columns,
                  input.columns * sizeof(float));
    }
    return gathered;
  }
  auto* quantization = reinterpret_cast<RowQuantization*>(memory.data());
  auto* quantized = reinterpret_cast<int8_t*>(quantization + rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    quantization[i] = input.quantization[rows[i]];
    std::memcpy(quantized + i * input.columns,
                input.quantized + rows[i] * input.columns, input.columns);
  }
  gathered.quantization = quantization;
  gathered.quantized = quantized;
  return gathered;
}

LinearInput MakeLinearInput(const StepContext& step, const float* x,
                            size_t rows, size_t columns) {
  LinearInput input{.values = x, .rows = rows, .columns = columns};
  if (kProfile.int8_weights && IsInteger(step.engine.model.weight_type)) {
    static_assert(sizeof(RowQuantization) == sizeof(uint64_t));
    static_assert(kReadSlackBytes >= kActivationPaddingBytes);
    auto* quantization =
        reinterpret_cast<RowQuantization*>(step.workspace.row_quantization);
    QuantizeRows(step.engine.gemm, rows, columns, x, columns,
                 step.workspace.quantized, columns, quantization);
    input.unpacked = step.workspace.unpacked;
    input.unpacked_stride = step.workspace.unpacked_stride;
    input.quantized = step.workspace.quantized;
    input.quantization = quantization;
  }
  return input;
}

void ApplyLinear(const Engine& engine, const Linear& linear,
                 const LinearInput& input, float* y) {
  LATIMER_DCHECK(linear.k == input.columns);
  ProbeInput(linear.data, input.values, input.rows * input.columns);
  ForEachBlockRange(engine, linear, input.rows,
                    [&](uint32_t shard, uint32_t begin, uint32_t end) {
                      ComputeChannels(engine, linear, input,
                                      ChannelOf(linear, begin),
                                      ChannelOf(linear, end), shard, y);
                    });
}

LinearInput MakeLinearInput(const StepContext& step, const Linear& linear,
                            const float* x, size_t rows) {
  if (kProfile.f16_weights && linear.type == WeightType::kF16) {
    return {.values = x, .rows = rows, .columns = linear.k};
  }
  return MakeLinearInput(step, x, rows, linear.k);
}

void ApplyLinear(const StepContext& step, const Linear& linear, const float* x,
                 size_t rows, float* y) {
  ApplyLinear(step.engine, linear, MakeLinearInput(step, linear, x, rows), y);
}

void ApplyMaskedLinear(const Engine& engine, const Linear& linear,
                       const LinearInput& input, const uint16_t* masks,
                       float* y) {
  LATIMER_DCHECK(linear.k == input.columns && input.rows == 1);
  static_assert(kChannelBlock == 16);  // The bits of a mask.
  ProbeInput(linear.data, input.values, input.columns);
  ForEachBlockRange(
      engine, linear, 1, [&](uint32_t shard, uint32_t begin, uint32_t end) {
        ComputeMaskedBlocks(engine, linear, input, masks, begin, end, shard, y);
      });
}

void ApplyLinearChannels(const Engine& engine, const Linear& linear,
                         const LinearInput& input, uint32_t begin, uint32_t end,
                         float* y) {
  LATIMER_DCHECK(begin % kChannelBlock == 0 && end <= linear.n);
  const Tile tile = engine.model.tile;
  Linear window = linear;
  window.n = end - begin;
  if (window.bias != nullptr) window.bias += begin;
  const uint64_t block = PackedBlockBytes(linear.type, tile, linear.k);
  window.data +=
      static_cast<size_t>(begin / ShapeOf(linear.type, tile).nr * block);
  ApplyLinear(engine, window, input, y);
}

void LookUpRow(const Model& model, const Linear& embedding, uint32_t token,
               float* row) {
  LATIMER_DCHECK(token < embedding.n);
  if (kProfile.pruned_argmax && embedding.nibbles) {
    UnpackNibbleRow(embedding, token, row);
  } else {
    UnpackRow(embedding.type, model.tile, embedding, token, row);
  }
}

}  // namespace latimer
