// Products of nibbles and bytes; see ops/nibble/planes.h.
#include <stddef.h>
#include <stdint.h>

#include "latimer/profile_config.h"  // Constants only.
#include "ops/nibble/planes.h"
#include "ops/nibble/sums_isa.h"

#define LATIMER_STRING_OF(x) #x
#define LATIMER_STRING(x) LATIMER_STRING_OF(x)

namespace latimer::LATIMER_ISA {
namespace nibble {
namespace {

constexpr size_t kChannels = kNibbleBlockRows;
// How far ahead to prefetch. The planes are read once per token, and hardware
// prefetching alone reaches half of the bandwidth. Of 0 to 32 KiB this was
// among the best on x86-64, with the planes in the cache and not.
constexpr size_t kPrefetchBytes = 8192;

LATIMER_INLINE const uint8_t* HighOf(const NibbleProduct& p, size_t block) {
  return p.high + block * (kChannels * p.k / 2 + sizeof(NibbleConstants));
}
LATIMER_INLINE bool HasHalfLow(const NibbleProduct& p) {
  return kProfile.int6_weights && p.half_low;
}
LATIMER_INLINE const uint8_t* LowOf(const NibbleProduct& p, size_t block) {
  return p.low + block * (kChannels * p.k / (HasHalfLow(p) ? 4 : 2) +
                          sizeof(NibbleConstants::sum));
}
LATIMER_INLINE const NibbleConstants& ConstantsOf(const NibbleProduct& p,
                                                  size_t block) {
  return *reinterpret_cast<const NibbleConstants*>(HighOf(p, block) +
                                                   kChannels * p.k / 2);
}

// One number per channel. GCC splits these into the CPU's vectors; loops would
// become scalar code.
typedef float Floats
    __attribute__((vector_size(kChannels * 4), aligned(4), may_alias));
typedef int32_t Ints
    __attribute__((vector_size(kChannels * 4), aligned(4), may_alias));
typedef uint32_t Uints
    __attribute__((vector_size(kChannels * 4), aligned(4), may_alias));
// FloatsAt(p), IntsAt(p), UintsAt(p): the numbers at `p`, which need not be
// aligned. Clang assumes that references are aligned, against their type; GCC
// makes slower code for values. (As template arguments, the types would lose
// their attributes.)
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi"  // All calls are inlined.
#define LATIMER_AT(Numbers)                           \
  LATIMER_INLINE Numbers Numbers##At(const void* p) { \
    Numbers numbers;                                  \
    __builtin_memcpy(&numbers, p, sizeof(numbers));   \
    return numbers;                                   \
  }
#else
#define LATIMER_AT(Numbers)                                  \
  LATIMER_INLINE const Numbers& Numbers##At(const void* p) { \
    return *static_cast<const Numbers*>(p);                  \
  }
#endif
LATIMER_AT(Floats)
LATIMER_AT(Ints)
LATIMER_AT(Uints)

// The low nibbles of a group, of which half of the bits are stored.
struct alignas(kLine) LowGroup {
  uint8_t bytes[kGroup];
};
LATIMER_INLINE void UnpackLow(const uint8_t* half, LowGroup& out) {
  for (size_t i = 0; i < kLines / 2; ++i) {
    const Uints both = UintsAt(half + i * kLine);
    const Uints first = both & 0xccccccccu, second = both << 2 & 0xccccccccu;
    __builtin_memcpy(out.bytes + 2 * i * kLine, &first, kLine);
    __builtin_memcpy(out.bytes + (2 * i + 1) * kLine, &second, kLine);
  }
}

// out[row] = x times the nibbles of a block, where x is the row's q without its
// zero point. `half` says that they are low ones of two bits. A file with wrong
// sums of nibbles may overflow, which wraps.
template <size_t kRows>
LATIMER_INLINE void DotBlock(const NibbleProduct* rows, const uint8_t* nibbles,
                             bool half, int32_t (&out)[kRows][kChannels]) {
  const size_t k = rows->k;
  Sums sums[kRows];
  const int8_t* q[kRows];
  for (size_t row = 0; row < kRows; ++row) {
    sums[row] = Zero();
    q[row] = rows[row].q;
  }
  for (size_t i = 0; i < k; i += kNibbleInputs) {
    for (size_t line = 0; line < kGroup; line += kLine) {
      __builtin_prefetch(nibbles + line + kPrefetchBytes);
    }
    if (half) {
      LowGroup group;
      UnpackLow(nibbles, group);
      AddGroup<kRows>(sums, group.bytes, q, i);
      nibbles += kGroup / 2;
    } else {
      AddGroup<kRows>(sums, nibbles, q, i);
      nibbles += kGroup;
    }
  }
  for (size_t line = 0; line < sizeof(NibbleConstants); line += kLine) {
    __builtin_prefetch(nibbles + line + kPrefetchBytes);
  }
  for (size_t row = 0; row < kRows; ++row) {
    Store(sums[row], out[row]);
    const Uints dots =
        UintsAt(out[row]) -
        static_cast<uint32_t>(rows[row].zero_point) * UintsAt(nibbles);
    __builtin_memcpy(out[row], &dots, sizeof(dots));
  }
}

alignas(64) constexpr float kZeros[kChannels] = {};

// The biases of a block: those of the model, or a copy with zeros from channel
// n on.
LATIMER_INLINE const float* BiasOf(const NibbleProduct& p, size_t block,
                                   float (&copy)[kChannels]) {
  const size_t channel = block * kChannels;
  if (p.bias == nullptr) return kZeros;
  if (channel + kChannels <= p.n) return p.bias + channel;
  for (size_t i = 0; i < kChannels; ++i) {
    copy[i] = channel + i < p.n ? p.bias[channel + i] : 0;
  }
  return copy;
}

// The largest of the first `channels` values; overwrites the others. In vectors
// of four, which every instruction set has; otherwise GCC takes 16 steps.
LATIMER_INLINE float Largest(float (&values)[kChannels], size_t channels) {
  typedef float F32x4 __attribute__((vector_size(16)));
  const auto larger = [](F32x4 a, F32x4 b) __attribute__((always_inline)) {
    return b > a ? b : a;
  };
  if (channels < kChannels) [[unlikely]] {
    for (size_t i = channels; i < kChannels; ++i) values[i] = -__builtin_inff();
  }
  F32x4 v[4];
  __builtin_memcpy(v, values, sizeof(v));
  F32x4 most = larger(larger(v[0], v[1]), larger(v[2], v[3]));
  most = larger(most, F32x4{most[2], most[3], most[0], most[1]});
  most = larger(most, F32x4{most[1], most[0], most[3], most[2]});
  return most[0];
}

// logits = the operations of GemmInt8, with its bias of zero, and of add(). All
// of them rise with `sums`, because the scales are not negative.
LATIMER_INLINE void Finish(const NibbleProduct& p, size_t block,
                           const Floats& sums, float (&logits)[kChannels]) {
  const Floats scale = FloatsAt(ConstantsOf(p, block).scale);
  float copy[kChannels];
  const float* from = BiasOf(p, block, copy);
  // Keeps GCC from copying the biases, whichever they are, to the stack.
  asm("" : "+r"(from) : "m"(copy));
  const Floats bias = FloatsAt(from);
  // A bias of zero changes nothing, because the sum before it is not -0.
  const Floats result = (sums * p.scale * scale + 0.0f) + bias;
  __builtin_memcpy(logits, &result, sizeof(result));
}

// The largest bound of a block, given the dot products of its high nibbles.
LATIMER_INLINE float BoundOf(const NibbleProduct& p, size_t block,
                             const int32_t (&high)[kChannels]) {
  // The sum is 16 high + low - 128 sum(x), where low is at most 7.5 sum(x) +
  // the product of the norms. The sum of integers is at most 2^15 k and the
  // product of the norms below 2^11 k, so rounding both and their sum to floats
  // takes away less than 2.2 * 2^-9 k. Adding k / 64 makes it a bound again.
  const uint32_t offset = 120 * static_cast<uint32_t>(p.sum);
  const float rest =
      static_cast<float>(p.k) / 64 - 0.5f * static_cast<float>(p.sum);
  const Uints least = 16 * UintsAt(high) - offset;
  const Floats norm = FloatsAt(ConstantsOf(p, block).norm);
  const Floats sums =
      __builtin_convertvector(IntsAt(&least), Floats) + (norm * p.norm + rest);
  float upper[kChannels];
  Finish(p, block, sums, upper);
  return Largest(upper, p.n - block * kChannels);
}

// out[row] = GemmInt8's sums: x times the weights of a block, which are
// 16 high + low - 128.
template <size_t kRows>
LATIMER_INLINE void SumBlock(const NibbleProduct* rows, size_t block,
                             int32_t (&out)[kRows][kChannels]) {
  int32_t low[kRows][kChannels];
  DotBlock<kRows>(rows, HighOf(*rows, block), false, out);
  DotBlock<kRows>(rows, LowOf(*rows, block), HasHalfLow(*rows), low);
  for (size_t row = 0; row < kRows; ++row) {
    const Uints sums = 16 * UintsAt(out[row]) + UintsAt(low[row]) -
                       128 * static_cast<uint32_t>(rows[row].sum);
    __builtin_memcpy(out[row], &sums, sizeof(sums));
  }
}

// The same for several blocks. Puts bytes together from the nibbles of both
// planes.
template <size_t kRows, size_t kBlocks>
LATIMER_INLINE void SumWholeBlocks(const NibbleProduct* rows, size_t block,
                                   int32_t (&out)[kBlocks][kRows][kChannels]) {
  const size_t k = rows->k;
  const uint8_t* high[kBlocks];
  const uint8_t* low[kBlocks];
  Sums sums[kBlocks][kRows];
  const int8_t* q[kRows];
  for (size_t row = 0; row < kRows; ++row) q[row] = rows[row].q;
#pragma GCC unroll 2
  for (size_t b = 0; b < kBlocks; ++b) {
    high[b] = HighOf(*rows, block + b);
    low[b] = LowOf(*rows, block + b);
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) sums[b][row] = Zero();
  }
  for (size_t i = 0; i < k; i += kNibbleInputs) {
#pragma GCC unroll 2
    for (size_t b = 0; b < kBlocks; ++b) {
      for (size_t line = 0; line < kGroup; line += kLine) {
        __builtin_prefetch(high[b] + line + kBlocks * kPrefetchBytes);
        __builtin_prefetch(low[b] + line + kBlocks * kPrefetchBytes);
      }
    }
    if (HasHalfLow(*rows)) {
      LowGroup groups[kBlocks];
      const uint8_t* unpacked[kBlocks];
#pragma GCC unroll 2
      for (size_t b = 0; b < kBlocks; ++b) {
        UnpackLow(low[b], groups[b]);
        unpacked[b] = groups[b].bytes;
        low[b] += kGroup / 2;
      }
      AddWholeGroup<kRows>(sums, high, unpacked, q, i);
    } else {
      AddWholeGroup<kRows>(sums, high, low, q, i);
#pragma GCC unroll 2
      for (size_t b = 0; b < kBlocks; ++b) low[b] += kGroup;
    }
#pragma GCC unroll 2
    for (size_t b = 0; b < kBlocks; ++b) high[b] += kGroup;
  }
  // Those were sums of q (w + 128 + offset), where q is x + zero_point.
  constexpr auto kOffset = static_cast<uint32_t>(kWholeOffset);
#pragma GCC unroll 2
  for (size_t b = 0; b < kBlocks; ++b) {
    const Uints weights = 16 * UintsAt(high[b]) + UintsAt(low[b]);
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
      const auto zero_point = static_cast<uint32_t>(rows[row].zero_point);
      uint32_t rest = (128 + kOffset) * static_cast<uint32_t>(rows[row].sum) +
                      kOffset * zero_point * static_cast<uint32_t>(k);
      if constexpr (kWholeLacksNegatives) {
        rest -= static_cast<uint32_t>(rows[row].negatives);
      }
      Store(sums[b][row], out[b][row]);
      const Uints sum = UintsAt(out[b][row]) - zero_point * weights - rest;
      __builtin_memcpy(out[b][row], &sum, sizeof(sum));
    }
  }
}

