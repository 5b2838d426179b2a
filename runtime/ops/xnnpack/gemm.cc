#include "ops/xnnpack/gemm.h"

#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/half.h"
#include "base/off_stack.h"
#include "latimer/profile_config.h"
#include "ops/xnnpack/kernel_sets.h"
#include "xnnpack/quantization.h"

namespace latimer {
namespace {

static_assert(sizeof(RowQuantization) == sizeof(xnn_qd8_quantization_params));
static_assert(offsetof(RowQuantization, zero_point) ==
              offsetof(xnn_qd8_quantization_params, zero_point));
static_assert(offsetof(RowQuantization, scale) ==
              offsetof(xnn_qd8_quantization_params, inv_scale));
static_assert(kActivationPaddingBytes >= XNN_EXTRA_BYTES);

// Several blocks of rows read this many bytes of weights in turn, so that the
// weights stay in the second-level cache.
constexpr uint64_t kCachedWeightBytes = 128 * 1024;

// No activation function: y is not clamped.
constexpr xnn_f32_minmax_params kUnclamped = {
    {-std::numeric_limits<float>::infinity(),
     std::numeric_limits<float>::infinity()}};
// The zero point that nibbles are packed with; kernels do not read it.
constexpr xnn_f32_qc4w_minmax_params kUnclampedInt4 = {
    {-std::numeric_limits<float>::infinity(),
     std::numeric_limits<float>::infinity(), 8}};

// Sixteen bytes; no operation below carries from one to another.
typedef uint32_t Bytes __attribute__((vector_size(16)));

// The chunks of an int6 block as those of int8: `count` of them.
void UnpackInt6(const std::byte* chunks, size_t count, std::byte* out) {
  const auto load = [](const std::byte* p) {
    Bytes bytes;
    std::memcpy(&bytes, p, sizeof(bytes));
    return bytes;
  };
  for (size_t i = 0; i < 2 * count; ++i) {
    const std::byte* from = chunks + i / 2 * kInt6ChunkBytes + i % 2 * 16;
    std::byte* to = out + i / 2 * kInt6ChunkWeights + i % 2 * 16;
    const Bytes low = load(from), next = load(from + 32);
    const Bytes high = load(from + 64);
    const auto store = [to](size_t at, Bytes nibbles, Bytes bits) {
      const Bytes code = (nibbles & 0x0f0f0f0f) | (bits & 0x30303030);
      const Bytes weights = ((code | 0x80808080) - 0x20202020) ^ 0x80808080;
      std::memcpy(to + at, &weights, sizeof(weights));
    };
    store(0, low, high << 4);
    store(32, low >> 4, high << 2);
    store(64, next, high);
    store(96, next >> 4, high >> 2);
  }
}

// Makes a block of an int6 matrix a block of int8.
void UnpackInt6Block(Tile tile, uint64_t k, const std::byte* block,
                     std::byte* out) {
  const size_t nr = ShapeOf(tile).nr;
  const size_t sum_bytes = nr * sizeof(int32_t);
  const size_t end_bytes = nr * 2 * sizeof(float);  // Scales and zeros.
  const auto bytes =
      static_cast<size_t>(PackedBlockBytes(WeightType::kInt8, tile, k));
  const auto chunks = static_cast<size_t>(
      PackedInputs(WeightType::kInt6, tile, k) * nr / kInt6ChunkWeights);
  std::memcpy(out, block, sum_bytes);
  UnpackInt6(block + sum_bytes, chunks, out + sum_bytes);
  std::memcpy(out + bytes - end_bytes,
              block + sum_bytes + chunks * kInt6ChunkBytes, end_bytes);
}

// Reads `count` of a block's weights from the i-th on, which lie in the same
// quarter of a chunk.
void ReadInt6(const std::byte* chunks, size_t i, size_t count, int8_t* out) {
  const std::byte* chunk = chunks + i / kInt6ChunkWeights * kInt6ChunkBytes;
  const size_t quarter = i / 32 % 4;
  const std::byte* low = chunk + quarter / 2 * 32 + i % 32;
  const std::byte* high = chunk + 64 + i % 32;
  for (size_t j = 0; j < count; ++j) {
    const auto nibble = static_cast<uint32_t>(low[j]) >> quarter % 2 * 4 & 15;
    const auto bits = static_cast<uint32_t>(high[j]) >> quarter * 2 & 3;
    out[j] = static_cast<int8_t>(static_cast<int32_t>(nibble + bits * 16) - 32);
  }
}

// Calls run(variant, row, count, channels, weights, y) for blocks of `count`
// rows from `row` on and of `channels` channels that together cover all rows
// and channels [begin, end). `weights` and `y` are where the block begins.
template <typename RunBlock>
void ForEachBlock(const GemmKernelSet& set, WeightType type, size_t rows,
                  const PackedMatrix& w, uint32_t begin, uint32_t end, float* y,
                  size_t y_stride, const RunBlock& run) {
  const uint32_t nr = ShapeOf(type, set.tile).nr;
  LATIMER_DCHECK(begin % nr == 0 && end <= w.n);
  const uint64_t block_bytes = PackedBlockBytes(type, set.tile, w.k);
  uint32_t step = end - begin;
  if (set.VariantFor(rows).rows < rows) {
    const uint64_t blocks = kCachedWeightBytes / block_bytes;
    step = nr * static_cast<uint32_t>(RoundUp(blocks > 0 ? blocks : 1,
                                              set.variants().back().blocks));
  }
  for (uint32_t channel = begin; channel < end;) {
    const uint32_t channels = end - channel < step ? end - channel : step;
    const std::byte* weights = w.data + channel / nr * block_bytes;
    for (size_t row = 0; row < rows;) {
      const GemmVariant& variant = set.VariantFor(rows - row);
      const size_t count =
          rows - row < variant.rows ? rows - row : variant.rows;
      run(variant, row, count, channels, weights, y + row * y_stride + channel);
      row += count;
    }
    channel += channels;
  }
}

Status UnsupportedCpu() {
  return Status::Error(StatusCode::kUnsupportedCpu,
                       "This CPU lacks the instruction sets of this build "
                       "(%s); build with LATIMER_ISAS set for this CPU.",
                       kIsasInBuild);
}

// Finds the best set for weights of `type` in a model of this tile.
Status FindSet(CpuFeatures features, WeightType type, Tile tile,
               const GemmKernelSet** out) {
  const GemmKernelSet* missing = nullptr;
  // For the message, a tile that works here. Of several, the smallest value:
  // that one works on most CPUs.
  const GemmKernelSet* usable = nullptr;
  for (const GemmKernelSet& set : GemmKernelSets(type)) {
    if (!(features.*set.feature)) {
      if (set.tile == tile) missing = &set;  // Newest first: keeps the oldest.
    } else if (set.tile == tile) {
      *out = &set;
      return {};
    } else if (usable == nullptr || set.tile < usable->tile) {
      usable = &set;
    }
  }
  if (usable == nullptr) return UnsupportedCpu();
  if (missing == nullptr) {
    return Status::Error(StatusCode::kTileNotInBuild,
                         "This build has no kernels for %s weights in tile %s; "
                         "convert the model again with --tile %s.",
                         NameOf(type), NameOf(tile), NameOf(usable->tile));
  }
  return Status::Error(StatusCode::kUnsupportedCpu,
                       "This CPU lacks %s, which %s weights in tile %s need; "
                       "convert the model again with --tile %s.",
                       missing->isa, NameOf(type), NameOf(tile),
                       NameOf(usable->tile));
}

}  // namespace

Status SelectGemmKernels(CpuFeatures features, WeightType type, Tile tile,
                         GemmKernels* out) {
  *out = {};
  if (ShapeOf(tile).nr == 0 || WeightTypeOf(tile) != type) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "Tile %s (%d) does not hold %s weights.", NameOf(tile),
                         static_cast<int>(tile), NameOf(type));
  }
  if (type == WeightType::kF16) return {};
  LATIMER_RETURN_IF_ERROR(FindSet(features, type, tile, &out->gemm));
  if (type == WeightType::kF32) return {};
  for (const ConvertKernelSet& set : ConvertKernelSets()) {
    if (features.*set.feature) {
      out->convert = &set;
      return {};
    }
  }
  *out = {};
  return UnsupportedCpu();
}

