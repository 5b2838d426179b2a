// Sums of products of nibbles and bytes for one instruction set, for
// dot_isa.cc.
//
// Sums holds the sums of a block's 16 channels for one row of activations.
// AddGroup adds the products of 32 inputs for kRows rows at once, so that
// nibbles are unpacked only once. Store writes int32 [16]. From
// kFewestWholeRows on, AddWholeGroup multiplies whole bytes, each a high and a
// low nibble plus kWholeOffset, which takes half as many products; with
// kWholeLacksNegatives its sums lack the product's `negatives`.
#ifndef LATIMER_OPS_NIBBLE_SUMS_ISA_H_
#define LATIMER_OPS_NIBBLE_SUMS_ISA_H_

#include <stddef.h>
#include <stdint.h>

#include "ops/nibble/planes.h"
#if defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include "base/neon.h"
#elif defined(__riscv_v_fixed_vlen)
#include "base/rvv.h"
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define LATIMER_INLINE [[gnu::always_inline]] inline

namespace latimer::LATIMER_ISA::nibble {
namespace {

// A line has eight inputs of each channel. A group is as many lines as int16
// can sum up: 32 inputs.
constexpr size_t kLine = 64;
constexpr size_t kLines = kNibbleInputs / 8;
constexpr size_t kGroup = kLines * kLine;

LATIMER_INLINE int32_t LoadInt32(const int8_t* p) {
  int32_t value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}

// kMostRows, kMostWholeRows: the most rows whose sums fit into registers.
#if defined(__AVX512VNNI__)

constexpr size_t kMostRows = 4;
constexpr size_t kFewestWholeRows = 1;
constexpr size_t kMostWholeRows = 8;
constexpr size_t kWholeBlocks = 2;
constexpr int32_t kWholeOffset = 0;
constexpr bool kWholeLacksNegatives = false;
// Each addition waits for the one before: few rows need four sums each, with
// many rows there are enough.
struct Sums {
  __m512i part[4];
};
LATIMER_INLINE Sums Zero() {
  const __m512i zero = _mm512_setzero_si512();
  return {{zero, zero, zero, zero}};
}
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  const __m512i mask = _mm512_set1_epi8(15);
  for (size_t i = 0; i < kLines; ++i, input += 8) {
    const __m512i nibbles = _mm512_loadu_si512(w + i * kLine);
    const __m512i low = nibbles & mask;
    const __m512i high = _mm512_srli_epi16(nibbles, 4) & mask;
    for (size_t row = 0; row < kRows; ++row) {
      const int8_t* x = q[row] + input;
      __m512i* part = sums[row].part + (kRows <= 2 ? i % 2 * 2 : 0);
      part[0] =
          _mm512_dpbusd_epi32(part[0], low, _mm512_set1_epi32(LoadInt32(x)));
      part[1] = _mm512_dpbusd_epi32(part[1], high,
                                    _mm512_set1_epi32(LoadInt32(x + 4)));
    }
  }
}
template <size_t kRows, size_t kBlocks>
LATIMER_INLINE void AddWholeGroup(Sums (&sums)[kBlocks][kRows],
                                  const uint8_t* const (&high)[kBlocks],
                                  const uint8_t* const (&low)[kBlocks],
                                  const int8_t* const (&q)[kRows],
                                  size_t input) {
  const __m512i mask = _mm512_set1_epi8(15);
  // For each bit: mask ? b : a.
  constexpr int kSelect = 0xD8;
#pragma GCC unroll 2
  for (size_t i = 0; i < kLines; ++i, input += 8) {
    __m512i first[kBlocks], second[kBlocks];
#pragma GCC unroll 2
    for (size_t block = 0; block < kBlocks; ++block) {
      const __m512i h = _mm512_loadu_si512(high[block] + i * kLine);
      const __m512i l = _mm512_loadu_si512(low[block] + i * kLine);
      first[block] =
          _mm512_ternarylogic_epi32(_mm512_slli_epi16(h, 4), l, mask, kSelect);
      second[block] =
          _mm512_ternarylogic_epi32(h, _mm512_srli_epi16(l, 4), mask, kSelect);
    }
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
      const int8_t* x = q[row] + input;
      const __m512i x0 = _mm512_set1_epi32(LoadInt32(x));
      const __m512i x1 = _mm512_set1_epi32(LoadInt32(x + 4));
      constexpr size_t kNext = kRows <= 4 ? 1 : 0;
#pragma GCC unroll 2
      for (size_t block = 0; block < kBlocks; ++block) {
        __m512i* part = sums[block][row].part + (kRows <= 2 ? i % 2 * 2 : 0);
        part[0] = _mm512_dpbusd_epi32(part[0], first[block], x0);
        part[kNext] = _mm512_dpbusd_epi32(part[kNext], second[block], x1);
      }
    }
  }
}
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  const __m512i* part = sums.part;
  _mm512_storeu_si512(out,
                      _mm512_add_epi32(_mm512_add_epi32(part[0], part[1]),
                                       _mm512_add_epi32(part[2], part[3])));
}