template <size_t kRows>
LATIMER_INLINE void BoundRows(const NibbleProduct* rows, size_t block,
                              float* bound, size_t stride) {
  int32_t high[kRows][kChannels];
  DotBlock<kRows>(rows, HighOf(*rows, block), false, high);
  for (size_t row = 0; row < kRows; ++row) {
    bound[row * stride] = BoundOf(rows[row], block, high[row]);
  }
}

// The logits of a block, given SumBlock's sums.
LATIMER_INLINE void LogitsOf(const NibbleProduct& p, size_t block,
                             const int32_t (&sums)[kChannels],
                             float (&logits)[kChannels]) {
  Finish(p, block, __builtin_convertvector(IntsAt(sums), Floats), logits);
}

// The largest logits of some rows and blocks.
template <size_t kRows, size_t kBlocks>
LATIMER_INLINE void MaximumRows(const NibbleProduct* rows, size_t block,
                                float* maxima, size_t stride) {
  int32_t sums[kBlocks][kRows][kChannels];
  if constexpr (kRows >= kFewestWholeRows) {
    SumWholeBlocks<kRows, kBlocks>(rows, block, sums);
  } else {
    SumBlock<kRows>(rows, block, sums[0]);
  }
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t b = 0; b < kBlocks; ++b) {
      float logits[kChannels];
      LogitsOf(rows[row], block + b, sums[b][row], logits);
      maxima[row * stride + b] =
          Largest(logits, rows->n - (block + b) * kChannels);
    }
  }
}

