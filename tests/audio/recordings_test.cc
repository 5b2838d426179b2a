// From a recording's bytes to features, which are those of transformers'
// WhisperFeatureExtractor. None is committed: tests/trained/recordings.py
// downloads them, and LATIMER_RECORDINGS is their folder.
// Tests runtime/audio/wav_reader.cc, runtime/audio/resampler.cc,
// runtime/audio/log_mel.cc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "audio/log_mel.h"
#include "audio/wav_reader.h"
#include "tests/audio/sounds.h"

namespace latimer::recordings_test {

// Its samples at 16 kHz; no recording has more than a minute.
std::vector<float> Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  const auto reader = std::make_unique<WavReader>();
  reader->StartWav();
  std::vector<float> samples(60 * kSampleRate);
  std::span<const uint8_t> rest(reinterpret_cast<const uint8_t*>(bytes.data()),
                                bytes.size());
  const Result<size_t> fed = reader->Feed(&rest, samples);
  EXPECT_TRUE(fed.ok()) << fed.status().message();
  const Result<size_t> last =
      reader->Finish(std::span(samples).subspan(fed.value()));
  EXPECT_TRUE(last.ok()) << last.status().message();
  samples.resize(fed.value() + last.value());
  return samples;
}

TEST(RecordingsTest, FeaturesAreThoseOfTheReference) {
  const char* const folder = std::getenv("LATIMER_RECORDINGS");
  if (folder == nullptr) GTEST_SKIP() << "LATIMER_RECORDINGS is not set";
  const auto scratch = std::make_unique<LogMelScratch>();
  for (const nlohmann::json& row : ReadAudioFixture("recordings.json")) {
    const std::vector<float> samples =
        Read(std::filesystem::path(folder) / row["file"].get<std::string>());
    ASSERT_EQ(samples.size(), row["samples"].get<size_t>()) << row["file"];
    const auto bins = row["bins"].get<size_t>();
    std::vector<float> features(kMaxMelFrames * bins);
    LogMel(samples, bins, features, scratch.get());
    for (const nlohmann::json& at : row["features"]) {
      const auto frame = at[0].get<size_t>(), bin = at[1].get<size_t>();
      EXPECT_NEAR(features[frame * bins + bin], at[2].get<float>(), 1e-4)
          << row["file"] << ", " << bins << " bins, frame " << frame;
    }
  }
}

}  // namespace latimer::recordings_test