Status AddGemmKernels(CpuFeatures features, WeightType type, Tile tile,
                      GemmKernels* kernels) {
  if (type == WeightType::kInt4) {
    return FindSet(features, type, tile, &kernels->int4);
  }
  if (!kProfile.int6_weights || type != WeightType::kInt6) return {};
  for (const Int6Kernel& kernel : Int6Kernels()) {
    if (kernel.tile == kernels->gemm->tile &&
        kernel.feature == kernels->gemm->feature) {
      kernels->int6 = &kernel;
    }
  }
  return {};
}

bool FastestTile(CpuFeatures features, WeightType type, Tile* out) {
  if (type == WeightType::kF16) {
    *out = Tile::k16x1;
    return true;
  }
  for (const GemmKernelSet& set : GemmKernelSets(type)) {
    if (!(features.*set.feature)) continue;
    *out = set.tile;
    return true;
  }
  return false;
}

const char* KernelName(const GemmKernels& kernels, size_t i) {
  if (kernels.gemm == nullptr) return nullptr;
  for (const GemmKernelSet* set : {kernels.gemm, kernels.int4}) {
    if (set == nullptr) continue;
    const std::span<const GemmVariant> variants = set->variants();
    if (i < variants.size()) return variants[i].name;
    i -= variants.size();
  }
  if (kernels.int6 != nullptr && i-- == 0) return kernels.int6->name;
  if (kernels.convert == nullptr || i > 1) return nullptr;
  return i == 0 ? kernels.convert->minmax_name : kernels.convert->convert_name;
}

