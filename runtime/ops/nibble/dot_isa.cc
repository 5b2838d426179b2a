// Products of nibbles and bytes; ops/nibble/planes.h says what of.
//
// Each instruction set has a Sum of int32 lanes, what adds the products of 64
// bytes of nibbles to it, and what reduces four of them. The rest is common.
#include <stddef.h>
#include <stdint.h>

#include "ops/nibble/planes.h"
#if defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define LATIMER_INLINE [[gnu::always_inline]] inline
#define LATIMER_STRING_OF(x) #x
#define LATIMER_STRING(x) LATIMER_STRING_OF(x)

namespace latimer::LATIMER_ISA {
namespace {

// Bytes of nibbles that are taken at a time, and inputs in half of them.
constexpr size_t kChunk = 64;
// How far ahead of the reading the memory is asked for. The rows are read once
// per token, and the hardware alone reaches half of the bandwidth: of 0 to 32
// KiB this was among the best on x86-64, in the cache and out of it.
constexpr size_t kPrefetchBytes = 8192;

#if defined(__AVX512VNNI__)

using Sum = __m512i;
LATIMER_INLINE Sum Zero() { return _mm512_setzero_si512(); }
LATIMER_INLINE Sum Add(Sum sum, const uint8_t* w, const int8_t* q) {
  const __m512i mask = _mm512_set1_epi8(15);
  const __m512i nibbles = _mm512_loadu_si512(w);
  sum = _mm512_dpbusd_epi32(sum, _mm512_and_si512(nibbles, mask),
                            _mm512_loadu_si512(q));
  return _mm512_dpbusd_epi32(
      sum, _mm512_and_si512(_mm512_srli_epi16(nibbles, 4), mask),
      _mm512_loadu_si512(q + kChunk));
}
// Not by intrinsics, for which GCC 12 gives false warnings.
LATIMER_INLINE __m256i Total(Sum sum) {
  typedef int32_t I32x16 __attribute__((vector_size(64)));
  const I32x16 v = (I32x16)sum;
  return (__m256i)(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                   __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}

#elif defined(__AVX2__)

using Sum = __m256i;
LATIMER_INLINE Sum Zero() { return _mm256_setzero_si256(); }
LATIMER_INLINE __m256i Total(Sum sum) { return sum; }
LATIMER_INLINE __m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

LATIMER_INLINE Sum Add(Sum sum, const uint8_t* w, const int8_t* q) {
  const __m256i mask = _mm256_set1_epi8(15);
  __m256i pairs = _mm256_setzero_si256();  // Four of 2 * 15 * 128 fit int16.
  for (size_t i = 0; i < kChunk; i += 32) {
    const __m256i nibbles = Load(w + i);
    const __m256i low = _mm256_and_si256(nibbles, mask);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(nibbles, 4), mask);
    pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(low, Load(q + i)));
    pairs = _mm256_add_epi16(pairs,
                             _mm256_maddubs_epi16(high, Load(q + kChunk + i)));
  }
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

#elif defined(__SSE4_1__)

using Sum = __m128i;
LATIMER_INLINE Sum Zero() { return _mm_setzero_si128(); }
LATIMER_INLINE __m128i Load(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
LATIMER_INLINE Sum Add(Sum sum, const uint8_t* w, const int8_t* q) {
  const __m128i mask = _mm_set1_epi8(15);
  __m128i pairs = _mm_setzero_si128();  // Eight of 2 * 15 * 128 fit int16.
  for (size_t i = 0; i < kChunk; i += 16) {
    const __m128i nibbles = Load(w + i);
    const __m128i low = _mm_and_si128(nibbles, mask);
    const __m128i high = _mm_and_si128(_mm_srli_epi16(nibbles, 4), mask);
    pairs = _mm_add_epi16(pairs, _mm_maddubs_epi16(low, Load(q + i)));
    pairs = _mm_add_epi16(pairs, _mm_maddubs_epi16(high, Load(q + kChunk + i)));
  }
  return _mm_add_epi32(sum, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
}
LATIMER_INLINE void Reduce(Sum a, Sum b, Sum c, Sum d, int32_t* out) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                   _mm_hadd_epi32(_mm_hadd_epi32(a, b), _mm_hadd_epi32(c, d)));
}

#elif defined(__ARM_NEON)

using Sum = int32x4_t;
LATIMER_INLINE Sum Zero() { return vdupq_n_s32(0); }
#if defined(__ARM_FEATURE_DOTPROD)
LATIMER_INLINE Sum Add(Sum sum, const uint8_t* w, const int8_t* q) {
  Sum other = Zero();
  for (size_t i = 0; i < kChunk; i += 16) {
    const uint8x16_t nibbles = vld1q_u8(w + i);
    const uint8x16_t low = vandq_u8(nibbles, vdupq_n_u8(15));
    const uint8x16_t high = vshrq_n_u8(nibbles, 4);
    sum = vdotq_s32(sum, vreinterpretq_s8_u8(low), vld1q_s8(q + i));
    other =
        vdotq_s32(other, vreinterpretq_s8_u8(high), vld1q_s8(q + kChunk + i));
  }
  return vaddq_s32(sum, other);
}
#else
// sums += nibbles * q, lane by lane and both halves.
LATIMER_INLINE int16x8_t Multiply(int16x8_t sums, uint8x16_t nibbles,
                                  const int8_t* q) {
  const int8x16_t w = vreinterpretq_s8_u8(nibbles);
  const int8x16_t x = vld1q_s8(q);
  sums = vmlal_s8(sums, vget_low_s8(w), vget_low_s8(x));
  return vmlal_s8(sums, vget_high_s8(w), vget_high_s8(x));
}
LATIMER_INLINE Sum Add(Sum sum, const uint8_t* w, const int8_t* q) {
  int16x8_t sums = vdupq_n_s16(0);  // Sixteen of 15 * 128 fit.
  for (size_t i = 0; i < kChunk; i += 16) {
    const uint8x16_t nibbles = vld1q_u8(w + i);
    sums = Multiply(sums, vandq_u8(nibbles, vdupq_n_u8(15)), q + i);
    sums = Multiply(sums, vshrq_n_u8(nibbles, 4), q + kChunk + i);
  }
  return vpadalq_s16(sum, sums);
}
#endif
LATIMER_INLINE int32x2_t Halve(Sum sum) {
  return vpadd_s32(vget_low_s32(sum), vget_high_s32(sum));
}
LATIMER_INLINE void Reduce(Sum a, Sum b, Sum c, Sum d, int32_t* out) {
  vst1q_s32(out, vcombine_s32(vpadd_s32(Halve(a), Halve(b)),
                              vpadd_s32(Halve(c), Halve(d))));
}

#else

using Sum = int32_t;
LATIMER_INLINE Sum Zero() { return 0; }
LATIMER_INLINE Sum Add(Sum sum, const uint8_t* w, const int8_t* q) {
  for (size_t i = 0; i < kChunk; ++i) {
    sum += (w[i] & 15) * q[i] + (w[i] >> 4) * q[kChunk + i];
  }
  return sum;
}
LATIMER_INLINE void Reduce(Sum a, Sum b, Sum c, Sum d, int32_t* out) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

#endif

#if defined(__AVX2__)
LATIMER_INLINE void Reduce(Sum a, Sum b, Sum c, Sum d, int32_t* out) {
  const __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(Total(a), Total(b)),
                                      _mm256_hadd_epi32(Total(c), Total(d)));
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(out),
      _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)));
}
#endif