#elif defined(__SSE4_1__)

// kTogether: vectors of a line whose sums, of all rows, fit into registers.
#if defined(__AVX2__)
#define LATIMER_X86(operation) _mm256_##operation
typedef __m256i Bytes;
constexpr size_t kMostRows = 2;
constexpr size_t kTogether = 2;
constexpr size_t kFewestWholeRows = 4;
constexpr size_t kMostWholeRows = 4;
#else
#define LATIMER_X86(operation) _mm_##operation
typedef __m128i Bytes;
constexpr size_t kMostRows = 4;
constexpr size_t kTogether = 1;
#endif
// The vectors of a line.
constexpr size_t kVectors = kLine / sizeof(Bytes);
struct Sums {
  Bytes vector[kVectors];
};
LATIMER_INLINE Sums Zero() { return {}; }
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  const Bytes mask = LATIMER_X86(set1_epi8)(15);
  const Bytes one = LATIMER_X86(set1_epi16)(1);
#pragma GCC unroll 4
  for (size_t first = 0; first < kVectors; first += kTogether) {
    // Eight of 2 * 15 * 128 fit int16.
    Bytes pairs[kRows][kTogether] = {};
#pragma GCC unroll 4
    for (size_t i = 0; i < kLines; ++i) {
      Bytes low[kTogether], high[kTogether];
#pragma GCC unroll 2
      for (size_t v = 0; v < kTogether; ++v) {
        Bytes nibbles;
        __builtin_memcpy(&nibbles, w + i * kLine + (first + v) * sizeof(Bytes),
                         sizeof(Bytes));
        low[v] = nibbles & mask;
        high[v] = LATIMER_X86(srli_epi16)(nibbles, 4) & mask;
      }
#pragma GCC unroll 4
      for (size_t row = 0; row < kRows; ++row) {
        const int8_t* x = q[row] + input + 8 * i;
        const Bytes x0 = LATIMER_X86(set1_epi32)(LoadInt32(x));
        const Bytes x1 = LATIMER_X86(set1_epi32)(LoadInt32(x + 4));
#pragma GCC unroll 2
        for (size_t v = 0; v < kTogether; ++v) {
          const Bytes products =
              LATIMER_X86(add_epi16)(LATIMER_X86(maddubs_epi16)(low[v], x0),
                                     LATIMER_X86(maddubs_epi16)(high[v], x1));
          Bytes& sum = pairs[row][v];
          sum = LATIMER_X86(add_epi16)(sum, products);
          // Keeps GCC from loading and multiplying everything first.
          asm("" : "+x"(sum));
        }
      }
    }
#pragma GCC unroll 4
    for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
      for (size_t v = 0; v < kTogether; ++v) {
        Bytes& sum = sums[row].vector[first + v];
        sum = LATIMER_X86(add_epi32)(
            sum, LATIMER_X86(madd_epi16)(pairs[row][v], one));
      }
    }
  }
}

