// How the int8 kernels for ARM end: sums of integers become floats.
#ifndef LATIMER_OPS_GEMM_INT8_NEON_H_
#define LATIMER_OPS_GEMM_INT8_NEON_H_

#include <arm_neon.h>  // only functions that are always inlined

#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

struct Quantization {
  int32_t zero_point;
  float scale;
};

// Writes the first `count` channels of a block to y, given their sums.
template <size_t kVectors>
LATIMER_INLINE void StoreRow(const int32x4_t (&sums)[kVectors],
                             const int32_t* weight_sums, const float* scales,
                             const Quantization& row, size_t count, float* y) {
  float32x4_t v[kVectors];
#pragma GCC unroll 4
  for (size_t i = 0; i < kVectors; ++i) {
    const int32x4_t sum =
        vmlaq_n_s32(sums[i], vld1q_s32(weight_sums + 4 * i), row.zero_point);
    v[i] = vmulq_n_f32(vcvtq_f32_s32(sum), row.scale);
    v[i] = vmulq_f32(v[i], vld1q_f32(scales + 4 * i));
    v[i] = vaddq_f32(v[i], vdupq_n_f32(0));  // XNNPACK's bias.
  }
  if (count >= 4 * kVectors) {
#pragma GCC unroll 4
    for (size_t i = 0; i < kVectors; ++i) vst1q_f32(y + 4 * i, v[i]);
  } else {
    __builtin_memcpy(y, v, count * sizeof(float));
  }
}

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_GEMM_INT8_NEON_H_