constexpr size_t kRows = kNibbleBlockRows;

// What stands behind the nibbles of a block.
struct Constants {
  float scale[kRows];
  float norm[kRows];
  int32_t high_sum[kRows];
  int32_t low_sum[kRows];
};
static_assert(sizeof(Constants) == kNibbleConstantBytes);

LATIMER_INLINE size_t BlockBytes(const NibbleProduct& p) {
  return kRows * p.k / 2 + kNibbleConstantBytes;
}
LATIMER_INLINE const Constants& ConstantsOf(const NibbleProduct& p,
                                            const uint8_t* block) {
  return *reinterpret_cast<const Constants*>(block + kRows * p.k / 2);
}

// out[i] = row i times q, of the 16 rows of nibbles that begin at `rows`.
LATIMER_INLINE void DotBlock(const NibbleProduct& p, const uint8_t* rows,
                             int32_t (&out)[kRows]) {
  const size_t bytes = p.k / 2;
  for (size_t row = 0; row < kRows; row += 4) {
    Sum a = Zero(), b = Zero(), c = Zero(), d = Zero();
    for (size_t i = 0; i < bytes; i += kChunk) {
      const int8_t* q = p.q + 2 * i;
      for (size_t r = 0; r < 4; ++r) {
        __builtin_prefetch(rows + r * bytes + i + kPrefetchBytes);
      }
      a = Add(a, rows + i, q);
      b = Add(b, rows + bytes + i, q);
      c = Add(c, rows + 2 * bytes + i, q);
      d = Add(d, rows + 3 * bytes + i, q);
    }
    Reduce(a, b, c, d, out + row);
    rows += 4 * bytes;
  }
}

// dot - zero_point * sum_of_weights. A file that lies about its sums may
// overflow, which wraps.
LATIMER_INLINE int32_t WithoutZeroPoint(const NibbleProduct& p, int32_t dot,
                                        int32_t sum_of_weights) {
  return static_cast<int32_t>(static_cast<uint32_t>(dot) -
                              static_cast<uint32_t>(p.zero_point) *
                                  static_cast<uint32_t>(sum_of_weights));
}

// 16 * high + low - 128 * sum of x: what GemmInt8 sums up.
LATIMER_INLINE int32_t Sum8(const NibbleProduct& p, int32_t high, int32_t low) {
  return static_cast<int32_t>(16 * static_cast<uint32_t>(high) +
                              static_cast<uint32_t>(low) -
                              128 * static_cast<uint32_t>(p.sum));
}

