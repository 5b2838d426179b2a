// Products of quantized rows and int8 weights where XNNPACK's kernels leave the
// CPU idle or take more instructions than needed, on x86-64 without VNNI and on
// ARM without i8mm, or where it has none: Cortex-M, RISC-V's vectors for a
// layout that files can have, and int6. They read XNNPACK's layout and give its
// bits; ops/xnnpack/kernels.txt says which instruction set and tile has them.
//
// gemm_int8*_isa.cc include this header too, but call none of its functions.
#ifndef LATIMER_OPS_GEMM_INT8_H_
#define LATIMER_OPS_GEMM_INT8_H_

#include <stddef.h>
#include <stdint.h>

namespace latimer {

// y [rows, channels] = q [rows, k] * W^T, scaled as GemmInt8() of
// ops/xnnpack/gemm.h says. Strides are in elements.
struct GemmInt8Args {
  size_t channels;
  size_t k;
  const int8_t* q;  // 31 bytes after a row's end must be readable.
  size_t q_stride;
  // Int32 zero point and float scale of each row.
  const void* quantization;
  // Blocks of the tile 8x8 (AVX2), 4x8 (SSE4.1, DSP), 8x2s4 (NEON), 16x4 (dot
  // products), 8x16 (MVE), or that of a function's name:
  // ops/xnnpack/packed_matrix.h.
  const void* weights;
  float* y;
  size_t y_stride;
};

using GemmInt8Function = void (*)(const GemmInt8Args& args);

// The same for int6 weights and any number of rows, or for one, as kernels.txt
// says. `scratch`, aligned to 64 bytes, has room for the codes of a block, a
// byte each (PackedInputs), and kCodesScratchSums int32.
using GemmInt6Function = void (*)(const GemmInt8Args& args, size_t rows,
                                  void* scratch);
inline constexpr size_t kCodesScratchSums = 64;

// Blocks of channels that the kernels for two rows compute at a time, as many
// as registers can hold the sums of; those for dot products compute one.
#if defined(__arm__) || defined(__riscv)
inline constexpr size_t kGemmInt8Blocks = 1;
#else
inline constexpr size_t kGemmInt8Blocks = 3;
#endif

// Declares the kernels of an instruction set. kernels.txt says which of them,
// and for which numbers of rows, it has.
#define LATIMER_DECLARE_GEMM_INT8(isa)                                   \
  namespace isa {                                                        \
  void GemmInt8Rows1(const GemmInt8Args& a);                             \
  void GemmInt8Rows2(const GemmInt8Args& a);                             \
  void GemmInt8Rows3(const GemmInt8Args& a);                             \
  void GemmInt8Rows4(const GemmInt8Args& a);                             \
  void GemmInt4Rows1(const GemmInt8Args& a);                             \
  void GemmInt4Rows2(const GemmInt8Args& a);                             \
  void GemmInt4Rows3(const GemmInt8Args& a);                             \
  void GemmInt4Rows4(const GemmInt8Args& a);                             \
  void GemmInt6k4x8(const GemmInt8Args& a, size_t rows, void* scratch);  \
  void GemmInt6k8x8(const GemmInt8Args& a, size_t rows, void* scratch);  \
  void GemmInt6k16x8(const GemmInt8Args& a, size_t rows, void* scratch); \
  }

}  // namespace latimer

#endif  // LATIMER_OPS_GEMM_INT8_H_
