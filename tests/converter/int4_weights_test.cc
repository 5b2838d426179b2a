// Weights of four and six bits: scales, rounding and error.
// Tests converter/quantize.cc, converter/model_writer.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <vector>

#include "converter/error.h"
#include "converter/quantize.h"
#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::int4_weights_test {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<float> Normal(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value;
  std::vector<float> values(count);
  for (float& v : values) v = value(random);
  return values;
}

double Loss(const std::vector<float>& values,
            const std::vector<int8_t>& integers, float scale) {
  double lost = 0, whole = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double loss = double{values[i]} - double{scale} * integers[i];
    lost += loss * loss;
    whole += double{values[i]} * values[i];
  }
  return std::sqrt(lost / whole);
}

TEST(Int4WeightsTest, NoWeightIsOutsideOfFourBits) {
  std::vector<float> values = Normal(1000, 1);
  values[7] = -20.0f;
  values[8] = 19.0f;
  std::vector<int8_t> integers(values.size());
  QuantizeChannelTo(WeightType::kInt4, values, integers);
  EXPECT_GE(std::ranges::min(integers), -8);
  EXPECT_LE(std::ranges::max(integers), 7);
}

TEST(Int4WeightsTest, MultiplesOfAScaleLoseNothing) {
  for (const float scale : {0.25f, -0.25f}) {
    std::vector<float> values;
    for (int i = -8; i <= 7; ++i) {
      values.push_back(scale * static_cast<float>(i));
    }
    std::vector<int8_t> integers(values.size());
    const float found = QuantizeChannelTo(WeightType::kInt4, values, integers);
    EXPECT_EQ(found, scale);
    EXPECT_EQ(Loss(values, integers, found), 0) << scale;
  }
}

TEST(Int4WeightsTest, NormalWeightsLoseLessThanWithTheScaleOfTheLargest) {
  const std::vector<float> values = Normal(4096, 2);
  std::vector<int8_t> integers(values.size());
  const float scale = QuantizeChannelTo(WeightType::kInt4, values, integers);
  EXPECT_LT(Loss(values, integers, scale), 0.12);
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::fabs(v));
  for (size_t i = 0; i < values.size(); ++i) {
    integers[i] = static_cast<int8_t>(std::nearbyint(values[i] * 7 / largest));
  }
  EXPECT_GT(Loss(values, integers, largest / 7), 0.14);
}

TEST(Int4WeightsTest, AChannelOfZerosHasScaleOne) {
  std::vector<int8_t> integers(3, 5);
  EXPECT_EQ(QuantizeChannelTo(WeightType::kInt4,
                              std::vector<float>{0.0f, -0.0f, 0.0f}, integers),
            1.0f);
  EXPECT_EQ(integers, (std::vector<int8_t>{0, 0, 0}));
}

TEST(Int6WeightsTest, NoWeightIsOutsideOfThirtyOne) {
  std::vector<float> values = Normal(1000, 3);
  values[7] = -20.0f;
  values[8] = 19.0f;
  std::vector<int8_t> integers(values.size());
  EXPECT_GT(QuantizeChannelTo(WeightType::kInt6, values, integers), 0.0f);
  EXPECT_GE(std::ranges::min(integers), -31);
  EXPECT_LE(std::ranges::max(integers), 31);
}

TEST(Int6WeightsTest, NormalWeightsLoseLessThanWithTheScaleOfTheLargest) {
  const std::vector<float> values = Normal(4096, 4);
  std::vector<int8_t> integers(values.size());
  const float scale = QuantizeChannelTo(WeightType::kInt6, values, integers);
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::fabs(v));
  const double loss = Loss(values, integers, scale);
  EXPECT_LT(loss, 0.033);
  for (size_t i = 0; i < values.size(); ++i) {
    integers[i] = static_cast<int8_t>(std::nearbyint(values[i] * 31 / largest));
  }
  EXPECT_LT(loss, Loss(values, integers, largest / 31));
}

// A channel of eight bits whose largest weight is `most` units.
std::vector<float> WeightsOfEightBits(int most) {
  std::vector<float> values;
  for (int i = -most; i <= most; ++i) {
    values.push_back(0.001f * static_cast<float>(i));
  }
  return values;
}

TEST(Int6WeightsTest, SmallWeightsOfEightBitsLoseNothing) {
  const std::vector<float> values = WeightsOfEightBits(21);
  std::vector<int8_t> integers(values.size());
  EXPECT_EQ(QuantizeChannelTo(WeightType::kInt6, values, integers), 0.001f);
  EXPECT_EQ(integers.front(), -21);
  EXPECT_EQ(integers.back(), 21);
}

TEST(Int6WeightsTest, LargerWeightsOfEightBitsHaveThreeTimesTheirUnit) {
  const std::vector<float> values = WeightsOfEightBits(90);
  std::vector<int8_t> integers(values.size());
  EXPECT_FLOAT_EQ(QuantizeChannelTo(WeightType::kInt6, values, integers),
                  0.003f);
}

CanonicalModel TinyModel() {
  return OpenModel(TinyModelsFolder() / "no_scale", /*with_tokenizer=*/false);
}

TEST(Int4WeightsTest, AllFeedForwardsAreInt4AndNothingElse) {
  CanonicalModel model = TinyModel();
  const QuantizedMatrices matrices = QuantizeToInt4(1.0, &model);
  const Architecture& a = model.architecture;
  EXPECT_THAT(matrices, SizeIs(2 * (a.encoder_layers + a.decoder_layers)));
  const QuantizedMatrix& in =
      matrices.at({"decoder.0.ffn.in", WeightType::kInt4});
  EXPECT_THAT(in.scales, SizeIs(a.decoder_ffn));
  EXPECT_THAT(in.integers, SizeIs(a.decoder_ffn * a.d_model));
}

TEST(Int4WeightsTest, WhatLosesTooMuchStaysInt8AndIsNamed) {
  CanonicalModel model = TinyModel();
  const size_t all = QuantizeToInt4(1.0, &model).size();
  EXPECT_TRUE(model.warnings.empty());
  EXPECT_TRUE(QuantizeToInt4(0.0, &model).empty());
  ASSERT_THAT(model.warnings, SizeIs(all));
  EXPECT_THAT(model.warnings[0],
              HasSubstr("decoder.0.ffn.in stays int8: int4 would lose 0."));
}

TEST(Int4WeightsTest, AModelWithoutFeedForwardsIsRefused) {
  CanonicalModel model = TinyModel();
  std::erase_if(model.linears, [](const auto& entry) {
    return entry.first.find(".ffn.") != std::string::npos;
  });
  try {
    QuantizeToInt4(1.0, &model);
    FAIL();
  } catch (const ConversionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--weights int8"));
  }
}

}  // namespace latimer::int4_weights_test
