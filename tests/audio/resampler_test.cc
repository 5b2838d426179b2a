// Sound at other rates becomes what scipy.signal.resample_poly makes of it
// (tests/reference/make_audio.py): tones stay where they are, and what 16 kHz
// cannot hold is gone.
// Tests runtime/audio/resampler.cc.
#include "audio/resampler.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "tests/audio/sounds.h"

namespace latimer::resampler_test {

constexpr uint32_t kRates[] = {8000,  8001,  11025, 12000, 16000, 22050,
                               24000, 32000, 44100, 44101, 47999, 48000};

// With pieces of up to `most` samples on either side.
std::vector<float> Resample(uint32_t rate, std::span<const float> in,
                            size_t most = 100000) {
  std::mt19937 random(1);
  const auto resampler = std::make_unique<Resampler>();
  resampler->Start(rate);
  std::vector<float> out, room;
  // Whether there may be more.
  const auto take = [&](auto call) {
    room.resize(1 + random() % most);
    const size_t count = call(std::span(room));
    out.insert(out.end(), room.data(), room.data() + count);
    return count == room.size();
  };
  while (!in.empty()) {
    std::span<const float> part =
        in.first(std::min<size_t>(1 + random() % most, in.size()));
    in = in.subspan(part.size());
    const auto push = [&](auto to) { return resampler->Push(&part, to); };
    while (take(push)) {
    }
    EXPECT_TRUE(part.empty());
  }
  while (take([&](auto to) { return resampler->Finish(to); })) {
  }
  return out;
}

TEST(ResamplerTest, SamplesAreThoseOfTheReference) {
  uint64_t hash = 14695981039346656037u;
  for (const nlohmann::json& row : ReadAudioFixture("resample.json")) {
    const auto rate = row["rate"].get<uint32_t>();
    const std::vector<float> samples = Resample(
        rate, MakeSound(row["parts"], row["size"].get<size_t>(), rate));
    ASSERT_EQ(samples.size(), row["resampled"].get<size_t>()) << rate;
    for (const nlohmann::json& at : row["samples"]) {
      const auto i = at[0].get<size_t>();
      EXPECT_NEAR(samples[i], at[1].get<float>(), 4e-6) << rate << ", " << i;
      // SciPy's filter is another one. At the ends a tone is no tone.
      if (row["sound"] == "tones" && i > 20 && i + 20 < samples.size()) {
        EXPECT_NEAR(samples[i], at[2].get<float>(), 2e-3) << rate << ", " << i;
      }
    }
    for (const float sample : samples) {
      hash = (hash ^ std::bit_cast<uint32_t>(sample)) * 1099511628211u;
    }
  }
  EXPECT_EQ(hash, 15463359752584684784u);
}

TEST(ResamplerTest, TonesKeepTheirSizeAndTheirTime) {
  for (const uint32_t rate : kRates) {
    const uint32_t hz = std::min(rate, 16000u) * 39 / 100;  // 0.78 R / 2
    const nlohmann::json tone = {{"tone", 0, 1000000, 0.8, hz}};
    const std::vector<float> samples =
        Resample(rate, MakeSound(tone, rate, rate));
    const std::vector<float> expected = MakeSound(tone, 16000);
    ASSERT_EQ(samples.size(), expected.size());
    for (size_t i = 100; i < samples.size() - 100; ++i) {
      ASSERT_NEAR(samples[i], expected[i], 0.8e-3) << rate << ", " << i;
    }
  }
}

TEST(ResamplerTest, WhatTheRateCannotHoldIsGone) {
  for (const uint32_t rate : {22050u, 24000u, 32000u, 44100u, 44101u, 48000u}) {
    for (const uint32_t hz : {8900u, 10000u, rate / 2 - 100}) {
      const std::vector<float> samples = Resample(
          rate, MakeSound({{"tone", 0, 1000000, 1.0, hz}}, rate, rate));
      for (size_t i = 100; i < samples.size() - 100; ++i) {
        ASSERT_NEAR(samples[i], 0, 1.1e-4) << rate << ", " << hz << ", " << i;
      }
    }
  }
}

TEST(ResamplerTest, SilenceAndAConstantStayThemselves) {
  for (const uint32_t rate : kRates) {
    for (const float value : {0.0f, 0.5f}) {
      const std::vector<float> samples =
          Resample(rate, std::vector<float>(rate / 10, value));
      for (size_t i = 50; i < samples.size() - 50; ++i) {
        ASSERT_NEAR(samples[i], value, value * 1e-6) << rate;
      }
    }
  }
}

TEST(ResamplerTest, PiecesMakeNoDifference) {
  for (const uint32_t rate : kRates) {
    const std::vector<float> sound =
        MakeSound({{"noise", 0, 5000, 1.0}}, 5000, rate);
    const std::vector<float> whole = Resample(rate, sound);
    for (const size_t most : {1, 7, 1000}) {
      ASSERT_EQ(Resample(rate, sound, most), whole) << rate << ", " << most;
    }
    for (const size_t size : {0, 1, 2, 3, 47, 600}) {
      EXPECT_EQ(Resample(rate, std::span(sound).first(size), 5).size(),
                (size * 16000 + rate - 1) / rate)
          << rate << ", " << size;
    }
  }
}

TEST(ResamplerTest, WhatIsNoNumberIsSilence) {
  for (const uint32_t rate : {16000u, 44100u}) {
    std::vector<float> sound = MakeSound({{"noise", 0, 3000, 1.0}}, 3000, rate);
    std::vector<float> repaired = sound;
    const float wrong[] = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(), 1e30f};
    for (size_t i = 0; i < std::size(wrong); ++i) {
      sound[100 + 5 * i] = wrong[i];
      repaired[100 + 5 * i] = 0;
    }
    EXPECT_EQ(Resample(rate, sound), Resample(rate, repaired));
  }
}

}  // namespace latimer::resampler_test