// Calls run<count>(first row) for all rows: kMost rows at a time, which is a
// power of two, then fewer.
template <size_t kMost, typename Run>
LATIMER_INLINE void ForEachRows(size_t first, size_t count, const Run& run) {
  for (; first + kMost <= count; first += kMost) {
    run.template operator()<kMost>(first);
  }
  if constexpr (kMost > 1) ForEachRows<kMost / 2>(first, count, run);
}

void Bound(const NibbleProduct* rows, size_t count, size_t begin, size_t end,
           float* __restrict bounds, size_t stride) {
  for (size_t block = begin; block < end; ++block) {
    float* bound = bounds + (block - begin);
    ForEachRows<kMostRows>(0, count, [&]<size_t kRows>(size_t row) {
      BoundRows<kRows>(rows + row, block, bound + row * stride, stride);
    });
  }
}

void Maximum(const NibbleProduct* rows, size_t count, size_t begin, size_t end,
             float* __restrict maxima, size_t stride) {
  constexpr size_t kMost = kMostWholeRows > 0 ? kMostWholeRows : kMostRows;
  for (size_t block = begin; block < end;) {
    float* maximum = maxima + (block - begin);
    const auto run = [&]<size_t kBlocks>() __attribute__((always_inline)) {
      ForEachRows<kMost>(0, count, [&]<size_t kRows>(size_t row) {
        MaximumRows<kRows, kBlocks>(rows + row, block, maximum + row * stride,
                                    stride);
      });
      block += kBlocks;
    };
    if (block + kWholeBlocks <= end) {
      run.template operator()<kWholeBlocks>();
    } else {
      run.template operator()<1>();
    }
  }
}