#if defined(__AVX2__)
constexpr size_t kWholeBlocks = 1;
constexpr int32_t kWholeOffset = -128;
constexpr bool kWholeLacksNegatives = true;
// The identities of ops/gemm_int8_isa.cc: |x| * w, or |x| * ~w + |x|.
template <size_t kRows>
LATIMER_INLINE void AddWholeGroup(Sums (&sums)[1][kRows],
                                  const uint8_t* const (&high)[1],
                                  const uint8_t* const (&low)[1],
                                  const int8_t* const (&q)[kRows],
                                  size_t input) {
  const Bytes mask = LATIMER_X86(set1_epi8)(15);
  const Bytes offset = LATIMER_X86(set1_epi8)(-128);
  const Bytes one = LATIMER_X86(set1_epi16)(1);
  for (size_t i = 0; i < kLines; ++i, input += 8) {
    const auto add = [&](const Bytes(&w)[kVectors], size_t from)
        __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (size_t row = 0; row < kRows; ++row) {
        const Bytes x =
            LATIMER_X86(set1_epi32)(LoadInt32(q[row] + input + from));
        const Bytes magnitude = LATIMER_X86(abs_epi8)(x);
        const Bytes sign = LATIMER_X86(cmpgt_epi8)(Bytes{}, x);
#pragma GCC unroll 4
        for (size_t v = 0; v < kVectors; ++v) {
          const Bytes products = LATIMER_X86(madd_epi16)(
              LATIMER_X86(maddubs_epi16)(magnitude, w[v] ^ sign), one);
          Bytes& sum = sums[0][row].vector[v];
          sum = LATIMER_X86(add_epi32)(products, sum);
          asm("" : "+x"(sum));  // As above.
        }
      }
    };
    Bytes h[kVectors], l[kVectors], w[kVectors];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = i * kLine + v * sizeof(Bytes);
      __builtin_memcpy(&h[v], high[0] + at, sizeof(Bytes));
      __builtin_memcpy(&l[v], low[0] + at, sizeof(Bytes));
      const Bytes shifted = LATIMER_X86(slli_epi16)(h[v], 4);
      w[v] = (((shifted ^ l[v]) & mask) ^ shifted) ^ offset;
    }
    add(w, 0);
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      const Bytes shifted = LATIMER_X86(srli_epi16)(l[v], 4);
      w[v] = (((shifted ^ h[v]) & mask) ^ h[v]) ^ offset;
    }
    add(w, 4);
  }
}
#endif
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  for (const Bytes& sum : sums.vector) {
    __builtin_memcpy(out, &sum, sizeof(sum));
    out += sizeof(sum) / sizeof(*out);
  }
}

#elif defined(__ARM_FEATURE_DOTPROD)

constexpr size_t kMostRows = 4;
constexpr size_t kFewestWholeRows = 1;
constexpr size_t kMostWholeRows = 4;
constexpr size_t kWholeBlocks = 1;
constexpr int32_t kWholeOffset = -128;
constexpr bool kWholeLacksNegatives = false;
struct Sums {
  int32x4_t quad[4];
};
LATIMER_INLINE Sums Zero() {
  const int32x4_t zero = vdupq_n_s32(0);
  return {{zero, zero, zero, zero}};
}
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  const uint8x16_t mask = vdupq_n_u8(15);
  for (size_t i = 0; i < kLines; ++i, input += 8) {
    int8x8_t x[kRows];
    for (size_t row = 0; row < kRows; ++row) x[row] = vld1_s8(q[row] + input);
    for (size_t h = 0; h < 4; ++h) {
      const uint8x16_t nibbles = vld1q_u8(w + i * kLine + 16 * h);
      const int8x16_t low = vreinterpretq_s8_u8(vandq_u8(nibbles, mask));
      const int8x16_t high = vreinterpretq_s8_u8(vshrq_n_u8(nibbles, 4));
      for (size_t row = 0; row < kRows; ++row) {
        int32x4_t& sum = sums[row].quad[h];
        sum = vdotq_lane_s32(sum, low, x[row], 0);
        sum = vdotq_lane_s32(sum, high, x[row], 1);
      }
    }
  }
}
template <size_t kRows>
LATIMER_INLINE void AddWholeGroup(Sums (&sums)[1][kRows],
                                  const uint8_t* const (&high)[1],
                                  const uint8_t* const (&low)[1],
                                  const int8_t* const (&q)[kRows],
                                  size_t input) {
  const uint8x16_t offset = vdupq_n_u8(128);
  for (size_t i = 0; i < kLines; ++i, input += 8) {
    int8x8_t x[kRows];
    for (size_t row = 0; row < kRows; ++row) x[row] = vld1_s8(q[row] + input);
    for (size_t part = 0; part < 4; ++part) {
      const uint8x16_t h = vld1q_u8(high[0] + i * kLine + 16 * part);
      const uint8x16_t l = vld1q_u8(low[0] + i * kLine + 16 * part);
      const int8x16_t first =
          vreinterpretq_s8_u8(veorq_u8(vsliq_n_u8(l, h, 4), offset));
      const int8x16_t second =
          vreinterpretq_s8_u8(veorq_u8(vsriq_n_u8(h, l, 4), offset));
      for (size_t row = 0; row < kRows; ++row) {
        int32x4_t& sum = sums[0][row].quad[part];
        sum = vdotq_lane_s32(sum, first, x[row], 0);
        sum = vdotq_lane_s32(sum, second, x[row], 1);
      }
    }
  }
}
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  for (size_t h = 0; h < 4; ++h) vst1q_s32(out + 4 * h, sums.quad[h]);
}

#elif defined(__ARM_NEON)

