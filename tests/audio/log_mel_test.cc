// Features of sounds are those of transformers' WhisperFeatureExtractor
// (tests/reference/make_audio.py), with the same bits on every CPU.
// Tests runtime/audio/log_mel.cc.
#include "audio/log_mel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "tests/audio/sounds.h"

namespace latimer::log_mel_test {

std::vector<float> Features(std::span<const float> samples, size_t bins,
                            size_t frames) {
  const auto scratch = std::make_unique<LogMelScratch>();
  std::vector<float> features(frames * bins);
  LogMel(samples, bins, features, scratch.get());
  return features;
}

TEST(LogMelTest, FeaturesAreThoseOfTheReference) {
  uint64_t hash = 14695981039346656037u;
  for (const nlohmann::json& row : ReadAudioFixture("log_mel.json")) {
    const auto bins = row["bins"].get<size_t>();
    const auto frames = row["frames"].get<size_t>();
    const std::vector<float> features =
        Features(MakeSound(row["parts"], frames * 160), bins, frames);
    for (const nlohmann::json& at : row["features"]) {
      const float feature =
          features[at[0].get<size_t>() * bins + at[1].get<size_t>()];
      EXPECT_NEAR(feature, at[2].get<float>(), 5e-5)
          << row["sound"] << ", " << bins << " bins, frame " << at[0];
    }
    for (const float feature : features) {
      hash = (hash ^ std::bit_cast<uint32_t>(feature)) * 1099511628211u;
    }
  }
  EXPECT_EQ(hash, 2218936117763582830u);
}

TEST(LogMelTest, SamplesThatAreMissingAreSilence) {
  std::vector<float> samples =
      MakeSound(R"([["noise", 0, 1001, 0.5]])"_json, 3200);
  const std::vector<float> padded = Features(samples, 80, 20);
  EXPECT_EQ(Features(std::span(samples).first(1001), 80, 20), padded);
  samples.resize(4000, 1.0f);  // After the window.
  EXPECT_EQ(Features(samples, 80, 20), padded);
}

TEST(LogMelTest, AShorterWindowHasTheSameFeatures) {
  const std::vector<float> sound =
      MakeSound(R"([["noise", 0, 3000, 0.5]])"_json, 3000);
  const std::vector<float> shorter = Features(sound, 80, 20);
  std::vector<float> whole = Features(sound, 80, kMaxMelFrames);
  whole.resize(shorter.size());
  EXPECT_EQ(shorter, whole);
}

TEST(LogMelTest, FramesAreTheSameInAnyGroup) {
  // Two frames later, in other elements of the vectors.
  const std::vector<float> noise =
      MakeSound(R"([["noise", 0, 9600, 0.5]])"_json, 9600);
  const std::vector<float> features = Features(noise, 128, 60);
  const std::vector<float> later =
      Features(std::span(noise).subspan(320), 128, 58);
  for (size_t frame = 4; frame < 50; ++frame) {
    for (size_t bin = 0; bin < 128; ++bin) {
      ASSERT_EQ(features[frame * 128 + bin], later[(frame - 2) * 128 + bin]);
    }
  }
}

TEST(LogMelTest, FeaturesAreFiniteWhateverTheSamples) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::max(), 1e-40f}) {
    for (const float feature :
         Features(std::vector<float>(1000, value), 80, 6)) {
      ASSERT_TRUE(std::isfinite(feature)) << value;
    }
  }
}

}  // namespace latimer::log_mel_test