// GemmInt8's operations, whose bias is zero, and those of add(). All of them
// rise with `sum`, for the scales are not negative.
LATIMER_INLINE float Finish(const NibbleProduct& p, float sum, float scale,
                            float bias) {
  const float product = sum * p.scale * scale + 0.0f;
  return p.bias == nullptr ? product : product + bias;
}

alignas(64) constexpr float kZeros[kRows] = {};

// The biases of a block: where they lie, or a copy with zeros behind the end.
LATIMER_INLINE const float* BiasOf(const NibbleProduct& p, size_t channel,
                                   float (&copy)[kRows]) {
  if (p.bias == nullptr) return kZeros;
  if (channel + kRows <= p.n) return p.bias + channel;
  for (size_t i = 0; i < kRows; ++i) {
    copy[i] = channel + i < p.n ? p.bias[channel + i] : 0;
  }
  return copy;
}

float Bound(const NibbleProduct& p, size_t begin, size_t end, float* upper) {
  // 16 high + low - 128 sum(x), low being at most 7.5 sum(x) + the norms'
  // product. The sum of integers is at most 2^15 k, the norms' product below
  // 2^11 k, so rounding them and their sum to floats takes away less than
  // 2.2 * 2^-9 k; k / 64 more makes it a bound again.
  const uint32_t offset = 120 * static_cast<uint32_t>(p.sum);
  const float rest =
      static_cast<float>(p.k) / 64 - 0.5f * static_cast<float>(p.sum);
  float max[kRows];
  for (float& m : max) m = -__builtin_inff();
  for (size_t block = begin; block < end; ++block, upper += kRows) {
    const uint8_t* rows = p.blocks + block * BlockBytes(p);
    const Constants& constants = ConstantsOf(p, rows);
    int32_t dot[kRows];
    DotBlock(p, rows, dot);
    float copy[kRows];
    const float* bias = BiasOf(p, block * kRows, copy);
    for (size_t i = 0; i < kRows; ++i) {
      const int32_t high = WithoutZeroPoint(p, dot[i], constants.high_sum[i]);
      const auto least =
          static_cast<int32_t>(16 * static_cast<uint32_t>(high) - offset);
      const float sum =
          static_cast<float>(least) + (constants.norm[i] * p.norm + rest);
      upper[i] = Finish(p, sum, constants.scale[i], bias[i]);
    }
    for (size_t i = p.n - block * kRows; i < kRows; ++i) {
      upper[i] = -__builtin_inff();
    }
    for (size_t i = 0; i < kRows; ++i) {
      max[i] = upper[i] > max[i] ? upper[i] : max[i];
    }
  }
  float most = max[0];
  for (size_t i = 1; i < kRows; ++i) most = max[i] > most ? max[i] : most;
  return most;
}

void Compute(const NibbleProduct& p, size_t begin, size_t end, float* logits) {
  for (size_t block = begin; block < end; ++block, logits += kRows) {
    const uint8_t* rows = p.blocks + block * BlockBytes(p);
    const Constants& constants = ConstantsOf(p, rows);
    int32_t high[kRows], low[kRows];
    DotBlock(p, rows, high);
    DotBlock(p, p.low + block * kRows * p.k / 2, low);
    float copy[kRows];
    const float* bias = BiasOf(p, block * kRows, copy);
    for (size_t i = 0; i < kRows; ++i) {
      const int32_t sum =
          Sum8(p, WithoutZeroPoint(p, high[i], constants.high_sum[i]),
               WithoutZeroPoint(p, low[i], constants.low_sum[i]));
      logits[i] =
          Finish(p, static_cast<float>(sum), constants.scale[i], bias[i]);
    }
  }
}

float ComputeOne(const NibbleProduct& p, size_t channel) {
  const size_t bytes = p.k / 2;
  const size_t lane = channel % kRows;
  const uint8_t* block = p.blocks + channel / kRows * BlockBytes(p);
  const Constants& constants = ConstantsOf(p, block);
  const uint8_t* high = block + lane * bytes;
  const uint8_t* low = p.low + channel * bytes;
  Sum h = Zero(), l = Zero();
  for (size_t i = 0; i < bytes; i += kChunk) {
    h = Add(h, high + i, p.q + 2 * i);
    l = Add(l, low + i, p.q + 2 * i);
  }
  int32_t dot[4];
  Reduce(h, l, Zero(), Zero(), dot);
  const int32_t sum =
      Sum8(p, WithoutZeroPoint(p, dot[0], constants.high_sum[lane]),
           WithoutZeroPoint(p, dot[1], constants.low_sum[lane]));
  return Finish(p, static_cast<float>(sum), constants.scale[lane],
                p.bias == nullptr ? 0.0f : p.bias[channel]);
}

}  // namespace

extern const NibbleKernels kNibbleKernels;
const NibbleKernels kNibbleKernels = {
    .name = "nibble_" LATIMER_STRING(LATIMER_ISA),
    .bound = Bound,
    .compute = Compute,
    .compute_one = ComputeOne,
};

}  // namespace latimer::LATIMER_ISA
