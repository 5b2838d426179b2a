// The float kernels around the matrix products: attention, layer norm, softmax,
// activations, argmax. One table of function pointers per instruction set; all
// tables give the same bits for the same finite input, because every sum has
// one fixed order (16 lanes and one reduction tree, see ops/simd.h), nothing is
// fused, and exp is our own (ops/simd_math.h). The one exception is 32-bit ARM,
// where NEON flushes denormal numbers to zero. NaN stays NaN, but its sign and
// payload may differ between CPUs.
//
// Every kernel reads and writes exactly the elements named here, needs no
// alignment, and allocates nothing.
#ifndef LATIMER_OPS_VECTOR_KERNELS_H_
#define LATIMER_OPS_VECTOR_KERNELS_H_

#include <stddef.h>
#include <stdint.h>

#include "latimer/activation.h"

namespace latimer {

struct CpuFeatures;

// softmax(scale * Q K^T + bias) V for `heads` heads of `head_dim` columns each.
// Row r of head h of a matrix starts at `base + r * stride + h * head_dim`;
// strides are in floats and at least heads * head_dim. There is no mask: every
// query row sees all kv_count >= 1 rows. A decoder step has one query row, the
// encoder has as many as keys; a row's result does not depend on the others.
struct AttentionArgs {
  size_t query_rows;
  size_t heads;
  size_t head_dim;
  size_t kv_count;
  const float* queries;
  size_t query_stride;
  const float* keys;
  const float* values;
  size_t kv_stride;  // of both keys and values
  float scale;       // usually 1 / sqrt(head_dim)
  float* scratch;    // AttentionScratchSize() floats
  float* out;        // may be `queries` itself, with the same stride
  size_t out_stride;
  // Added to the scaled score of query row r and key row t in head h:
  // bias[h * bias_stride + t - r], a number by distance. Null: nothing.
  const float* bias = nullptr;
  size_t bias_stride = 0;
  // AttentionPackedSize() floats where the keys and values of one head at a
  // time are put in order for several query rows; worth it from a few rows on.
  // Null: each row reads them where they lie, with the same result.
  float* packed = nullptr;
};

// Query rows whose scores attend() holds at once.
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

// y [rows, end) = x [rows, k] * W^T for output channels [begin, end): W [n, k]
// in blocks of kGemmF16Channels channels, of which each has the weights [k,
// kGemmF16Channels] as IEEE binary16 bits, finite ones; the last block is
// filled with zeros. Only these columns of y are written. Strides are in
// elements; `begin` is a multiple of kGemmF16Channels.
struct GemmF16Args {
  size_t rows;
  size_t k;
  const float* x;
  size_t x_stride;
  const uint16_t* weights;
  size_t begin;
  size_t end;
  float* y;
  size_t y_stride;
};

inline constexpr size_t kGemmF16Channels = 16;

// "May be" below means the same pointer; ranges must not overlap otherwise.
struct VectorKernels {
  // The instruction set: "sse41", "avx2", "avx512", "neon" or "scalar".
  const char* name;

  // out[i] = x[i] * scale + addend[i]: an embedding row plus its position.
  // out may be x or addend.
  void (*scale_add)(size_t n, const float* x, float scale, const float* addend,
                    float* out);

  // y[i] += x[i].
  void (*add)(size_t n, const float* x, float* y);

  // For each of `rows` rows of `cols` >= 1 packed floats: v = x + residual (v =
  // x where residual is null), out = (v - mean(v)) / sqrt(var(v) + epsilon) *
  // gamma + beta, the variance divided by cols as in PyTorch's LayerNorm. out
  // may be x or residual.
  void (*add_layer_norm)(size_t rows, size_t cols, const float* x,
                         const float* residual, const float* gamma,
                         const float* beta, float epsilon, float* out);

  // The same with (v - mean(v)) / (std(v) + epsilon), the variance under std
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

  // See AttentionArgs.
  void (*attend)(const AttentionArgs& args);

  // See GemmF16Args. The one kernel whose bits depend on the CPU: each is the
  // sum of the products in the order of the inputs, fused where XNNPACK's f32
  // GEMM is, whose bits these are. Only in a build whose profile has
  // f16_weights.
  void (*gemm_f16)(const GemmF16Args& args);

  // x[i] = exp(x[i] - max) / sum, n >= 1. As in PyTorch, a row with a NaN or
  // +inf, or of -inf only, becomes NaN.
  void (*softmax)(size_t n, float* x);

  // First index of the maximum. NaN never wins; 0 where all are NaN or n is 0.
  size_t (*argmax)(size_t n, const float* x);
};

inline constexpr size_t kMaxVectorKernels = 3;

// Writes the tables of this build that this CPU can run, fastest first, and
// returns how many: 0 where it lacks SSE4.1, say. The tables are static.
size_t ListVectorKernels(const CpuFeatures& features,
                         const VectorKernels* (&tables)[kMaxVectorKernels]);

}  // namespace latimer

#endif  // LATIMER_OPS_VECTOR_KERNELS_H_
