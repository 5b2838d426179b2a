// Random Whispers write what CTranslate2 writes from the same sounds; see
// tests/reference/make_tiny_whisper.py. And what a transcriber refuses.
// Tests runtime/transcriber.cc, runtime/speech/decoder.cc,
// runtime/speech/timestamps.cc, runtime/speech/compression.cc,
// runtime/audio/pause.cc, runtime/transformer/frames.cc,
// runtime/transformer/int8_attention.cc,
// converter/readers/whisper.cc.
#include "latimer/transcriber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "converter/readers/open_model.h"
#include "internals.h"
#include "latimer/internal/memory_plan.h"
#include "latimer/plan.h"
#include "speech/compression.h"
#include "speech/timestamps.h"
#include "tests/system/fixture_check.h"

namespace latimer::transcriber_test {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

fs::path Folder(const std::string& name) {
  return TestData("tiny_whisper") / name;
}

// What random weights write is too unlikely for a text that has second tries.
constexpr TranscribeOptions kGreedy = {.timestamps = false, .fallback = false};

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

// What a window of so many positions makes the network write.
Ids Heard(Translator& translator, size_t positions) {
  Ids ids(20);
  const Status status =
      Internals::HearSound(translator, Sawtooth(positions * 320, 137), ids);
  EXPECT_TRUE(status.ok()) << status.message();
  return ids;
}

struct Loaded {
  explicit Loaded(const std::string& name,
                  WeightType weights = WeightType::kF32)
      : file(Convert(name, weights)) {
    const Status status = translator.Load(file.bytes(), &test_workspace);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  // A recording of its own.
  Result<Transcription> Transcribe(std::span<const float> samples,
                                   const TranscribeOptions& options = kGreedy) {
    return Transcriber(translator).Transcribe(samples, options);
  }

  ModelBytes file;
  Translator translator;
};

Ids IdsOf(const Result<Transcription>& transcription) {
  EXPECT_TRUE(transcription.ok()) << transcription.status().message();
  if (!transcription.ok()) return {};
  return {transcription->tokens.begin(), transcription->tokens.end()};
}

void ExpectSounds(const std::string& name) {
  Loaded loaded(name);
  const nlohmann::json fixture = ReadFixture(Folder(name));
  ASSERT_GE(fixture["sounds"].size(), 4u);
  for (const nlohmann::json& sound : fixture["sounds"]) {
    SCOPED_TRACE(name + ": " + sound.dump());
    TranscribeOptions options = kGreedy;
    options.max_tokens = fixture["max_tokens"].get<uint32_t>();
    const auto language = sound.value("language", std::string());
    options.language = language;
    const std::vector<float> samples =
        Sawtooth(sound["samples"], sound["step"]);
    const Result<Transcription> said = loaded.Transcribe(samples, options);
    EXPECT_EQ(IdsOf(said), sound["ids"].get<Ids>());
    EXPECT_NEAR(said->no_speech_prob, sound["no_speech"].get<float>(), 1e-5f);
    EXPECT_EQ(said->language, language);
    options.timestamps = true;
    EXPECT_EQ(IdsOf(loaded.Transcribe(samples, options)),
              sound["timed"].get<Ids>());
    const auto prompt = fixture["prompt"].get<std::string>();
    options.prompt = prompt;
    EXPECT_EQ(IdsOf(loaded.Transcribe(samples, options)),
              sound["prompted"].get<Ids>());
  }
}

TEST(TranscriberTest, IdsOfCTranslate2sFolderEqualItsOwn) {
  ExpectSounds("english");
}

TEST(TranscriberTest, IdsOfHuggingFacesFolderEqualThoseOfCTranslate2) {
  ExpectSounds("languages");
}

TEST(TranscriberTest, IdsOfOtherShapesEqualThoseOfBoth) {
  const char* const folder = std::getenv("LATIMER_WHISPERS");
  if (folder == nullptr) GTEST_SKIP() << "LATIMER_WHISPERS is not set";
  for (const auto& each : fs::directory_iterator(folder)) {
    ExpectSounds(each.path().string());
  }
}

// A model in a workspace of just the bytes that are planned for it. The file
// must outlive it.
class Exact {
 public:
  explicit Exact(const ModelBytes& file) {
    InfoScratch scratch;
    const Result<WorkspacePlan> plan =
        PlanWorkspace(file.bytes(), {.lanes = 1}, &scratch);
    EXPECT_TRUE(plan.ok());
    memory_.resize(plan->bytes + alignof(Workspace));
    void* begin = memory_.data();
    size_t room = memory_.size();
    EXPECT_NE(std::align(alignof(Workspace), plan->bytes, begin, room),
              nullptr);
    const Status status = translator_.Load(
        file.bytes(), {static_cast<std::byte*>(begin), plan->bytes},
        {.lanes = 1});
    EXPECT_TRUE(status.ok()) << status.message();
  }
  Result<Transcription> Transcribe(std::span<const float> samples,
                                   const TranscribeOptions& options) {
    return Transcriber(translator_).Transcribe(samples, options);
  }
  Translator& translator() { return translator_; }
  size_t bytes() const { return memory_.size(); }