void Compute(const NibbleProduct& p, size_t begin, size_t end, float* logits) {
  for (size_t block = begin; block < end; ++block, logits += kChannels) {
    int32_t sums[1][kChannels];
    SumBlock<1>(&p, block, sums);
    float some[kChannels];
    LogitsOf(p, block, sums[0], some);
    __builtin_memcpy(logits, some, sizeof(some));
  }
}

void Measure(size_t k, const int8_t* q, int32_t zero_point, int32_t* sum,
             uint32_t* squares, int32_t* negatives) {
  int32_t s = 0;
  uint32_t s2 = 0;  // At most k * 255^2, which fits.
  int32_t least = 0;
  for (size_t i = 0; i < k; ++i) {
    const int32_t x = q[i] - zero_point;
    s += x;
    s2 += static_cast<uint32_t>(x * x);
    least -= q[i] < 0 ? q[i] : 0;
  }
  *sum = s;
  *squares = s2;
  *negatives = least;
}

// Measured with the matrix in the cache and not, except for dot products on
// ARM. Without dot products `maximum` takes about twice the time of `bound`.
#if defined(__AVX512VNNI__) || defined(__ARM_FEATURE_DOTPROD)
constexpr size_t kFewestExactRows = 8;
#else
constexpr size_t kFewestExactRows = SIZE_MAX;
#endif

}  // namespace
}  // namespace nibble

extern const NibbleKernels kNibbleKernels;
const NibbleKernels kNibbleKernels = {
    .name = "nibble_" LATIMER_STRING(LATIMER_ISA),
    .fewest_exact_rows = nibble::kFewestExactRows,
    .measure = nibble::Measure,
    .bound = nibble::Bound,
    .maximum = nibble::Maximum,
    .compute = nibble::Compute,
};

}  // namespace latimer::LATIMER_ISA
