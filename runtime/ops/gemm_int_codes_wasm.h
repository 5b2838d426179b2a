// What gemm_int_codes_isa.h needs of WebAssembly. Relaxed SIMD has an
// instruction for the sums of two products. They are the same everywhere,
// because a code has seven bits at most and no sum exceeds int16.
#ifndef LATIMER_OPS_GEMM_INT_CODES_WASM_H_
#define LATIMER_OPS_GEMM_INT_CODES_WASM_H_

#include <wasm_simd128.h>

#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

// The tile 4x8: two channels with eight inputs of each.
typedef v128_t Bytes;
inline constexpr size_t kInputs = 8;
inline constexpr size_t kVectors = 2;
inline constexpr size_t kChannels = 4;
inline constexpr size_t kLine = 64;
inline constexpr size_t kPrefetchBytes = 0;  // WebAssembly has no prefetching.

struct Quantization {
  int32_t zero_point;
  float scale;
};

LATIMER_INLINE Bytes LoadBytes(const void* p) { return wasm_v128_load(p); }
LATIMER_INLINE Bytes RepeatByte(int8_t byte) { return wasm_i8x16_splat(byte); }
LATIMER_INLINE Bytes RepeatEight(const int8_t* p) {
  return wasm_v128_load64_splat(p);
}
template <int kBits>
LATIMER_INLINE Bytes ShiftLeft(Bytes v) {
  return wasm_i16x8_shl(v, kBits);
}
template <int kBits>
LATIMER_INLINE Bytes ShiftRight(Bytes v) {
  return wasm_u16x8_shr(v, kBits);
}
LATIMER_INLINE Bytes MultiplyPairs(Bytes codes, Bytes inputs) {
#if defined(__wasm_relaxed_simd__)
  return wasm_i16x8_relaxed_dot_i8x16_i7x16(inputs, codes);
#else
  const v128_t even =
      wasm_i16x8_mul(wasm_v128_and(codes, wasm_i16x8_splat(255)),
                     wasm_i16x8_shr(wasm_i16x8_shl(inputs, 8), 8));
  const v128_t odd =
      wasm_i16x8_mul(wasm_u16x8_shr(codes, 8), wasm_i16x8_shr(inputs, 8));
  return wasm_i16x8_add(even, odd);
#endif
}
LATIMER_INLINE Bytes AddShorts(Bytes a, Bytes b) {
  return wasm_i16x8_add(a, b);
}
LATIMER_INLINE void AddPairs(Bytes shorts, Bytes& sums) {
  sums = wasm_i32x4_add(sums, wasm_i32x4_extadd_pairwise_i16x8(shorts));
}

LATIMER_INLINE Bytes SumPairs(Bytes first, Bytes second) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(first, second, 0, 2, 4, 6),
                        wasm_i32x4_shuffle(first, second, 1, 3, 5, 7));
}

template <int kShift>
LATIMER_INLINE void Finish(Bytes sums, const Quantization& row,
                           const int32_t* negative_sums, const float* scales,
                           int32_t added, size_t count, float* y) {
  const v128_t offset = wasm_i32x4_mul(wasm_v128_load(negative_sums),
                                       wasm_i32x4_splat(row.zero_point));
  sums = wasm_i32x4_shl(wasm_i32x4_add(sums, wasm_i32x4_splat(added)), kShift);
  sums = wasm_i32x4_shr(wasm_i32x4_add(sums, offset), kShift);
  v128_t v = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums),
                            wasm_f32x4_splat(row.scale));
  v = wasm_f32x4_mul(v, wasm_v128_load(scales));
  v = wasm_f32x4_add(v, wasm_f32x4_splat(0));  // XNNPACK's bias.
  __builtin_memcpy(y, &v, (count < kChannels ? count : kChannels) * sizeof(*y));
}

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_GEMM_INT_CODES_WASM_H_
