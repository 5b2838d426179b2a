// Random Whispers write what CTranslate2 writes from the same sounds; see
// tests/reference/make_tiny_whisper.py. And what a transcriber refuses.
// Tests runtime/transcriber.cc, runtime/transformer/frames.cc,
// runtime/transformer/int8_attention.cc,
// converter/readers/whisper.cc.
#include "latimer/transcriber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "converter/readers/open_model.h"
#include "latimer/plan.h"
#include "tests/system/fixture_check.h"

namespace latimer::transcriber_test {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

fs::path Folder(const std::string& name) {
  return TestData("tiny_whisper") / name;
}

ModelBytes Convert(const std::string& name, WeightType weights) {
  return WriteForThisCpu(OpenModel(Folder(name), /*with_tokenizer=*/true),
                         weights);
}

// As in make_tiny_whisper.py.
std::vector<float> Sawtooth(size_t samples, int64_t step) {
  std::vector<float> sound(samples);
  for (size_t i = 0; i < samples; ++i) {
    const auto n = static_cast<int64_t>(i);
    const float level = n / 4000 % 2 == 1 ? 1.0f : 0.25f;
    sound[i] = static_cast<float>(n * step % 1000 - 500) / 1000.0f * level;
  }
  return sound;
}

struct Loaded {
  explicit Loaded(const std::string& name,
                  WeightType weights = WeightType::kF32)
      : file(Convert(name, weights)) {
    const Status status = translator.Load(file.bytes(), &test_workspace);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  ModelBytes file;
  Translator translator;
  Transcriber transcriber{translator};
};

Ids IdsOf(const Result<Transcription>& transcription) {
  EXPECT_TRUE(transcription.ok()) << transcription.status().message();
  if (!transcription.ok()) return {};
  return {transcription->tokens.begin(), transcription->tokens.end()};
}

void ExpectSounds(const std::string& name) {
  Loaded loaded(name);
  const nlohmann::json fixture = ReadFixture(Folder(name));
  ASSERT_GE(fixture["sounds"].size(), 6u);
  for (const nlohmann::json& sound : fixture["sounds"]) {
    SCOPED_TRACE(sound.dump());
    TranscribeOptions options;
    options.max_tokens = fixture["max_tokens"].get<uint32_t>();
    const auto language = sound.value("language", std::string());
    options.language = language;
    const Result<Transcription> said = loaded.transcriber.Transcribe(
        Sawtooth(sound["samples"], sound["step"]), options);
    EXPECT_EQ(IdsOf(said), sound["ids"].get<Ids>());
    EXPECT_NEAR(said->no_speech, sound["no_speech"].get<float>(), 1e-5f);
    EXPECT_EQ(said->language, language);
  }
}

TEST(TranscriberTest, IdsOfCTranslate2sFolderEqualItsOwn) {
  ExpectSounds("english");
}

TEST(TranscriberTest, IdsOfHuggingFacesFolderEqualThoseOfCTranslate2) {
  ExpectSounds("languages");
}

TEST(TranscriberTest, AnExactWorkspaceGivesTheSame) {
  const ModelBytes file = Convert("english", WeightType::kF32);
  InfoScratch scratch;
  const Result<WorkspacePlan> plan =
      PlanWorkspace(file.bytes(), {.lanes = 1}, &scratch);
  ASSERT_TRUE(plan.ok());
  std::vector<std::byte> memory(plan->bytes + alignof(Workspace));
  void* begin = memory.data();
  size_t room = memory.size();
  ASSERT_NE(std::align(alignof(Workspace), plan->bytes, begin, room), nullptr);
  Translator translator;
  const Status status = translator.Load(
      file.bytes(), {static_cast<std::byte*>(begin), plan->bytes},
      {.lanes = 1});
  ASSERT_TRUE(status.ok()) << status.message();
  Transcriber transcriber(translator);
  Loaded loaded("english");
  const std::vector<float> sound = Sawtooth(20000, 137);
  EXPECT_EQ(IdsOf(transcriber.Transcribe(sound)),
            IdsOf(loaded.transcriber.Transcribe(sound)));
}

// The numbers of int8 are those of f32 but for rounding, and the same in every
// tile, with any number of threads and in a window that ends early.
TEST(TranscriberTest, Int8GivesTheSameEverywhere) {
  const CanonicalModel model =
      OpenModel(Folder("english"), /*with_tokenizer=*/true);
  const std::vector<float> sound = Sawtooth(20000, 137);
  for (const bool short_window : {false, true}) {
    SCOPED_TRACE(short_window);
    const TranscribeOptions options = {.short_window = short_window};
    const float no_speech =
        Loaded("english").transcriber.Transcribe(sound, options)->no_speech;
    std::optional<float> first;
    Ids ids;
    for (const Tile tile : {Tile::k16x8, Tile::k8x8, Tile::k4x8, Tile::k8x2s4,
                            Tile::k16x4, Tile::k4x4}) {
      const ModelBytes file = WriteForThisCpu(model, WeightType::kInt8, tile);
      for (const uint32_t threads : {1u, 2u, 3u}) {
        Translator translator;
        if (!translator
                 .Load(file.bytes(), &test_workspace, {.threads = threads})
                 .ok()) {
          continue;
        }
        SCOPED_TRACE(NameOf(tile));
        SCOPED_TRACE(threads);
        Transcriber transcriber(translator);
        const Result<Transcription> said =
            transcriber.Transcribe(sound, options);
        const Ids own = IdsOf(said);
        if (!first) {
          first = said->no_speech;
          ids = own;
          // Random weights round badly.
          EXPECT_GT(*first, 0.5f * no_speech);
          EXPECT_LT(*first, 2.0f * no_speech);
        }
        EXPECT_EQ(said->no_speech, *first);
        EXPECT_EQ(own, ids);
      }
    }
    EXPECT_TRUE(first.has_value());
  }
}

TEST(TranscriberTest, ALanguageThatIsNotGivenIsTheMostLikely) {
  Loaded loaded("languages");
  const std::vector<float> sound = Sawtooth(20000, 137);
  const Result<Transcription> detected = loaded.transcriber.Transcribe(sound);
  ASSERT_TRUE(detected.ok());
  const std::string language(detected->language);
  EXPECT_GT(detected->language_probability, 0.5f);
  EXPECT_LT(detected->language_probability, 1.0f);
  const Ids ids = IdsOf(detected);
  EXPECT_EQ(IdsOf(loaded.transcriber.Transcribe(sound, {.language = language})),
            ids);
  const char* const other = language == "en" ? "de" : "en";
  EXPECT_NE(IdsOf(loaded.transcriber.Transcribe(sound, {.language = other})),
            ids);
}

TEST(TranscriberTest, TranslatingIsAnotherTask) {
  Loaded loaded("languages");
  const std::vector<float> sound = Sawtooth(20000, 137);
  EXPECT_NE(IdsOf(loaded.transcriber.Transcribe(
                sound, {.language = "de", .translate = true})),
            IdsOf(loaded.transcriber.Transcribe(sound, {.language = "de"})));
}

TEST(TranscriberTest, AShortWindowEndsWithItsSamples) {
  Loaded loaded("english");
  // A window that is full is the same either way.
  const std::vector<float> full =
      Sawtooth(loaded.transcriber.window_samples(), 137);
  EXPECT_EQ(loaded.transcriber.window_samples(), 100u * 320);
  EXPECT_EQ(IdsOf(loaded.transcriber.Transcribe(full, {.short_window = true})),
            IdsOf(loaded.transcriber.Transcribe(full)));
  for (const size_t samples : {1, 319, 320, 321, 5000}) {
    EXPECT_TRUE(loaded.transcriber
                    .Transcribe(Sawtooth(samples, 137), {.short_window = true})
                    .ok())
        << samples;
  }
}

TEST(TranscriberTest, IntegersHearNearlyTheSame) {
  Loaded loaded("english", WeightType::kInt8);
  const nlohmann::json fixture = ReadFixture(Folder("english"));
  size_t equal = 0;
  for (const nlohmann::json& sound : fixture["sounds"]) {
    TranscribeOptions options;
    options.max_tokens = fixture["max_tokens"].get<uint32_t>();
    const Ids ids = IdsOf(loaded.transcriber.Transcribe(
        Sawtooth(sound["samples"], sound["step"]), options));
    equal += !ids.empty() && ids[0] == sound["ids"][0] ? 1 : 0;
  }
  EXPECT_GE(equal, 4u);  // Widths of 16 quantize badly.
}

std::string ErrorOf(const Status& status) {
  EXPECT_FALSE(status.ok());
  return status.message();
}

TEST(TranscriberTest, WhatIsNoSpeechIsRefused) {
  Loaded loaded("english");
  const int32_t ids[] = {1, 2};
  EXPECT_THAT(ErrorOf(loaded.translator.Translate("Hello.").status()),
              HasSubstr("reads speech"));
  EXPECT_THAT(ErrorOf(loaded.translator.TranslateIds(ids).status()),
              HasSubstr("reads speech"));
  const std::vector<float> sound = Sawtooth(32001, 3);
  const auto refused = [&](std::span<const float> samples,
                           const TranscribeOptions& options) {
    return ErrorOf(loaded.transcriber.Transcribe(samples, options).status());
  };
  EXPECT_THAT(refused({}, {}), HasSubstr("0 samples"));
  EXPECT_THAT(refused(sound, {}), HasSubstr("1 to 32000"));
  const std::span<const float> some = std::span(sound).first(9000);
  EXPECT_THAT(refused(some, {.max_tokens = 0}), HasSubstr("from 1"));
  EXPECT_TRUE(
      loaded.transcriber.Transcribe(some, {.max_tokens = UINT32_MAX}).ok());
  EXPECT_THAT(refused(some, {.language = "de"}), HasSubstr("English alone"));
  EXPECT_THAT(refused(some, {.translate = true}), HasSubstr("English alone"));
  EXPECT_TRUE(loaded.transcriber.Transcribe(some, {.language = "en"}).ok());
  Loaded languages("languages");
  EXPECT_THAT(
      ErrorOf(
          languages.transcriber.Transcribe(some, {.language = "fr"}).status()),
      HasSubstr("fr"));
}

TEST(TranscriberTest, AModelThatReadsTextHearsNothing) {
  Translator translator;
  Transcriber transcriber(translator);
  EXPECT_EQ(transcriber.window_samples(), 0u);
  const std::vector<float> sound = Sawtooth(100, 3);
  EXPECT_THAT(ErrorOf(transcriber.Transcribe(sound).status()),
              HasSubstr("Load"));
  const ModelBytes file =
      ConvertModel(TestData("tiny_marian") / "bad_words", WeightType::kF32);
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  EXPECT_EQ(transcriber.window_samples(), 0u);
  EXPECT_THAT(ErrorOf(transcriber.Transcribe(sound).status()),
              HasSubstr("reads text"));
}

TEST(WhisperReaderTest, ItsTokenizerIsNeeded) {
  EXPECT_THAT(
      [] { (void)OpenModel(Folder("english"), /*with_tokenizer=*/false); },
      ::testing::ThrowsMessage<std::exception>(HasSubstr("--no-tokenizer")));
}

}  // namespace latimer::transcriber_test