constexpr size_t kMostRows = 1;
// Two sums of each channel, side by side.
struct Sums {
  int32x4_t pair[8];
};
LATIMER_INLINE Sums Zero() {
  Sums sums;
  for (int32x4_t& pair : sums.pair) pair = vdupq_n_s32(0);
  return sums;
}
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  static_assert(kRows == 1);
  const uint8x16_t mask = vdupq_n_u8(15);
  Eight x[2 * kLines];
  for (size_t i = 0; i < 2 * kLines; ++i) {
    x[i] = RepeatFour(LoadInt32(q[0] + input + 4 * i));
  }
  for (size_t h = 0; h < 4; ++h) {
    // Eight of 15 * 128 fit int16.
    int16x8_t products[2] = {vdupq_n_s16(0), vdupq_n_s16(0)};
    for (size_t i = 0; i < kLines; ++i) {
      const uint8x16_t nibbles = vld1q_u8(w + i * kLine + 16 * h);
      const int8x16_t low = vreinterpretq_s8_u8(vandq_u8(nibbles, mask));
      const int8x16_t high = vreinterpretq_s8_u8(vshrq_n_u8(nibbles, 4));
      MultiplyAdd(low, x[2 * i], products);
      MultiplyAdd(high, x[2 * i + 1], products);
    }
    int32x4_t* pair = sums[0].pair + 2 * h;
    pair[0] = vpadalq_s16(pair[0], products[0]);
    pair[1] = vpadalq_s16(pair[1], products[1]);
  }
}
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  for (size_t i = 0; i < 8; ++i) {
    const int32x4_t pair = sums.pair[i];
    vst1_s32(out + 2 * i, vpadd_s32(vget_low_s32(pair), vget_high_s32(pair)));
  }
}

#elif defined(__riscv_v_fixed_vlen)

constexpr size_t kMostRows = 2;
struct Sums {
  FourSums four;
};
LATIMER_INLINE Sums Zero() { return {ZeroSums()}; }
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  static_assert(kLine == kVectorBytes);
  // Eight of 15 * 128 fit int16.
  Products products[kRows];
#pragma GCC unroll 4
  for (size_t i = 0; i < kLines; ++i) {
    const UnsignedBytes nibbles =
        __riscv_vle8_v_u8m2(w + i * kLine, kVectorBytes);
    const UnsignedBytes low = __riscv_vand_vx_u8m2(nibbles, 15, kVectorBytes);
    const UnsignedBytes high = __riscv_vsrl_vx_u8m2(nibbles, 4, kVectorBytes);
#pragma GCC unroll 2
    for (size_t row = 0; row < kRows; ++row) {
      const int8_t* x = q[row] + input + 8 * i;
      const Bytes x0 = RepeatFour(LoadInt32(x));
      const Bytes x1 = RepeatFour(LoadInt32(x + 4));
      Products& sum = products[row];
      sum = i == 0 ? __riscv_vwmulsu_vv_i16m4(x0, low, kVectorBytes)
                   : __riscv_vwmaccsu_vv_i16m4(sum, x0, low, kVectorBytes);
      sum = __riscv_vwmaccsu_vv_i16m4(sum, x1, high, kVectorBytes);
    }
  }
#pragma GCC unroll 2
  for (size_t row = 0; row < kRows; ++row) {
    sums[row].four = AddWide(sums[row].four, products[row]);
  }
}
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  __riscv_vse32_v_i32m2(out, AddFours(sums.four), kVectorChannels);
}

#elif defined(__wasm_relaxed_simd__)

constexpr size_t kMostRows = 2;
struct Sums {
  v128_t quad[4];
};
LATIMER_INLINE Sums Zero() { return {}; }
// The relaxed product of bytes, eight sums of two, is the same everywhere if
// the second factor has no sign bit and no sum exceeds int16. A nibble has
// none, and eight times two products fit: 16 * 128 * 15.
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  static_assert(2 * kLines * 2 * 128 * 15 <= INT16_MAX);
  const v128_t mask = wasm_i8x16_splat(15);
  v128_t pairs[kRows][4] = {};
#pragma GCC unroll 4
  for (size_t i = 0; i < kLines; ++i, input += 8) {
#pragma GCC unroll 4
    for (size_t h = 0; h < 4; ++h) {
      const v128_t nibbles = wasm_v128_load(w + i * kLine + 16 * h);
      const v128_t low = wasm_v128_and(nibbles, mask);
      const v128_t high = wasm_v128_and(wasm_u16x8_shr(nibbles, 4), mask);
#pragma GCC unroll 2
      for (size_t row = 0; row < kRows; ++row) {
        const int8_t* x = q[row] + input;
        const v128_t products = wasm_i16x8_add(
            wasm_i16x8_relaxed_dot_i8x16_i7x16(wasm_v128_load32_splat(x), low),
            wasm_i16x8_relaxed_dot_i8x16_i7x16(wasm_v128_load32_splat(x + 4),
                                               high));
        pairs[row][h] = wasm_i16x8_add(pairs[row][h], products);
      }
    }
  }
