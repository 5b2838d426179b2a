// Numbers of 16 bits, to float and back.
// Tests runtime/base/half.h.
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace latimer::half_test {

constexpr uint32_t kNumbers = 0x10000;
constexpr uint16_t kInfinity = 0x7c00;

bool IsNan(uint32_t half) { return (half & 0x7fff) > kInfinity; }

// IEEE 754, 3.4, by the definition.
float Defined(uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const auto mantissa = static_cast<float>(half & 1023);
  const float magnitude =
      exponent == 31  ? std::numeric_limits<float>::infinity()
      : exponent == 0 ? std::ldexp(mantissa, -24)
                      : std::ldexp(1024.0f + mantissa, exponent - 25);
  return std::copysign(magnitude, half >> 15 != 0 ? -1.0f : 1.0f);
}

TEST(HalfTest, EveryNumberBecomesItsFloat) {
  for (uint32_t half = 0; half < kNumbers; ++half) {
    const float value = HalfToFloat(static_cast<uint16_t>(half));
    if (IsNan(half)) {
      EXPECT_TRUE(std::isnan(value)) << half;
      continue;
    }
    ASSERT_EQ(value, Defined(half)) << half;
    ASSERT_EQ(std::signbit(value), half >> 15 != 0) << half;
  }
}

TEST(HalfTest, EveryNumberComesBack) {
  for (uint32_t half = 0; half < kNumbers; ++half) {
    if (IsNan(half)) continue;
    ASSERT_EQ(FloatToHalf(HalfToFloat(static_cast<uint16_t>(half))), half);
  }
}

TEST(HalfTest, FloatsGoToTheNearestAndHalvesToTheEvenOne) {
  for (uint32_t half = 0; half < kInfinity; ++half) {
    const float low = HalfToFloat(static_cast<uint16_t>(half));
    const float high = half + 1 < kInfinity
                           ? HalfToFloat(static_cast<uint16_t>(half + 1))
                           : 65536.0f;
    const float middle = (low + high) / 2;  // Exact.
    const uint32_t even = half + half % 2;
    for (const uint32_t sign : {0u, 0x8000u}) {
      const float one = sign == 0 ? 1.0f : -1.0f;
      ASSERT_EQ(FloatToHalf(one * middle), sign | even) << half;
      ASSERT_EQ(FloatToHalf(one * std::nextafter(middle, 0.0f)), sign | half);
      ASSERT_EQ(FloatToHalf(one * std::nextafter(middle, high)),
                sign | (half + 1));
    }
  }
}

TEST(HalfTest, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(FloatToHalf(kHalfOverflow), kInfinity);
  EXPECT_LT(FloatToHalf(std::nextafter(kHalfOverflow, 0.0f)), kInfinity);
  EXPECT_EQ(FloatToHalf(-1e30f), kInfinity | 0x8000);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::infinity()), kInfinity);
}

}  // namespace latimer::half_test
