// Matrix multiplication on XNNPACK's kernels: y [rows, n] = x [rows, k] * W^T,
// with W packed as packed_matrix.h says. No allocation, no state, no threads:
// callers split the output channels and add the bias.
//
// int8 is XNNPACK's qd8-f32-qc8w, int4 -qc4w: each row of x is quantized as it
// comes (QuantizeRows), once for all matrices that read it. Every CPU gives the
// same bits: the sum in int32, as float * params.scale * the channel's scale.
#ifndef LATIMER_OPS_XNNPACK_GEMM_H_
#define LATIMER_OPS_XNNPACK_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "latimer/status.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

class GemmKernelSet;      // Kernels of one tile and instruction set.
struct ConvertKernelSet;  // Kernels that quantize rows.

// The kernels for one tile on this CPU. Copy freely; points to constants.
struct GemmKernels {
  const GemmKernelSet* gemm = nullptr;        // Null for f16.
  const GemmKernelSet* int4 = nullptr;        // Null unless asked for.
  const ConvertKernelSet* convert = nullptr;  // Null for f32 and f16.
};

// Picks the fastest kernels that this build has for the tile and that
// `features` allow. For f16 there is none to pick: VectorKernels has them.
// kInvalidArgument: `tile` is no tile of `type`.
// kTileNotInBuild: none for this tile was compiled in.
// kUnsupportedCpu: all that were compiled in need a newer CPU.
Status SelectGemmKernels(CpuFeatures features, WeightType type, Tile tile,
                         GemmKernels* out);

// Adds the kernels for int4 weights to those of an int8 tile. The same errors.
Status SelectInt4Kernels(CpuFeatures features, Tile tile, GemmKernels* kernels);

// The tile of the fastest kernels that this build has for weights of `type` and
// that `features` allow. False where there are none.
bool FastestTile(CpuFeatures features, WeightType type, Tile* out);

// XNNPACK's name of the i-th kernel in use, smallest row count first, then
// the conversion kernels; null from the end on. Static strings.
const char* KernelName(const GemmKernels& kernels, size_t i);

// How one row was quantized: x = scale * (q - zero_point).
// Laid out as XNNPACK's xnn_qd8_quantization_params.
struct RowQuantization {
  int32_t zero_point;
  float scale;
};

// Bytes that must be readable after the last row of x and of q; their values do
// not matter. Nothing after the last RowQuantization is read. (16 would do for
// real CPUs; QEMU reads the whole vector of a masked load.)
inline constexpr size_t kActivationPaddingBytes = 32;

// Quantizes x [rows, cols] to q [rows, cols], each row by its own minimum and
// maximum: the same bits as XNNPACK's f32 -> qd8 conversion. Strides are in
// elements. `params` has `rows` entries.
// Precondition: rows of finite numbers, int8 kernels.
void QuantizeRows(const GemmKernels& kernels, size_t rows, size_t cols,
                  const float* x, size_t x_stride, int8_t* q, size_t q_stride,
                  RowQuantization* params);

// y[:, begin:end) for quantized rows q [rows, w.k] and int8 or int4 weights.
// Only these columns of y [rows, w.n] are written. Strides are in elements.
// Precondition: channel_begin is a multiple of the nr of w's tile, channel_end
// is one too or is w.n.
void GemmInt8(const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
              uint32_t channel_begin, uint32_t channel_end, const int8_t* q,
              size_t q_stride, const RowQuantization* params, float* y,
              size_t y_stride);

// The same for f32 rows x [rows, w.k] and f32 weights.
void GemmF32(const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
             uint32_t channel_begin, uint32_t channel_end, const float* x,
             size_t x_stride, float* y, size_t y_stride);

// out [w.k] = the weights of one output channel, dequantized:
// an embedding looked up in the output layer's matrix.
// Precondition: w is not int4.
void UnpackRow(WeightType type, Tile tile, const PackedMatrix& w,
               uint32_t channel, float* out);

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_GEMM_H_
