// Weights of eight bits: scales, rounding and error.
// Tests converter/quantize.cc.
#include "converter/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace latimer::quantize_test {

struct Quantized {
  float scale;
  std::vector<int8_t> values;
};

Quantized Quantize(const std::vector<float>& values) {
  Quantized result{0, std::vector<int8_t>(values.size())};
  result.scale = QuantizeChannel(values, result.values);
  return result;
}

TEST(QuantizeTest, TheLargestMagnitudeBecomes127) {
  const Quantized q = Quantize({0.5f, -2.54f, 1.0f});
  EXPECT_EQ(q.scale, 2.54f / 127.0f);
  EXPECT_EQ(q.values, (std::vector<int8_t>{25, -127, 50}));
  EXPECT_EQ(Quantize({127.0f}).values, (std::vector<int8_t>{127}));
}

TEST(QuantizeTest, HalvesAreRoundedToEven) {
  // The scale is 1.
  const Quantized q =
      Quantize({127.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f});
  EXPECT_EQ(q.scale, 1.0f);
  EXPECT_EQ(q.values, (std::vector<int8_t>{127, 0, 2, 2, 0, -2, -2, 126}));
}

TEST(QuantizeTest, AChannelOfZerosHasScaleOne) {
  const Quantized q = Quantize({0.0f, -0.0f, 0.0f});
  EXPECT_EQ(q.scale, 1.0f);
  EXPECT_EQ(q.values, (std::vector<int8_t>{0, 0, 0}));
}

TEST(QuantizeTest, AnEmptyChannelHasScaleOne) {
  EXPECT_EQ(Quantize({}).scale, 1.0f);
}

TEST(QuantizeTest, ValuesWhoseScaleWouldBeSubnormalAreZero) {
  const Quantized q = Quantize({1e-38f, -1e-40f});
  EXPECT_EQ(q.scale, 1.0f);
  EXPECT_EQ(q.values, (std::vector<int8_t>{0, 0}));
}

TEST(QuantizeTest, TheSmallestAndLargestNormalScalesKeepTheirPrecision) {
  const float smallest = 127 * std::numeric_limits<float>::min();
  EXPECT_EQ(Quantize({smallest, -smallest}).values,
            (std::vector<int8_t>{127, -127}));
  const float largest = std::numeric_limits<float>::max();
  const Quantized q = Quantize({largest, -largest, largest / 2});
  EXPECT_TRUE(std::isfinite(q.scale));
  EXPECT_EQ(q.values[0], 127);
  EXPECT_EQ(q.values[1], -127);
}

TEST(QuantizeTest, TheErrorIsAtMostHalfAScale) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.0f, 0.3f);
  std::vector<float> values(4099);
  for (float& value : values) value = normal(random);
  const Quantized q = Quantize(values);
  int largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double back = static_cast<double>(q.scale) * q.values[i];
    EXPECT_LE(std::fabs(back - values[i]), 0.5000001 * q.scale) << i;
    largest = std::max(largest, std::abs(int{q.values[i]}));
  }
  EXPECT_EQ(largest, 127);
}

}  // namespace latimer::quantize_test