#pragma GCC unroll 2
  for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (size_t h = 0; h < 4; ++h) {
      sums[row].quad[h] = wasm_i32x4_add(
          sums[row].quad[h], wasm_i32x4_extadd_pairwise_i16x8(pairs[row][h]));
    }
  }
}
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  for (size_t h = 0; h < 4; ++h) wasm_v128_store(out + 4 * h, sums.quad[h]);
}

#elif defined(__wasm_simd128__)

constexpr size_t kMostRows = 2;
struct Sums {
  v128_t quad[4];
};
LATIMER_INLINE Sums Zero() { return {}; }
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  // Each int16 has four nibbles: of inputs 0, 4, 1 and 5, or 2, 6, 3 and 7.
  const v128_t mask = wasm_i16x8_splat(15);
  for (size_t i = 0; i < kLines; ++i, input += 8) {
    v128_t x[kRows][4];
#pragma GCC unroll 2
    for (size_t row = 0; row < kRows; ++row) {
      const v128_t eight = wasm_i16x8_load8x8(q[row] + input);
      x[row][0] = wasm_i16x8_shuffle(eight, eight, 0, 2, 0, 2, 0, 2, 0, 2);
      x[row][1] = wasm_i16x8_shuffle(eight, eight, 4, 6, 4, 6, 4, 6, 4, 6);
      x[row][2] = wasm_i16x8_shuffle(eight, eight, 1, 3, 1, 3, 1, 3, 1, 3);
      x[row][3] = wasm_i16x8_shuffle(eight, eight, 5, 7, 5, 7, 5, 7, 5, 7);
    }
#pragma GCC unroll 4
    for (size_t h = 0; h < 4; ++h) {
      const v128_t nibbles = wasm_v128_load(w + i * kLine + 16 * h);
      const v128_t of_inputs[] = {
          wasm_v128_and(nibbles, mask),
          wasm_v128_and(wasm_u16x8_shr(nibbles, 4), mask),
          wasm_v128_and(wasm_u16x8_shr(nibbles, 8), mask),
          wasm_u16x8_shr(nibbles, 12)};
#pragma GCC unroll 2
      for (size_t row = 0; row < kRows; ++row) {
        v128_t& sum = sums[row].quad[h];
#pragma GCC unroll 4
        for (size_t n = 0; n < 4; ++n) {
          sum = wasm_i32x4_add(sum,
                               wasm_i32x4_dot_i16x8(of_inputs[n], x[row][n]));
        }
      }
    }
  }
}
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  for (size_t h = 0; h < 4; ++h) wasm_v128_store(out + 4 * h, sums.quad[h]);
}

#else

constexpr size_t kMostRows = 1;
struct Sums {
  int32_t sum[kNibbleBlockRows];
};
LATIMER_INLINE Sums Zero() { return {}; }
template <size_t kRows>
LATIMER_INLINE void AddGroup(Sums (&sums)[kRows], const uint8_t* w,
                             const int8_t* const (&q)[kRows], size_t input) {
  static_assert(kRows == 1);
  for (size_t i = 0; i < kGroup; ++i) {
    const int8_t* x = q[0] + input + i / kLine * 8 + i % 4;
    sums[0].sum[i % kLine / 4] += (w[i] & 15) * x[0] + (w[i] >> 4) * x[4];
  }
}
LATIMER_INLINE void Store(const Sums& sums, int32_t* out) {
  for (size_t i = 0; i < kNibbleBlockRows; ++i) out[i] = sums.sum[i];
}

#endif

#if !defined(__AVX2__) && !defined(__ARM_FEATURE_DOTPROD)

constexpr size_t kFewestWholeRows = SIZE_MAX;
constexpr size_t kMostWholeRows = 0;
constexpr size_t kWholeBlocks = 1;
constexpr int32_t kWholeOffset = 0;
constexpr bool kWholeLacksNegatives = false;
template <size_t kRows>
void AddWholeGroup(Sums (&)[1][kRows], const uint8_t* const (&)[1],
                   const uint8_t* const (&)[1], const int8_t* const (&)[kRows],
                   size_t) = delete;

#endif

}  // namespace
}  // namespace latimer::LATIMER_ISA::nibble

#endif  // LATIMER_OPS_NIBBLE_SUMS_ISA_H_