// xnn_compute_f32_qd8_convert() in XNNPACK's src/operator-run.c.
void QuantizeRows(const GemmKernels& kernels, size_t rows, size_t cols,
                  const float* x, size_t x_stride, int8_t* q, size_t q_stride,
                  RowQuantization* params) {
  LATIMER_DCHECK(kernels.convert != nullptr);
  const ConvertKernelSet& set = *kernels.convert;
  const size_t bytes = cols * sizeof(float);
  for (size_t row = 0; row < rows; ++row) {
    const float* values = x + row * x_stride;
    float minmax[2];
    set.minmax(bytes, values, minmax, nullptr);
    // Else what becomes of NaN depends on the CPU, and may look like a number.
    // Of NaN alone, kernels that skip it leave a range below zero.
    const float range = minmax[1] - minmax[0];
    if (!(range >= 0 && range <= std::numeric_limits<float>::max())) {
      params[row] = {0, std::numeric_limits<float>::quiet_NaN()};
      std::memset(q + row * q_stride, 0, cols);
      continue;
    }
    const xnn_qd8_quantization_params quantization =
        xnn_f32_qd8_asymmetric_quantization_params(minmax[0], minmax[1]);
    params[row] = {quantization.zero_point, quantization.inv_scale};
    xnn_f32_qs8_cvt_params convert;
    convert.scalar.scale = 1.0f / quantization.inv_scale;
    convert.scalar.output_zero_point =
        static_cast<int16_t>(quantization.zero_point);
    set.convert(bytes, values, q + row * q_stride, &convert);
  }
}

// With the kernels for the type of w.
LATIMER_OFF_STACK static void MultiplyIntegers(
    const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
    uint32_t channel_begin, uint32_t channel_end, const int8_t* q,
    size_t q_stride, const RowQuantization* params, float* y, size_t y_stride) {
  const bool int4 = w.type == WeightType::kInt4;
  const GemmKernelSet& set = int4 ? *kernels.int4 : *kernels.gemm;
  LATIMER_DCHECK(WeightTypeOf(set.tile) == WeightType::kInt8);
  const size_t nr_bytes = ShapeOf(w.type, set.tile).nr * sizeof(float);
  ForEachBlock(set, w.type, rows, w, channel_begin, channel_end, y, y_stride,
               [&](const GemmVariant& variant, size_t row, size_t count,
                   uint32_t channels, const std::byte* weights, float* out) {
                 const RowQuantization* quantization = params + row;
                 if (variant.own != nullptr) {
                   LATIMER_DCHECK(count == variant.rows);
                   variant.own({channels, w.k, q + row * q_stride, q_stride,
                                quantization, weights, out, y_stride});
                   return;
                 }
                 // Given fewer rows than it holds, a kernel computes the last
                 // one several times and stores to one place. It reads
                 // parameters for each of them.
                 RowQuantization filled[kMaxVariantRows];
                 if (count < variant.rows) {
                   for (size_t i = 0; i < variant.rows; ++i) {
                     filled[i] = quantization[i < count ? i : count - 1];
                   }
                   quantization = filled;
                 }
                 const auto run = [&](auto* kernel, const auto* clamp) {
                   kernel(count, channels, w.k, q + row * q_stride, q_stride,
                          weights, out, y_stride * sizeof(float), nr_bytes,
                          clamp,
                          reinterpret_cast<const xnn_qd8_quantization_params*>(
                              quantization));
                 };
                 if (kProfile.int4_weights && int4) {
                   run(variant.int4, &kUnclampedInt4);
                 } else {
                   run(variant.int8, &kUnclamped);
                 }
               });
}

// One block after another becomes an int8 block in `scratch`, which the
// first-level cache holds, and all rows read it there.
LATIMER_OFF_STACK static void GemmUnpacked(
    const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
    uint32_t channel_begin, uint32_t channel_end, const int8_t* q,
    size_t q_stride, const RowQuantization* params, float* y, size_t y_stride,
    std::byte* scratch) {
  const Tile tile = kernels.gemm->tile;
  const uint32_t nr = ShapeOf(tile).nr;
  const uint64_t block_bytes = PackedBlockBytes(WeightType::kInt6, tile, w.k);
  for (uint32_t channel = channel_begin; channel < channel_end; channel += nr) {
    UnpackInt6Block(tile, w.k, w.data + channel / nr * block_bytes, scratch);
    const uint32_t count =
        channel_end - channel < nr ? channel_end - channel : nr;
    MultiplyIntegers(kernels, rows, {scratch, count, w.k}, 0, count, q,
                     q_stride, params, y + channel, y_stride);
  }
}

