// Matrix multiplication with XNNPACK's kernels: y [rows, n] = x [rows, k] *
// W^T, where W is packed as packed_matrix.h describes. No allocation, no state,
// no threads: callers split the output channels and add the bias.
//
// int8 is XNNPACK's qd8-f32-qc8w, int4 -qc4w: QuantizeRows quantizes each row
// of x at run time, once for all matrices that read it. Every CPU gives the
// same bits: the sum in int32, as float * params.scale * the channel's scale.
#ifndef LATIMER_OPS_XNNPACK_GEMM_H_
#define LATIMER_OPS_XNNPACK_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "latimer/status.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

class GemmKernelSet;  // Kernels of one tile and instruction set.
struct Int6Kernel;
struct ConvertKernelSet;  // Kernels that quantize rows.

// The kernels for one tile on this CPU. Points to constants; copy it freely.
struct GemmKernels {
  const GemmKernelSet* gemm = nullptr;  // Null for f16.
  const GemmKernelSet* int4 = nullptr;  // Null unless asked for.
  // Null unless asked for, and where chunks are unpacked for `gemm`.
  const Int6Kernel* int6 = nullptr;
  const ConvertKernelSet* convert = nullptr;  // Null for f32 and f16.
};

// Selects the fastest kernels of this build for the tile that `features` allow.
// For f16 it selects none, because VectorKernels has those kernels.
// kInvalidArgument: `tile` is not a tile of `type`.
// kTileNotInBuild: this build has no kernels for the tile.
// kUnsupportedCpu: all kernels of this build for the tile need a newer CPU.
Status SelectGemmKernels(CpuFeatures features, WeightType type, Tile tile,
                         GemmKernels* out);

// Adds the kernels that matrices of another type need in a model of this tile,
// if they need any. The same errors.
Status AddGemmKernels(CpuFeatures features, WeightType type, Tile tile,
                      GemmKernels* kernels);

// Sets `out` to the tile of the fastest kernels of this build for weights of
// `type` that `features` allow. Returns false if there are none.
bool FastestTile(CpuFeatures features, WeightType type, Tile* out);

// XNNPACK's name of the i-th selected kernel, a static string: the GEMM kernels
// by rising number of rows, then the conversion kernels. Null after the last.
const char* KernelName(const GemmKernels& kernels, size_t i);

// How one row was quantized: x = scale * (q - zero_point). The layout is that
// of XNNPACK's xnn_qd8_quantization_params.
struct RowQuantization {
  int32_t zero_point;
  float scale;
};

// Bytes that must be readable after the last row of x and of q; their values do
// not matter. Nothing after the last RowQuantization is read. (Real CPUs need
// only 16, but QEMU reads the whole vector of a masked load.)
inline constexpr size_t kActivationPaddingBytes = 32;

// Quantizes x [rows, cols] to q [rows, cols], each row by its own minimum and
// maximum, with the bits of XNNPACK's f32 -> qd8 conversion. Strides are in
// elements. `params` has `rows` entries.
// A row with infinity, or of NaN, has products that are not finite.
// Precondition: `kernels` are for int8.
void QuantizeRows(const GemmKernels& kernels, size_t rows, size_t cols,
                  const float* x, size_t x_stride, int8_t* q, size_t q_stride,
                  RowQuantization* params);

// Computes columns [channel_begin, channel_end) of y [rows, w.n] from quantized
// rows q [rows, w.k] and integers; writes no other columns.
// Strides are in elements. `scratch` has UnpackedBytes(w.k) of
// latimer/internal/memory_plan.h, aligned to 64 bytes, if w is chunked.
// Precondition: channel_begin is a multiple of the tile's nr; so is
// channel_end, unless it is w.n.
void GemmInt8(const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
              uint32_t channel_begin, uint32_t channel_end, const int8_t* q,
              size_t q_stride, const RowQuantization* params, float* y,
              size_t y_stride, std::byte* scratch = nullptr);

// The same for f32 rows x [rows, w.k] and f32 weights.
void GemmF32(const GemmKernels& kernels, size_t rows, const PackedMatrix& w,
             uint32_t channel_begin, uint32_t channel_end, const float* x,
             size_t x_stride, float* y, size_t y_stride);

// out [w.k] = the weights of one output channel, dequantized. This looks up an
// embedding in the matrix of the output layer.
// Precondition: w is not int4. `type` is that of w.
void UnpackRow(WeightType type, Tile tile, const PackedMatrix& w,
               uint32_t channel, float* out);

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_GEMM_H_
