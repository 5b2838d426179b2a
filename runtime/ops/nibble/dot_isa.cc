// Products of nibbles and bytes; ops/nibble/planes.h says what of.
#include <stddef.h>
#include <stdint.h>

#include "ops/nibble/planes.h"
#include "ops/nibble/sums_isa.h"

#define LATIMER_STRING_OF(x) #x
#define LATIMER_STRING(x) LATIMER_STRING_OF(x)

namespace latimer::LATIMER_ISA {
namespace {

constexpr size_t kChannels = kNibbleBlockRows;
// How far ahead of the reading the memory is asked for. The planes are read
// once per token, and the hardware alone reaches half of the bandwidth: of 0 to
// 32 KiB this was among the best on x86-64, in the cache and out of it.
constexpr size_t kPrefetchBytes = 8192;

// What stands behind the nibbles of a block; behind the low ones only `sum`.
struct Constants {
  int32_t sum[kChannels];
  float scale[kChannels];
  float norm[kChannels];
};

LATIMER_INLINE const uint8_t* HighOf(const NibbleProduct& p, size_t block) {
  static_assert(NibbleHighBytes(64) == kChannels * 32 + sizeof(Constants));
  return p.high + block * (kChannels * p.k / 2 + sizeof(Constants));
}
LATIMER_INLINE const uint8_t* LowOf(const NibbleProduct& p, size_t block) {
  static_assert(NibbleLowBytes(64) == kChannels * 32 + sizeof(Constants::sum));
  return p.low + block * (kChannels * p.k / 2 + sizeof(Constants::sum));
}
LATIMER_INLINE const Constants& ConstantsOf(const NibbleProduct& p,
                                            size_t block) {
  return *reinterpret_cast<const Constants*>(HighOf(p, block) +
                                             kChannels * p.k / 2);
}

// out[row] = x times the nibbles of a block, x being the row's q without its
// zero point. A file that lies about the sums of nibbles may overflow, which
// wraps.
template <size_t kRows>
LATIMER_INLINE void DotBlock(const NibbleProduct* rows, const uint8_t* nibbles,
                             int32_t (&out)[kRows][kChannels]) {
  const size_t k = rows->k;
  Sums sums[kRows];
  const int8_t* q[kRows];
  for (size_t row = 0; row < kRows; ++row) {
    sums[row] = Zero();
    q[row] = rows[row].q;
  }
  for (size_t i = 0; i < k; i += kNibbleInputs, nibbles += kGroup) {
    for (size_t line = 0; line < kGroup; line += kLine) {
      __builtin_prefetch(nibbles + line + kPrefetchBytes);
    }
    AddGroup<kRows>(sums, nibbles, q, i);
  }
  for (size_t line = 0; line < sizeof(Constants); line += kLine) {
    __builtin_prefetch(nibbles + line + kPrefetchBytes);
  }
  const auto* sum = reinterpret_cast<const int32_t*>(nibbles);
  for (size_t row = 0; row < kRows; ++row) {
    Store(sums[row], out[row]);
    for (size_t i = 0; i < kChannels; ++i) {
      out[row][i] =
          static_cast<int32_t>(static_cast<uint32_t>(out[row][i]) -
                               static_cast<uint32_t>(rows[row].zero_point) *
                                   static_cast<uint32_t>(sum[i]));
    }
  }
}

// GemmInt8's operations, whose bias is zero, and those of add(). All of them
// rise with `sum`, for the scales are not negative.
LATIMER_INLINE float Finish(const NibbleProduct& p, float sum, float scale,
                            float bias) {
  const float product = sum * p.scale * scale + 0.0f;
  return p.bias == nullptr ? product : product + bias;
}

alignas(64) constexpr float kZeros[kChannels] = {};

// The biases of a block: where they lie, or a copy with zeros behind the end.
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

// In vectors of four, which every instruction set has, or GCC takes 16 steps.
LATIMER_INLINE float Largest(const float (&values)[kChannels]) {
  typedef float F32x4 __attribute__((vector_size(16)));
  typedef int32_t I32x4 __attribute__((vector_size(16)));
  const auto larger = [](F32x4 a, F32x4 b) __attribute__((always_inline)) {
    return b > a ? b : a;
  };
  F32x4 v[4];
  __builtin_memcpy(v, values, sizeof(v));
  F32x4 most = larger(larger(v[0], v[1]), larger(v[2], v[3]));
  most = larger(most, __builtin_shuffle(most, I32x4{2, 3, 0, 1}));
  most = larger(most, __builtin_shuffle(most, I32x4{1, 0, 3, 2}));
  return most[0];
}

// The largest bound of a block; high: what its high nibbles give.
LATIMER_INLINE float BoundOf(const NibbleProduct& p, const Constants& constants,
                             const float* bias, size_t channels,
                             const int32_t (&high)[kChannels]) {
  // 16 high + low - 128 sum(x), low being at most 7.5 sum(x) + the norms'
  // product. The sum of integers is at most 2^15 k, the norms' product below
  // 2^11 k, so rounding them and their sum to floats takes away less than
  // 2.2 * 2^-9 k; k / 64 more makes it a bound again.
  const uint32_t offset = 120 * static_cast<uint32_t>(p.sum);
  const float rest =
      static_cast<float>(p.k) / 64 - 0.5f * static_cast<float>(p.sum);
  float upper[kChannels];
  for (size_t i = 0; i < kChannels; ++i) {
    const auto least =
        static_cast<int32_t>(16 * static_cast<uint32_t>(high[i]) - offset);
    const float sum =
        static_cast<float>(least) + (constants.norm[i] * p.norm + rest);
    upper[i] = Finish(p, sum, constants.scale[i], bias[i]);
  }
  for (size_t i = channels; i < kChannels; ++i) upper[i] = -__builtin_inff();
  return Largest(upper);
}

template <size_t kRows>
LATIMER_INLINE void BoundRows(const NibbleProduct* rows, size_t block,
                              float* bound, size_t stride) {
  int32_t high[kRows][kChannels];
  DotBlock<kRows>(rows, HighOf(*rows, block), high);
  float copy[kChannels];
  const float* bias = BiasOf(*rows, block, copy);
  for (size_t row = 0; row < kRows; ++row) {
    bound[row * stride] = BoundOf(rows[row], ConstantsOf(*rows, block), bias,
                                  rows->n - block * kChannels, high[row]);
  }
}

void Bound(const NibbleProduct* rows, size_t count, size_t begin, size_t end,
           float* __restrict bounds, size_t stride) {
  for (size_t block = begin; block < end; ++block) {
    float* bound = bounds + (block - begin);
    size_t row = 0;
    if constexpr (kMostRows >= 4) {
      for (; row + 4 <= count; row += 4) {
        BoundRows<4>(rows + row, block, bound + row * stride, stride);
      }
    }
    if constexpr (kMostRows >= 2) {
      for (; row + 2 <= count; row += 2) {
        BoundRows<2>(rows + row, block, bound + row * stride, stride);
      }
    }
    for (; row < count; ++row) {
      BoundRows<1>(rows + row, block, bound + row * stride, stride);
    }
  }
}

void Compute(const NibbleProduct& p, size_t begin, size_t end, float* logits) {
  for (size_t block = begin; block < end; ++block, logits += kChannels) {
    int32_t high[1][kChannels], low[1][kChannels];
    DotBlock<1>(&p, HighOf(p, block), high);
    DotBlock<1>(&p, LowOf(p, block), low);
    const Constants& constants = ConstantsOf(p, block);
    float copy[kChannels];
    const float* bias = BiasOf(p, block, copy);
    for (size_t i = 0; i < kChannels; ++i) {
      // 16 high + low - 128 sum of x: what GemmInt8 sums up.
      const auto sum =
          static_cast<int32_t>(16 * static_cast<uint32_t>(high[0][i]) +
                               static_cast<uint32_t>(low[0][i]) -
                               128 * static_cast<uint32_t>(p.sum));
      logits[i] =
          Finish(p, static_cast<float>(sum), constants.scale[i], bias[i]);
    }
  }
}

void Measure(size_t k, const int8_t* q, int32_t zero_point, int32_t* sum,
             uint32_t* squares) {
  int32_t s = 0;
  uint32_t s2 = 0;  // At most k * 255^2, which fits.
  for (size_t i = 0; i < k; ++i) {
    const int32_t x = q[i] - zero_point;
    s += x;
    s2 += static_cast<uint32_t>(x * x);
  }
  *sum = s;
  *squares = s2;
}

}  // namespace

extern const NibbleKernels kNibbleKernels;
const NibbleKernels kNibbleKernels = {
    .name = "nibble_" LATIMER_STRING(LATIMER_ISA),
    .measure = Measure,
    .bound = Bound,
    .compute = Compute,
};

}  // namespace latimer::LATIMER_ISA