void GemmInt8(const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
              uint32_t channel_begin, uint32_t channel_end, const int8_t* q,
              size_t q_stride, const RowQuantization* params, float* y,
              size_t y_stride, std::byte* scratch) {
  if (kProfile.int6_weights && w.type == WeightType::kInt6) {
    LATIMER_DCHECK(scratch != nullptr);
    if (kernels.int6 != nullptr && rows <= kernels.int6->most_rows) {
      const Tile tile = kernels.int6->tile;
      const std::byte* weights =
          w.data + channel_begin / ShapeOf(tile).nr *
                       PackedBlockBytes(WeightType::kInt6, tile, w.k);
      return kernels.int6->run({channel_end - channel_begin, w.k, q, q_stride,
                                params, weights, y + channel_begin, y_stride},
                               rows, scratch);
    }
    return GemmUnpacked(kernels, rows, w, channel_begin, channel_end, q,
                        q_stride, params, y, y_stride, scratch);
  }
  MultiplyIntegers(kernels, rows, w, channel_begin, channel_end, q, q_stride,
                   params, y, y_stride);
}

void GemmF32(const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
             uint32_t channel_begin, uint32_t channel_end, const float* x,
             size_t x_stride, float* y, size_t y_stride) {
  const GemmKernelSet& set = *kernels.gemm;
  LATIMER_DCHECK(WeightTypeOf(set.tile) == WeightType::kF32);
  const size_t nr_bytes = ShapeOf(set.tile).nr * sizeof(float);
  ForEachBlock(set, WeightType::kF32, rows, w, channel_begin, channel_end, y,
               y_stride,
               [&](const GemmVariant& variant, size_t row, size_t count,
                   uint32_t channels, const std::byte* weights, float* out) {
                 variant.f32(count, channels, w.k * sizeof(float),
                             x + row * x_stride, x_stride * sizeof(float),
                             reinterpret_cast<const float*>(weights), out,
                             y_stride * sizeof(float), nr_bytes, &kUnclamped);
               });
}

void UnpackRow(WeightType type, Tile tile, const PackedMatrix& w,
               uint32_t channel, float* out) {
  LATIMER_DCHECK(channel < w.n && type != WeightType::kInt4);
  const TileShape shape = ShapeOf(type, tile);
  const uint32_t index = channel % shape.nr;  // In the block.
  const size_t inputs = PackedInputs(type, tile, w.k);
  const std::byte* block =
      w.data + channel / shape.nr * PackedBlockBytes(type, tile, w.k);
  if (type == WeightType::kF32) {
    const auto* weights = reinterpret_cast<const float*>(block) + shape.nr;
    for (size_t i = 0; i < w.k; ++i) out[i] = weights[i * shape.nr + index];
    return;
  }
  if (type == WeightType::kF16) {
    const auto* weights = reinterpret_cast<const uint16_t*>(block);
    for (size_t i = 0; i < w.k; ++i) {
      out[i] = HalfToFloat(weights[i * shape.nr + index]);
    }
    return;
  }
  const std::byte* weights = block + shape.nr * sizeof(int32_t);
  const std::byte* scales =
      block + PackedBlockBytes(type, tile, w.k) - shape.nr * 2 * sizeof(float);
  float scale;
  std::memcpy(&scale, scales + index * sizeof(float), sizeof(scale));
  constexpr size_t kMostInputs = 16;  // Of a channel side by side.
  LATIMER_DCHECK(shape.kr <= kMostInputs);
  // Within a group of kr*sr inputs, those of channel c are rotated by c*kr.
  const size_t group = size_t{shape.kr} * shape.sr;
  for (size_t start = 0; start < inputs; start += shape.kr) {
    const size_t first =
        start / group * group + (start + index * shape.kr) % group;
    const size_t source = start * shape.nr + index * shape.kr;
    int8_t piece[kMostInputs];
    if (type == WeightType::kInt6) {
      ReadInt6(weights, source, shape.kr, piece);
    } else {
      std::memcpy(piece, weights + source, shape.kr);
    }
    for (size_t i = 0; i < shape.kr && first + i < w.k; ++i) {
      out[first + i] = static_cast<float>(piece[i]) * scale;
    }
  }
}

}  // namespace latimer
