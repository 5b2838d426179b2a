// Products of quantized rows and int8 or int4 weights with RISC-V's vectors of
// 256 bits; see ops/gemm_int8.h.
//
// XNNPACK's kernels want blocks of as many channels as four registers have
// elements, 32, but a shortlist chooses blocks of 16. These read the tile 16x4:
// a line has four inputs of each channel. Its products with four bytes of a
// row, repeated, are added to those of the next line in int16, then to four
// sums of each channel. No weight is -128, so two products fit int16. Inputs of
// int4 come eight at a time, the second four in the high halves of the bytes.
#include "base/rvv.h"
#include "ops/gemm_int8.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

constexpr size_t kInputs = 4;  // The tile's kr.
constexpr size_t kChannels = kVectorChannels;
constexpr size_t kLine = kChannels * kInputs;
static_assert(kLine == kVectorBytes);

struct Quantization {
  int32_t zero_point;
  float scale;
};

// The lines of eight inputs.
template <bool kInt4>
struct TwoLines {
  Bytes first, second;
};
template <bool kInt4>
LATIMER_INLINE TwoLines<kInt4> LoadLines(const int8_t* weights) {
  const Bytes line = LoadBytes(weights);
  if constexpr (!kInt4) return {line, LoadBytes(weights + kLine)};
  return {__riscv_vsra_vx_i8m2(__riscv_vsll_vx_i8m2(line, 4, kLine), 4, kLine),
          __riscv_vsra_vx_i8m2(line, 4, kLine)};
}

// Adds the products of eight inputs.
template <bool kInt4, size_t kRows>
LATIMER_INLINE void AddLines(FourSums (&sums)[kRows], const int8_t* weights,
                             const int8_t* const (&q)[kRows], size_t input) {
  const TwoLines<kInt4> lines = LoadLines<kInt4>(weights);
#pragma GCC unroll 2
  for (size_t row = 0; row < kRows; ++row) {
    int32_t four[2];
    __builtin_memcpy(four, q[row] + input, sizeof(four));
    Products products =
        __riscv_vwmul_vv_i16m4(lines.first, RepeatFour(four[0]), kLine);
    products = __riscv_vwmacc_vv_i16m4(products, lines.second,
                                       RepeatFour(four[1]), kLine);
    sums[row] = AddWide(sums[row], products);
  }
}

// Writes the first `count` channels of a block to y. Packed sums of int4
// weights are 16 times too large.
template <bool kInt4>
LATIMER_INLINE void StoreRow(ChannelSums sum, const int32_t* weight_sums,
                             const float* scales, const Quantization& row,
                             size_t count, float* y) {
  if constexpr (kInt4) sum = __riscv_vsll_vx_i32m2(sum, 4, kChannels);
  sum = __riscv_vmacc_vx_i32m2(sum, row.zero_point,
                               __riscv_vle32_v_i32m2(weight_sums, kChannels),
                               kChannels);
  if constexpr (kInt4) sum = __riscv_vsra_vx_i32m2(sum, 4, kChannels);
  vfloat32m2_t v = __riscv_vfcvt_f_x_v_f32m2(sum, kChannels);
  v = __riscv_vfmul_vf_f32m2(v, row.scale, kChannels);
  v = __riscv_vfmul_vv_f32m2(v, __riscv_vle32_v_f32m2(scales, kChannels),
                             kChannels);
  v = __riscv_vfadd_vf_f32m2(v, 0.0f, kChannels);  // XNNPACK's bias.
  __riscv_vse32_v_f32m2(y, v, count < kChannels ? count : kChannels);
}

template <bool kInt4, size_t kRows>
LATIMER_INLINE void Multiply(const GemmInt8Args& args) {
  constexpr size_t kStep = kInt4 ? kLine : 2 * kLine;  // Of eight inputs.
  const size_t group = kInt4 ? 2 * kInputs : kInputs;
  const size_t inputs = (args.k + group - 1) / group * group;
  const int8_t* block = static_cast<const int8_t*>(args.weights);
  const auto* quantization =
      static_cast<const Quantization*>(args.quantization);
  const int8_t* q[kRows];
  for (size_t row = 0; row < kRows; ++row) {
    q[row] = args.q + row * args.q_stride;
  }
  for (size_t channel = 0; channel < args.channels; channel += kChannels) {
    FourSums sums[kRows];
#pragma GCC unroll 2
    for (FourSums& sum : sums) sum = ZeroSums();
    const auto* weight_sums = reinterpret_cast<const int32_t*>(block);
    const int8_t* weights = block + kChannels * sizeof(int32_t);
    size_t i = 0;
    for (; i + 8 <= inputs; i += 8, weights += kStep) {
      AddLines<kInt4, kRows>(sums, weights, q, i);
    }
    if (i < inputs) {
      const Bytes line = LoadBytes(weights);
      weights += kLine;
#pragma GCC unroll 2
      for (size_t row = 0; row < kRows; ++row) {
        int32_t four;
        __builtin_memcpy(&four, q[row] + i, sizeof(four));
        sums[row] = AddWide(
            sums[row], __riscv_vwmul_vv_i16m4(line, RepeatFour(four), kLine));
      }
    }
    const auto* scales = reinterpret_cast<const float*>(weights);
#pragma GCC unroll 2
    for (size_t row = 0; row < kRows; ++row) {
      StoreRow<kInt4>(AddFours(sums[row]), weight_sums, scales,
                      quantization[row], args.channels - channel,
                      args.y + row * args.y_stride + channel);
    }
    block = weights + 2 * kChannels * sizeof(float);
  }
}

}  // namespace

void GemmInt8Rows1(const GemmInt8Args& args) { Multiply<false, 1>(args); }
void GemmInt8Rows2(const GemmInt8Args& args) { Multiply<false, 2>(args); }
void GemmInt4Rows1(const GemmInt8Args& args) { Multiply<true, 1>(args); }
void GemmInt4Rows2(const GemmInt8Args& args) { Multiply<true, 2>(args); }

}  // namespace latimer::LATIMER_ISA
