// What the kernels for x86-64 without VNNI share: vectors of AVX2 or SSE4.1,
// and how sums of integers become floats. For gemm_int8_isa.cc and
// gemm_int_codes_isa.cc only.
#ifndef LATIMER_OPS_GEMM_INT8_X86_H_
#define LATIMER_OPS_GEMM_INT8_X86_H_

#include <immintrin.h>  // only functions that are always inlined

#include "ops/simd.h"

#if defined(__AVX2__)
#define LATIMER_X86(operation) _mm256_##operation
#define LATIMER_ZERO _mm256_setzero_si256()
#define LATIMER_XOR _mm256_xor_si256
#define LATIMER_LOAD(p) _mm256_loadu_si256(reinterpret_cast<const Bytes*>(p))
#else
#define LATIMER_X86(operation) _mm_##operation
#define LATIMER_ZERO _mm_setzero_si128()
#define LATIMER_XOR _mm_xor_si128
#define LATIMER_LOAD(p) _mm_loadu_si128(reinterpret_cast<const Bytes*>(p))
#endif

namespace latimer::LATIMER_ISA {

// Bytes: four (AVX2) or two (SSE4.1) channels with eight inputs of each.
#if defined(__AVX2__)
typedef __m256i Bytes;
typedef __m256 Floats;
#else
typedef __m128i Bytes;
typedef __m128 Floats;
#endif

inline constexpr size_t kInputs = 8;  // The tile's kr.
// A block of nr channels has two vectors for every eight inputs.
inline constexpr size_t kVectors = 2;
inline constexpr size_t kChannels = kVectors * sizeof(Bytes) / kInputs;
inline constexpr size_t kLine = 64;
// How far ahead one block at a time prefetches.
inline constexpr size_t kPrefetchBytes = 8192;

struct Quantization {
  int32_t zero_point;
  float scale;
};

// Eight bytes, as often as a vector holds them.
LATIMER_INLINE Bytes RepeatEight(const int8_t* p) {
  long long eight;
  __builtin_memcpy(&eight, p, sizeof(eight));
  return LATIMER_X86(set1_epi64x)(eight);
}

// ---- Of gemm_int_codes_isa.h

LATIMER_INLINE Bytes LoadBytes(const void* p) { return LATIMER_LOAD(p); }
LATIMER_INLINE Bytes RepeatByte(int8_t byte) {
  return LATIMER_X86(set1_epi8)(byte);
}
template <int kBits>
LATIMER_INLINE Bytes ShiftLeft(Bytes v) {
  return LATIMER_X86(slli_epi16)(v, kBits);
}
template <int kBits>
LATIMER_INLINE Bytes ShiftRight(Bytes v) {
  return LATIMER_X86(srli_epi16)(v, kBits);
}
// Sums of two products in int16.
LATIMER_INLINE Bytes MultiplyPairs(Bytes codes, Bytes inputs) {
  return LATIMER_X86(maddubs_epi16)(codes, inputs);
}
LATIMER_INLINE Bytes AddShorts(Bytes a, Bytes b) {
  return LATIMER_X86(add_epi16)(a, b);
}
// Adds sums of two int16 to int32, in the register of those: GCC would move or
// spill them.
LATIMER_INLINE void AddPairs(Bytes shorts, Bytes& sums) {
  const Bytes pairs =
      LATIMER_X86(madd_epi16)(shorts, LATIMER_X86(set1_epi16)(1));
#if defined(__AVX2__)
  asm("vpaddd %1, %0, %0" : "+x"(sums) : "x"(pairs));
#else
  asm("paddd %1, %0" : "+x"(sums) : "x"(pairs));
#endif
}

// ---- Of both

// The sum of each channel, given pairs of partial sums.
LATIMER_INLINE Bytes SumPairs(Bytes first, Bytes second) {
  const Bytes sums = LATIMER_X86(hadd_epi32)(first, second);
#if defined(__AVX2__)
  return _mm256_permute4x64_epi64(sums, 0xD8);  // Pairs 0, 2, 1, 3.
#else
  return sums;
#endif
}

// Writes the first `count` channels of a block to y, given their sums. Those in
// the file, `negative_sums`, are shifted by kShift.
template <int kShift>
LATIMER_INLINE void Finish(Bytes sums, const Quantization& row,
                           const int32_t* negative_sums, const float* scales,
                           int32_t added, size_t count, float* y) {
  const Bytes offset = LATIMER_X86(mullo_epi32)(
      LATIMER_LOAD(negative_sums), LATIMER_X86(set1_epi32)(row.zero_point));
  sums = LATIMER_X86(add_epi32)(sums, LATIMER_X86(set1_epi32)(added));
  if (kShift > 0) sums = LATIMER_X86(slli_epi32)(sums, kShift);
  sums = LATIMER_X86(add_epi32)(sums, offset);
  if (kShift > 0) sums = LATIMER_X86(srai_epi32)(sums, kShift);
  Floats v = LATIMER_X86(mul_ps)(LATIMER_X86(cvtepi32_ps)(sums),
                                 LATIMER_X86(set1_ps)(row.scale));
  v = LATIMER_X86(mul_ps)(v, LATIMER_X86(loadu_ps)(scales));
  v = LATIMER_X86(add_ps)(v, LATIMER_X86(setzero_ps)());  // XNNPACK's bias.
  if (count >= kChannels) {
    __builtin_memcpy(y, &v, sizeof(v));
    return;
  }
  float elements[kChannels];
  __builtin_memcpy(elements, &v, sizeof(v));
  __builtin_memcpy(y, elements, count * sizeof(float));
}

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_GEMM_INT8_X86_H_
