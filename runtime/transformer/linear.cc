#include "transformer/linear.h"

#include <algorithm>

#include "base/check.h"
#include "ops/gemm_int8.h"
#include "ops/xnnpack/gather.h"
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

}  // namespace

LinearInput LinearInput::Rows(size_t begin, size_t count) const {
  LinearInput some = *this;
  some.rows = count;
  some.values += begin * columns;
  if (quantized != nullptr) {
    some.quantized += begin * columns;
    some.quantization += begin;
  }
  return some;
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

Linear GatherChannels(const Model& model, const Linear& linear,
                      std::span<const uint32_t> channels, std::byte* memory) {
  Linear gathered;
  if (linear.bias != nullptr) {
    auto* const bias = reinterpret_cast<float*>(memory);
    for (size_t i = 0; i < channels.size(); ++i) {
      bias[i] = linear.bias[channels[i]];
    }
    gathered.bias = bias;
    memory += RoundUp(channels.size(), kChannelBlock) * sizeof(float);
  }
  static_cast<PackedMatrix&>(gathered) =
      GatherChannels(model.tile, linear, channels, memory);
  return gathered;
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