 private:
  std::vector<std::byte> memory_;
  Translator translator_;
};

TEST(TranscriberTest, AnExactWorkspaceGivesTheSame) {
  const ModelBytes file = Convert("english", WeightType::kF32);
  Exact exact(file);
  Loaded loaded("english");
  const std::vector<float> sound = Sawtooth(20000, 137);
  EXPECT_EQ(IdsOf(exact.Transcribe(sound, kGreedy)),
            IdsOf(loaded.Transcribe(sound)));
}

// The whole workspace has room for floats, the exact one has not.
TEST(TranscriberTest, Int8NeedsNoRoomForFloats) {
  CanonicalModel model = OpenModel(Folder("english"), /*with_tokenizer=*/true);
  Architecture& a = model.architecture;
  // As published Whispers, it has heads of a multiple of 16 numbers.
  a.encoder_heads = a.decoder_heads = 1;
  a.encoder_head_dim = a.decoder_head_dim = a.d_model;
  ASSERT_EQ(a.d_model, 16u);
  const ModelBytes file = WriteForThisCpu(model, WeightType::kInt8);
  const uint64_t packed =
      PackedCrossBytes(a.decoder_layers, 1, a.d_model, a.source_positions);
  const uint64_t floats =
      sizeof(float) * a.decoder_layers * 2 * a.d_model * a.source_positions;
  ASSERT_LT(packed, floats);
  Exact exact(file);
  EXPECT_EQ(exact.bytes() + floats - packed,
            Exact(WriteForThisCpu(model, WeightType::kF32)).bytes());
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  for (const size_t positions : {1, 8, 15, 16, 17, 40, 99, 100}) {
    SCOPED_TRACE(positions);
    EXPECT_EQ(Heard(exact.translator(), positions),
              Heard(translator, positions));
  }
}

// The numbers of int8 are those of f32 but for rounding, and the same in every
// tile, with any number of threads and in a window that ends early.
TEST(TranscriberTest, Int8GivesTheSameEverywhere) {
  const CanonicalModel model =
      OpenModel(Folder("english"), /*with_tokenizer=*/true);
  const std::vector<float> sound = Sawtooth(20000, 137);
  const float no_speech = Loaded("english").Transcribe(sound)->no_speech_prob;
  std::optional<float> first;
  Ids ids, short_ids;
  for (const Tile tile : {Tile::k16x8, Tile::k8x8, Tile::k4x8, Tile::k8x2s4,
                          Tile::k16x4, Tile::k4x4}) {
    const ModelBytes file = WriteForThisCpu(model, WeightType::kInt8, tile);
    for (const uint32_t threads : {1u, 2u, 3u}) {
      Translator translator;
      if (!translator.Load(file.bytes(), &test_workspace, {.threads = threads})
               .ok()) {
        continue;
      }
      SCOPED_TRACE(NameOf(tile));
      SCOPED_TRACE(threads);
      const Ids heard = Heard(translator, 63);
      Transcriber transcriber(translator);
      const Result<Transcription> said =
          transcriber.Transcribe(sound, {.fallback = false});
      const Ids own = IdsOf(said);
      if (!first) {
        first = said->no_speech_prob;
        ids = own;
        short_ids = heard;
        // Random weights round badly.
        EXPECT_GT(*first, 0.5f * no_speech);
        EXPECT_LT(*first, 2.0f * no_speech);
      }
      EXPECT_EQ(said->no_speech_prob, *first);
      EXPECT_EQ(own, ids);
      EXPECT_EQ(heard, short_ids);
    }
  }
  EXPECT_TRUE(first.has_value());
}

TEST(TranscriberTest, ASoundThatDoesNotFitIsNotHeard) {
  Loaded loaded("english");
  Ids ids(41);
  for (const auto& [positions, tokens] :
       {std::pair<size_t, size_t>{0, 1}, {101, 1}, {1, 0}, {1, 41}}) {
    EXPECT_EQ(
        Internals::HearSound(loaded.translator, Sawtooth(positions * 320, 137),
                             std::span(ids).first(tokens))
            .code(),
        StatusCode::kInvalidArgument);
  }
}

TEST(TranscriberTest, ALanguageThatIsNotGivenIsTheMostLikely) {
  Loaded loaded("languages");
  const std::vector<float> sound = Sawtooth(20000, 137);
  const Result<Transcription> detected =
      loaded.Transcribe(sound, {.fallback = false});
  ASSERT_TRUE(detected.ok());
  const std::string language(detected->language);
  EXPECT_GT(detected->language_probability, 0.5f);
  EXPECT_LT(detected->language_probability, 1.0f);
  const Ids ids = IdsOf(detected);
  EXPECT_EQ(IdsOf(loaded.Transcribe(sound,
                                    {.language = language, .fallback = false})),
            ids);
  const char* const other = language == "en" ? "de" : "en";
  EXPECT_NE(
      IdsOf(loaded.Transcribe(sound, {.language = other, .fallback = false})),
      ids);
}

TEST(TranscriberTest, TranslatingIsAnotherTask) {
  Loaded loaded("languages");
  const std::vector<float> sound = Sawtooth(20000, 137);
  EXPECT_NE(
      IdsOf(loaded.Transcribe(
          sound, {.language = "de", .translate = true, .fallback = false})),
      IdsOf(loaded.Transcribe(sound, {.language = "de", .fallback = false})));
}

TEST(TranscriberTest, AShortWindowIsNoLongerThanAWindow) {
  Loaded loaded("english");
  // A window that is full is the same either way.
  const std::vector<float> full =
      Sawtooth(Transcriber(loaded.translator).window_samples(), 137);
  EXPECT_EQ(Transcriber(loaded.translator).window_samples(), 100u * 320);
  EXPECT_EQ(
      IdsOf(loaded.Transcribe(full, {.short_window = true, .fallback = false})),
      IdsOf(loaded.Transcribe(full, {.fallback = false})));
  for (const size_t samples : {1, 319, 320, 321, 5000}) {
    EXPECT_TRUE(loaded
                    .Transcribe(Sawtooth(samples, 137),
                                {.short_window = true, .fallback = false})
                    .ok())
        << samples;
  }
}

TEST(TranscriberTest, IntegersHearNearlyTheSame) {
  Loaded loaded("english", WeightType::kInt8);
  const nlohmann::json fixture = ReadFixture(Folder("english"));
  size_t equal = 0;
  for (const nlohmann::json& sound : fixture["sounds"]) {
    TranscribeOptions options = kGreedy;
    options.max_tokens = fixture["max_tokens"].get<uint32_t>();
    const Ids ids = IdsOf(
        loaded.Transcribe(Sawtooth(sound["samples"], sound["step"]), options));
    equal += !ids.empty() && ids[0] == sound["ids"][0] ? 1 : 0;
  }
  EXPECT_GE(equal, 4u);  // Widths of 16 quantize badly.
}

TEST(TranscriberTest, OnlySpeechThatGoesOnIsCutInAPause) {
  Loaded loaded("english");
  const size_t window = Transcriber(loaded.translator).window_samples();
  // Each other quarter of a second is quiet.
  std::vector<float> sound = Sawtooth(window + 1, 137);
  std::fill(sound.begin() + 26000, sound.begin() + 30000, 0.0f);
  const auto used = [&](size_t samples) {
    const auto said =
        loaded.Transcribe(std::span(sound).first(samples), kGreedy);
    EXPECT_TRUE(said.ok());
    return said->used_samples;
  };
  EXPECT_EQ(used(window), window);
  EXPECT_EQ(used(9000), 9000u);
  EXPECT_GE(used(window + 1), 26000u);
  EXPECT_LE(used(window + 1), 30000u);
}

TEST(TranscriberTest, SegmentsFollowEachOther) {
  Loaded loaded("english");
  const std::vector<float> sound = Sawtooth(100000, 137);
  Transcriber transcriber(loaded.translator);
  std::span<const float> rest = sound;
  double end = 0;
  size_t count = 0;
  while (!rest.empty()) {
    const auto said = transcriber.Transcribe(rest, {.fallback = false});
    ASSERT_TRUE(said.ok()) << said.status().message();
    std::string text;
    for (const TranscriptionSegment& segment : said->segments) {
      EXPECT_GE(segment.start, end);
      EXPECT_LT(segment.start, segment.end);
      EXPECT_FALSE(segment.tokens.empty());
      EXPECT_LT(segment.avg_logprob, 0.0f);
      EXPECT_GT(segment.compression_ratio, 0.0f);
      EXPECT_EQ(segment.no_speech_prob, said->no_speech_prob);
      end = segment.end;
      text += segment.text;
      ++count;
    }
    EXPECT_THAT(text, HasSubstr(std::string(said->text)));
    ASSERT_GT(said->used_samples, 0u);
    rest = rest.subspan(said->used_samples);
  }
  EXPECT_GT(count, 3u);
  EXPECT_LE(end, 100000 / 16000.0);
}

TEST(TranscriberTest, AWindowContinuesTheTextBeforeIt) {
  Loaded loaded("english");
  const std::vector<float> sound = Sawtooth(60000, 137);
  TranscribeOptions options = kGreedy;
  const auto second = [&] {
    Transcriber transcriber(loaded.translator);
    const auto first = transcriber.Transcribe(sound, options);
    EXPECT_TRUE(first.ok());
    return std::pair(
        first->used_samples,
        IdsOf(transcriber.Transcribe(
            std::span(sound).subspan(first->used_samples), options)));
  };
  const auto [used, continued] = second();
  const Ids alone =
      IdsOf(loaded.Transcribe(std::span(sound).subspan(used), options));
  EXPECT_NE(continued, alone);
  options.condition_on_previous_text = false;
  EXPECT_EQ(second(), std::pair(used, alone));
}

TEST(TranscriberTest, WhatIsUnlikelyToTheLastIsLeftOut) {
  Loaded loaded("english");
  const std::vector<float> sound = Sawtooth(20000, 137);
  const auto greedy = loaded.Transcribe(sound);
  ASSERT_TRUE(greedy.ok());
  ASSERT_FALSE(greedy->segments.empty());
  EXPECT_EQ(greedy->segments[0].temperature, 0.0f);
  EXPECT_LT(greedy->segments[0].avg_logprob, -1.0f);
  const auto drawn = loaded.Transcribe(sound, {.timestamps = false});
  ASSERT_TRUE(drawn.ok());
  EXPECT_TRUE(drawn->segments.empty());
  EXPECT_TRUE(drawn->text.empty());
  EXPECT_EQ(drawn->used_samples, sound.size());
}

TEST(TranscriberTest, SilenceIsNoText) {
  Loaded loaded("english");
  std::vector<float> sound(20000, 0.0001f);
  const auto silent = loaded.Transcribe(sound);
  ASSERT_TRUE(silent.ok());
  EXPECT_TRUE(silent->segments.empty());
  EXPECT_EQ(silent->used_samples, sound.size());
  EXPECT_EQ(silent->no_speech_prob, 1.0f);
  sound.back() = -0.0002f;
  EXPECT_LT(loaded.Transcribe(sound)->no_speech_prob, 1.0f);
}

TEST(TranscriberTest, ACancelledWindowEnds) {
  Loaded loaded("english");
  const std::atomic<bool> cancel = true;
  const auto said =
      loaded.Transcribe(Sawtooth(20000, 137), {.cancel = &cancel});
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(said->stop_reason, StopReason::kCancelled);
  EXPECT_TRUE(said->segments.empty());
}

// Times are tokens from 100 on.
std::vector<std::array<int, 3>> SegmentsOf(const Ids& ids, int* used) {
  SegmentReader reader(100, ids);
  std::vector<std::array<int, 3>> found;
  while (const std::optional<TokenSegment> part = reader.Next()) {
    found.push_back({static_cast<int>(part->start_time),
                     part->end_time ? static_cast<int>(*part->end_time) : -1,
                     static_cast<int>(part->text.size())});
  }
  *used = reader.used_time() ? static_cast<int>(*reader.used_time()) : -1;
  return found;
}

TEST(TimestampsTest, PairsDivideAWindow) {
  using Found = std::vector<std::array<int, 3>>;
  int used = 0;
  EXPECT_EQ(SegmentsOf({}, &used), Found());
  // Not a pair: all of the window is used.
  EXPECT_EQ(SegmentsOf({100, 1, 2}, &used), (Found{{0, -1, 2}}));
  EXPECT_EQ(used, -1);
  EXPECT_EQ(SegmentsOf({105, 1, 2, 110}, &used), (Found{{0, 10, 2}}));
  EXPECT_EQ(used, -1);
  // What follows the last pair is heard again.
  EXPECT_EQ(SegmentsOf({105, 1, 110, 112, 2}, &used), (Found{{5, 10, 1}}));
  EXPECT_EQ(used, 10);
  EXPECT_EQ(SegmentsOf({105, 1, 110, 112, 2, 120, 120}, &used),
            (Found{{5, 10, 1}, {12, 20, 1}}));
  EXPECT_EQ(used, 20);
  // A single one at the end: nothing follows.
  EXPECT_EQ(SegmentsOf({105, 1, 110, 112, 2, 120}, &used),
            (Found{{5, 10, 1}, {12, 20, 1}}));
  EXPECT_EQ(used, -1);
}

// Which of 8 texts, EOS = 8, <|notimestamps|> = 9 and times from 10 on may
// follow.
std::string Allowed(const Ids& ids) {
  std::vector<float> logits(170, 1.0f);
  BanByTimestamps({.no_timestamps = 9, .first_timestamp = 10}, 8, ids, logits);
  std::string out;
  for (size_t i = 0; i < logits.size(); ++i) {
    const bool is = logits[i] == 1.0f;
    const bool was = i > 0 && logits[i - 1] == 1.0f;
    if (is != was) out += std::to_string(i) + (is ? "-" : " ");
  }
  return out;
}

TEST(TimestampsTest, TimesComeInPairsAndAscend) {
  EXPECT_EQ(Allowed({}), "10-61 ");            // The first second.
  EXPECT_EQ(Allowed({20}), "0-9 ");            // Text,
  EXPECT_EQ(Allowed({20, 1}), "0-9 21-");      // then more, or the end,
  EXPECT_EQ(Allowed({20, 1, 30}), "8-9 30-");  // then the next beginning,
  EXPECT_EQ(Allowed({20, 1, 30, 30}), "0-9 ");
  EXPECT_EQ(Allowed({20, 1, 30, 35, 2}), "0-9 36-");
}

TEST(CompressionTest, RatiosAreThoseOfZlib) {
  CompressionScratch scratch;
  EXPECT_EQ(CompressionRatio("", &scratch), 0.0f);
  const auto repeated = [](const char* text, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  EXPECT_NEAR(
      CompressionRatio(
          repeated("Ever tried, ever failed. No matter, try again. ", 1),
          &scratch),
      0.92f, 0.05f);
  EXPECT_NEAR(
      CompressionRatio(
          repeated("Ever tried, ever failed. No matter, try again. ", 2),
          &scratch),
      1.71f, 0.09f);
  EXPECT_NEAR(
      CompressionRatio(
          repeated("Ever tried, ever failed. No matter, try again. ", 3),
          &scratch),
      2.56f, 0.13f);
  EXPECT_NEAR(
      CompressionRatio(
          repeated("Ever tried, ever failed. No matter, try again. ", 12),
          &scratch),
      9.89f, 0.49f);
  EXPECT_NEAR(CompressionRatio(repeated(" you", 100), &scratch), 23.53f, 3.0f);
  EXPECT_NEAR(CompressionRatio(repeated("a", 1), &scratch), 0.11f, 0.02f);
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
    return ErrorOf(loaded.Transcribe(samples, options).status());
  };
  EXPECT_THAT(refused({}, {}), HasSubstr("0 samples"));
  const std::span<const float> some = std::span(sound).first(9000);
  EXPECT_THAT(refused(some, {.max_tokens = 0}), HasSubstr("from 1"));
  EXPECT_TRUE(loaded.Transcribe(some, {.max_tokens = UINT32_MAX}).ok());
  EXPECT_THAT(refused(some, {.language = "de"}), HasSubstr("English alone"));
  EXPECT_THAT(refused(some, {.translate = true}), HasSubstr("English alone"));
  EXPECT_TRUE(loaded.Transcribe(some, {.language = "en"}).ok());
  const std::string prompt(1000, 'a');
  EXPECT_THAT(refused(some, {.prompt = prompt}),
              HasSubstr("prompt has more than"));
  Loaded languages("languages");
  EXPECT_THAT(ErrorOf(languages.Transcribe(some, {.language = "fr"}).status()),
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
