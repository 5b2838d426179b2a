// Sampling beside the logits warpers of transformers; see
// tests/reference/make_sampling.py.
// Tests runtime/search/sampling.cc.
#include "search/sampling.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "base/cpu.h"
#include "tests/system/tiny_model.h"

namespace latimer::sampling_test {

TEST(SamplingTest, ProbabilitiesAreThoseOfTheLogitsWarpers) {
  std::ifstream stream(TestData("sampling.json"));
  const auto fixture = nlohmann::json::parse(stream);
  Engine engine;
  const VectorKernels* tables[kMaxVectorKernels] = {};
  ASSERT_GT(ListVectorKernels(DetectCpuFeatures(), tables), 0u);
  engine.vector = tables[0];
  size_t left_out = 0;
  for (const nlohmann::json& fields : fixture["cases"]) {
    Sampling sampling = {.enabled = true};
    sampling.temperature = fields["temperature"];
    if (fields["top_k"] != 0) {
      sampling.top_k = fields["top_k"].get<uint32_t>();
    }
    sampling.top_p = fields["top_p"];
    sampling.min_p = fields["min_p"];
    SCOPED_TRACE(fields["top_p"].dump() + " " + fields["top_k"].dump());
    auto logits = fields["logits"].get<std::vector<float>>();
    const auto want = fields["probabilities"].get<std::vector<float>>();
    WarpLogits(engine, sampling, logits);
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(logits[i], want[i], 2e-6f) << i;
      // Such a probability is not rounded to 0 in the fixture.
      if (want[i] > 1e-5f) {
        EXPECT_GT(logits[i], 0.0f) << i;
      }
      left_out += logits[i] == 0.0f ? 1 : 0;
    }
  }
  EXPECT_GT(left_out, 100u);
}

TEST(SamplingTest, AnyTemperatureGivesProbabilities) {
  Engine engine;
  const VectorKernels* tables[kMaxVectorKernels] = {};
  ASSERT_GT(ListVectorKernels(DetectCpuFeatures(), tables), 0u);
  engine.vector = tables[0];
  constexpr float kBanned = -std::numeric_limits<float>::infinity();
  const std::vector<float> given = {3.0f, 9.5f, kBanned, 9.0f, -7.0f, kBanned};
  for (const float temperature : {1e-45f, 1e-40f, 1e-20f, 1e20f, 3e38f}) {
    for (const std::optional<uint32_t> top_k :
         {std::optional<uint32_t>(), std::optional(3u)}) {
      SCOPED_TRACE(temperature);
      std::vector<float> logits = given;
      WarpLogits(engine,
                 {.enabled = true, .temperature = temperature, .top_k = top_k},
                 logits);
      EXPECT_NEAR(std::accumulate(logits.begin(), logits.end(), 0.0f), 1.0f,
                  1e-5f);
      EXPECT_EQ(logits[2], 0.0f);
      EXPECT_EQ(logits[5], 0.0f);
      if (temperature < 1) {
        EXPECT_EQ(logits[1], 1.0f);
        EXPECT_EQ(TokenAt(logits, 0.7), 1u);
      } else {
        EXPECT_NEAR(logits[0], logits[1], 1e-5f);
      }
    }
  }
}

TEST(SamplingTest, DrawsFollowTheProbabilities) {
  const std::vector<float> probabilities = {0.3f, 0.0f,  0.05f, 0.15f,
                                            0.2f, 0.02f, 0.08f, 0.2f};
  constexpr size_t kDraws = 20000;
  for (const uint64_t seed : {0u, 1u, 77u}) {
    std::vector<size_t> counts(probabilities.size());
    for (size_t i = 0; i < kDraws; ++i) {
      const Sampling sampling = {
          .enabled = true, .seed = seed, .stream = i / 40};
      ++counts[TokenAt(probabilities, RandomNumber(sampling, i % 40))];
    }
    EXPECT_EQ(counts[1], 0u);
    double chi_square = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (i == 1) continue;
      const double expected = kDraws * static_cast<double>(probabilities[i]);
      const double difference = static_cast<double>(counts[i]) - expected;
      chi_square += difference * difference / expected;
    }
    // 6 degrees of freedom: exceeded once in a thousand.
    EXPECT_LT(chi_square, 22.46) << seed;
  }
}

TEST(SamplingTest, NumbersAreTheSameEverywhere) {
  const Sampling sampling = {.enabled = true, .seed = 5, .stream = 7};
  EXPECT_EQ(RandomNumber(sampling, 0), RandomNumber(sampling, 0));
  EXPECT_NE(RandomNumber(sampling, 0), RandomNumber(sampling, 1));
  // Computed with Python's integers.
  EXPECT_EQ(RandomNumber(sampling, 3), 0x1.e3abb1a32fad5p-1);
  EXPECT_EQ(TokenAt(std::vector<float>{0.5f, 0.5f, 0.0f}, 0.999999), 1u);
  EXPECT_EQ(TokenAt(std::vector<float>{0.5f, 0.5f, 0.0f}, 0.0), 0u);
}

}  // namespace latimer::sampling_test
