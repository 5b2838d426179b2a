// The float kernels besides matrix products: attention, layer norm, softmax,
// activations, argmax. Each instruction set has a table of function pointers.
// All tables give the same bits for the same finite input, because every sum
// has one fixed order (16 elements and one reduction tree, see ops/simd.h),
// nothing is fused, and exp is our own (ops/simd_math.h). The exception is
// 32-bit ARM, where NEON flushes subnormal numbers to zero. NaN stays NaN, but
// its sign and payload may differ between CPUs.
//
// Every kernel reads and writes exactly the elements named here, needs no
// alignment and allocates nothing.
#ifndef LATIMER_OPS_VECTOR_KERNELS_H_
#define LATIMER_OPS_VECTOR_KERNELS_H_

#include <stddef.h>
#include <stdint.h>

#include "base/activation.h"

namespace latimer {

struct CpuFeatures;

// softmax(cap(scale * Q K^T) + bias) V for `heads` heads of `head_dim` columns
// each. Row r of head h of a matrix starts at `base + r * stride + h *
// head_dim`; strides are in floats and at least heads * head_dim. There is no
// mask: every query row sees all kv_count >= 1 rows. A decoder step has one
// query row, the encoder as many as keys; the result of a row does not depend
// on other rows.
struct AttentionArgs {
  size_t query_rows;
  size_t heads;
  size_t head_dim;
  size_t kv_count;
  const float* queries;
  size_t query_stride;
  const float* keys;
  const float* values;
  size_t kv_stride;  // of both keys and values, in numbers
  float scale;       // usually 1 / sqrt(head_dim)
  float* scratch;    // AttentionScratchSize() floats
  float* out;        // may be `queries` itself, with the same stride
  size_t out_stride;
  // Added to the scaled score of query row r and key row t in head h:
  // bias[h * bias_stride + t - r], so it depends on the distance. May be null.
  const float* bias = nullptr;
  size_t bias_stride = 0;
  // cap(x) = cap * tanh(x / cap); 0: x. Only in a build whose profile has
  // logit_caps.
  float cap = 0.0f;
  // AttentionPackedSize() floats, into which the keys and values of one head at
  // a time are packed for several query rows; this pays from a few rows on.
  // Null: each row reads keys and values in place, with the same result.
  float* packed = nullptr;
  // Keys and values in f16, as bits, if `keys` and `values` are null and one
  // query row. The result is that of the same numbers as f32. Only in a build
  // whose profile has f16_caches.
  const uint16_t* f16_keys = nullptr;
  const uint16_t* f16_values = nullptr;
  // Key and value t are in row t * beams + ancestors[t], with one query row.
  // Null: in row t. Only in a build whose profile has several beams.
  const uint8_t* ancestors = nullptr;
  size_t beams = 1;
};

// Query rows whose attention scores attend() holds at once.
inline constexpr size_t kAttentionRows = 8;

// Floats from one row of scores in the scratch to the next.
constexpr size_t AttentionScoreStride(size_t kv_count) {
  return (kv_count + 15) / 16 * 16;
}

// Floats of scratch that attend() needs: a row of scores for each head, or for
// each of kAttentionRows query rows.
constexpr size_t AttentionScratchSize(size_t heads, size_t kv_count) {
  return (heads < kAttentionRows ? kAttentionRows : heads) *
         AttentionScoreStride(kv_count);
}

// Floats of AttentionArgs::packed.
constexpr size_t AttentionPackedSize(size_t head_dim, size_t kv_count) {
  return 2 * head_dim * kv_count;
}

// y = x [rows, k] * W^T for output channels [begin, end); no other columns of y
// are written. Strides are in elements; `begin` is a multiple of 16.
// Weight is uint16_t or float. f16: W [n, k] is in blocks of kGemmF16Channels
// channels; each block has weights [k, kGemmF16Channels], the bits of finite
// IEEE binary16 numbers; the last block is filled with zeros. f32: the tile 8x1
// of ops/xnnpack/packed_matrix.h.
template <typename Weight>
struct GemmArgs {
  size_t rows;
  size_t k;
  const float* x;
  size_t x_stride;
  const Weight* weights;
  size_t begin;
  size_t end;
  float* y;
  size_t y_stride;
};

inline constexpr size_t kGemmF16Channels = 16;

// Keys or values of one head, `rows` of `dim` floats, `stride` apart, and the
// matrix of int8 that they become, as ops/xnnpack/packed_matrix.h describes it.
struct PackInt8Args {
  // The tile's.
  size_t nr, kr, sr;
  size_t block_bytes;
  char* out;  // Zeros.
  size_t rows, dim;
  const float* x;
  size_t stride;
  float* scratch;  // PackInt8ScratchSize(dim) floats.
};

// Three rows, a row of bytes, and at most 16 of those.
constexpr size_t PackInt8ScratchSize(size_t dim) { return 8 * dim; }

// "May be" below means that the pointers may be equal; otherwise ranges must
// not overlap.
struct VectorKernels {
  // The instruction set, such as "avx2".
  const char* name;

  // out[i] = x[i] * scale + addend[i]: an embedding and its position.
  // out may be x or addend.
  void (*scale_add)(size_t n, const float* x, float scale, const float* addend,
                    float* out);

  // y[i] += x[i].
  void (*add)(size_t n, const float* x, float* y);

  // For each of `rows` rows of `cols` >= 1 adjacent floats: v = x + residual (v
  // = x if residual is null), out = (v - mean(v)) / sqrt(var(v) + epsilon) *
  // gamma
  // + beta. The variance is divided by cols, as in PyTorch's LayerNorm. out may
  // be x or residual.
  void (*add_layer_norm)(size_t rows, size_t cols, const float* x,
                         const float* residual, const float* gamma,
                         const float* beta, float epsilon, float* out);

  // The same with (v - mean(v)) / (std(v) + epsilon); the variance in std is
  // divided by cols - 1 >= 1.
  void (*add_std_norm)(size_t rows, size_t cols, const float* x,
                       const float* residual, const float* gamma,
                       const float* beta, float epsilon, float* out);

  // The same with v / sqrt(mean(v^2) + epsilon) * gamma. Only in a build whose
  // profile has rms_norm.
  void (*add_rms_norm)(size_t rows, size_t cols, const float* x,
                       const float* residual, const float* gamma, float epsilon,
                       float* out);

  // out[i] = x[i] * y[i]. out may be x or y. Only in a build whose profile has
  // gated_ffn.
  void (*multiply)(size_t n, const float* x, const float* y, float* out);

  // x[i] = kind(x[i]). Absolute error against the exact function, relative to
  // max(1, |x|): at most 2e-7.
  void (*activate)(Activation kind, size_t n, float* x);

  // x[i] = cap * tanh(x[i] / cap). Only in a build whose profile has
  // logit_caps.
  void (*cap)(size_t n, float cap, float* x);

  // See AttentionArgs.
  void (*attend)(const AttentionArgs& args);

  // out[i] = the f16, as bits, that is nearest to x[i], halves to even; beyond
  // the largest finite one, 65,504, that one. Only in a build whose profile has
  // f16_caches.
  void (*to_f16)(size_t n, const float* x, uint16_t* out);

  // See GemmArgs. The only kernels whose bits depend on the CPU: sums have the
  // order of the inputs and are fused where XNNPACK's f32 GEMM is, so the bits
  // are those of that GEMM. Only in a build whose profile has f16_weights.
  void (*gemm_f16)(const GemmArgs<uint16_t>& args);
  // Only in a build whose profile has f32_weights, and only where it is faster
  // than XNNPACK's; null otherwise.
  void (*gemm_f32)(const GemmArgs<float>& args);

  // The sum of exp(x[i] - max), for n numbers that are not NaN and none of
  // which exceeds max. Only in a build whose profile has several beams.
  float (*sum_exp)(size_t n, const float* x, float max);

  // x[i] = exp(x[i] - max) / sum, n >= 1. As in PyTorch, a row that contains
  // NaN or +inf, or only -inf, becomes NaN.
  void (*softmax)(size_t n, float* x);

  // The first index of the maximum. NaN never wins; 0 if all are NaN or n is 0.
  size_t (*argmax)(size_t n, const float* x);

  // The rest is for int8_attention.h, only in a build whose profile has speech
  // and int8_weights.

  // Keys, less their mean row: each becomes a channel with a scale of its own,
  // the largest integer 127. Those of a row with a number that is not finite
  // have the scale NaN.
  void (*pack_int8_keys)(const PackInt8Args& args);

  // Values: each column becomes a channel likewise.
  void (*pack_int8_values)(const PackInt8Args& args);

  // Replaces x [n], n >= 1, by integers p [n] = 65535 exp(x[i] - max), rounded.
  // With s floats from one row to the next, s = AttentionScoreStride(n), bytes
  // [2s, 3s) become the upper 8 bits of p, minus 128, and [3s, 4s) the lower
  // ones; the others are overwritten. Returns the sum of p; 0 if the maximum is
  // not finite.
  uint32_t (*softmax_bytes)(size_t n, float* x);
};

inline constexpr size_t kMaxVectorKernels = 3;

// Writes the tables of this build that a CPU with `features` can run, fastest
// first, and returns how many; that is 0 on a CPU without SSE4.1, for example.
// The tables are static.
size_t ListVectorKernels(const CpuFeatures& features,
                         const VectorKernels* (&tables)[kMaxVectorKernels]);

}  // namespace latimer

#endif  // LATIMER_OPS_VECTOR_KERNELS_H_
