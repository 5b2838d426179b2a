// Words of speech and their times: the steps of the alignment, the rules of
// words, and what random Whispers give. The published model's words are
// compared with CTranslate2's in tests/trained/whisper.py.
// Tests runtime/speech/alignment.cc, runtime/speech/words.cc,
// runtime/transcriber.cc, runtime/transformer/decoder.cc,
// converter/readers/whisper.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "converter/readers/open_model.h"
#include "latimer/transcriber.h"
#include "model/model_file.h"
#include "speech/words.h"
#include "tests/system/tiny_model.h"

namespace latimer::word_times_test {

using ::testing::ElementsAre;

TEST(AlignmentTest, ColumnsAreNormalized) {
  std::vector<float> x = {1, 5, 3, 5, 5, 5};
  std::vector<float> scratch(4);
  NormalizeColumns(3, 2, x.data(), scratch.data());
  const float unit = std::sqrt(1.5f);
  const float expected[] = {-unit, 0, 0, 0, unit, 0};
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-6f);
}

TEST(AlignmentTest, MediansAreOfSevenNumbersReflectedAtTheEnds) {
  const std::vector<float> x = {9, 1, 2, 8, 3, 7, 4, 6};
  std::vector<float> scratch(x.size() + 22), y(x.size(), 1.0f);
  AddMedians(x, scratch.data(), y.data());
  // Around the first one: 8 2 1 9 1 2 8.
  EXPECT_THAT(y, ElementsAre(3, 3, 4, 5, 5, 5, 7, 5));
  std::vector<float> few = {0, 0, 0};
  AddMedians(std::vector<float>{5, 1, 7}, scratch.data(), few.data());
  EXPECT_THAT(few, ElementsAre(5, 1, 7));
}

std::vector<uint32_t> Path(size_t columns, std::vector<float> x) {
  std::vector<AlignedToken> rows(x.size() / columns);
  FindPath(columns, x.data(), rows);
  std::vector<uint32_t> firsts;
  for (const AlignedToken& row : rows) firsts.push_back(row.position);
  return firsts;
}

TEST(AlignmentTest, ThePathHasTheLargestSum) {
  EXPECT_THAT(Path(5, {3, 3, -1, -1, -1, -1, -1, 3, -1, -1, -1, -1, -1, 3, 3}),
              ElementsAre(0, 2, 3));
  // A row may have a column in common with the one before it.
  EXPECT_THAT(Path(2, {1, 1,  //
                       -9, 4, -9, 4}),
              ElementsAre(0, 1, 1));
  EXPECT_THAT(Path(1, {1, 2, 3}), ElementsAre(0, 0, 0));
  EXPECT_THAT(Path(3, {1, 2, 3}), ElementsAre(0));
}

std::vector<TranscriptionWord> Said(
    std::vector<std::tuple<const char*, double, double>> words) {
  std::vector<TranscriptionWord> said;
  for (const auto& [text, start, end] : words) {
    said.push_back({start, end, text});
  }
  return said;
}

TEST(WordsTest, TheUsualDurationIsTheMedian) {
  auto words = Said({{"a", 0, 10}, {"b", 10, 10}, {"c", 10, 40}});
  EXPECT_EQ(UsualDuration(words), 20);
  words.push_back({40, 60, "d"});
  EXPECT_EQ(UsualDuration(words), 20);
  EXPECT_EQ(UsualDuration(std::span(words).first(1)), 10);
  words[0].end = 1000;
  EXPECT_EQ(UsualDuration(std::span(words).first(1)), 70);
  EXPECT_EQ(UsualDuration({}), 0);
}

TEST(WordsTest, SentencesEndInTime) {
  auto words = Said(
      {{" a", 0, 100}, {".", 100, 200}, {" b", 200, 300}, {" c", 300, 400}});
  BoundWords(20, words);
  EXPECT_EQ(words[0].end, 100);
  EXPECT_EQ(words[1].end, 140);
  EXPECT_EQ(words[2].start, 260);
  EXPECT_EQ(words[3].start, 300);
}

TEST(WordsTest, MarksJoinTheirWords) {
  const std::string text = " \"Yes!\" (no) ¿sí, -";
  std::vector<TranscriptionWord> words;
  size_t at = 0;
  for (const size_t bytes : {2, 3, 1, 1, 2, 2, 1, 3, 3, 1, 2}) {
    const auto time = static_cast<double>(words.size());
    words.push_back({time, time + 1, std::string_view(text).substr(at, bytes)});
    at += bytes;
  }
  ASSERT_EQ(at, text.size());
  const Words joined = JoinMarks(words);
  std::vector<std::string> texts;
  for (const auto& word : joined) texts.emplace_back(word.text);
  EXPECT_THAT(texts, ElementsAre(" \"Yes!\"", " (no)", " ¿sí,", " -"));
  EXPECT_EQ(joined[0].start, 1);
  EXPECT_EQ(joined[0].end, 2);
}

TEST(WordsTest, ASegmentEndsWithItsWordsIfTheyAreNear) {
  auto words = Said({{" a", 100, 120}, {" b", 120, 150}});
  SegmentTimes near = {.last_speech = 100, .start = 80, .end = 190};
  FitWords(20, words, &near);
  EXPECT_EQ(near.start, 100);
  EXPECT_EQ(near.end, 150);
  EXPECT_EQ(near.last_speech, 150);
  // A word is not longer than it can be.
  words = Said({{" a", 100, 180}, {" b", 180, 300}});
  SegmentTimes far = {.last_speech = 100, .start = 155, .end = 200};
  FitWords(20, words, &far);
  EXPECT_EQ(words[0].start, 155);
  EXPECT_EQ(words[1].end, 200);
  // After a pause, neither are the first two.
  words = Said({{" a", 100, 200}, {" b", 200, 300}});
  SegmentTimes pause = {.last_speech = 0, .start = 260, .end = 300};
  FitWords(20, words, &pause);
  EXPECT_EQ(words[0].end, 260);
  EXPECT_EQ(words[0].start, 220);
  EXPECT_EQ(words[1].start, 260);
}

std::vector<float> Sound() {
  std::vector<float> sound(60000);
  for (size_t i = 0; i < sound.size(); ++i) {
    const float level = i / 4000 % 2 == 1 ? 1.0f : 0.25f;
    sound[i] = (static_cast<float>(i * 137 % 1000) - 500.0f) / 1000.0f * level;
  }
  return sound;
}

CanonicalModel Folder(const char* name) {
  return OpenModel(TestData("tiny_whisper") / name, /*with_tokenizer=*/true);
}

// The tokens of a text of tiny_whisper, which are its bytes.
std::vector<int32_t> BytesOf(std::string_view text) {
  std::vector<int32_t> tokens;
  for (const char c : text) tokens.push_back(static_cast<uint8_t>(c));
  return tokens;
}

std::vector<std::string> Split(const Tokenizer& tokenizer,
                               std::string_view text, bool spaces) {
  const std::vector<int32_t> tokens = BytesOf(text);
  std::vector<AlignedToken> aligned(tokens.size() + 1);
  for (uint32_t i = 0; i < aligned.size(); ++i) aligned[i] = {3 * i, 0.5f};
  std::vector<char> scratch(100);
  std::vector<TranscriptionWord> room(tokens.size());
  const Words words = SplitWords(tokenizer, {text, tokens, aligned}, spaces,
                                 /*offset=*/500, scratch, room);
  std::vector<std::string> texts;
  size_t at = 0;
  for (const TranscriptionWord& word : words) {
    texts.emplace_back(word.text);
    // A token is a byte, of 3 positions of 2 hundredths of a second.
    EXPECT_EQ(word.start, 500 + 6.0 * static_cast<double>(at));
    at += word.text.size();
    EXPECT_EQ(word.end, 500 + 6.0 * static_cast<double>(at));
    EXPECT_EQ(word.probability, 0.5f);
  }
  EXPECT_EQ(at, text.size());
  return texts;
}

TEST(WordsTest, WordsBeginWithSpaceOrAMark) {
  const ModelBytes file = WriteForThisCpu(Folder("english"), WeightType::kF32);
  Model model;
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, &model).ok());
  const Tokenizer tokenizer(model.tokenizer);
  const std::string text = " at x-y \u00e9\u4f60\U0001f600.";
  EXPECT_THAT(Split(tokenizer, text, true),
              ElementsAre(" at", " x", "-y", " \u00e9\u4f60\U0001f600", "."));
  EXPECT_THAT(Split(tokenizer, text, false),
              ElementsAre(" ", "a", "t", " ", "x", "-", "y", " ", "\u00e9",
                          "\u4f60", "\U0001f600", "."));
  EXPECT_THAT(Split(tokenizer, "", true), ElementsAre());
  EXPECT_TRUE(HasSpaces("en"));
  EXPECT_FALSE(HasSpaces("yue"));
}

// Words join to their segment, one after the other; the text is that without
// words.
TEST(WordTimesTest, WordsAreTheTextOfTheirSegments) {
  const std::vector<float> sound = Sound();
  for (const char* const name : {"english", "languages"}) {
    const ModelBytes file = WriteForThisCpu(Folder(name), WeightType::kF32);
    Translator translator;
    ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
    TranscribeOptions options = {.fallback = false};
    std::vector<std::string> plain;
    Transcriber first(translator), second(translator);
    for (std::span<const float> rest = sound; !rest.empty();) {
      const auto said = first.Transcribe(rest, options);
      ASSERT_TRUE(said.ok());
      for (const auto& segment : said->segments) {
        EXPECT_TRUE(segment.words.empty());
        plain.emplace_back(segment.text);
      }
      rest = rest.subspan(said->used_samples);
    }
    options.word_timestamps = true;
    std::vector<std::string> texts;
    for (std::span<const float> rest = sound; !rest.empty();) {
      const auto said = second.Transcribe(rest, options);
      ASSERT_TRUE(said.ok()) << said.status().message();
      for (const auto& segment : said->segments) {
        std::string text;
        ASSERT_FALSE(segment.words.empty());
        double time = 0;
        for (const TranscriptionWord& word : segment.words) {
          EXPECT_LE(time, word.start);
          EXPECT_LE(word.start, word.end);
          time = word.end;
          EXPECT_GE(word.probability, 0.0f);
          EXPECT_LE(word.probability, 1.0f);
          text += word.text;
        }
        EXPECT_EQ(text, segment.text);
        texts.push_back(text);
      }
      rest = rest.subspan(said->used_samples);
    }
    EXPECT_EQ(texts, plain);
  }
}

TEST(WordTimesTest, Int8GivesTheSameEverywhere) {
  const CanonicalModel model = Folder("english");
  const std::vector<float> sound = Sound();
  std::vector<std::array<double, 3>> first;
  for (const Tile tile : {Tile::k16x8, Tile::k8x8, Tile::k4x8, Tile::k8x2s4,
                          Tile::k16x4, Tile::k4x4}) {
    const ModelBytes file = WriteForThisCpu(model, WeightType::kInt8, tile);
    for (const uint32_t threads : {1u, 3u}) {
      Translator translator;
      const LoadOptions load = {.threads = threads};
      if (!translator.Load(file.bytes(), &test_workspace, load).ok()) continue;
      const auto said =
          Transcriber(translator)
              .Transcribe(sound, {.fallback = false, .word_timestamps = true});
      ASSERT_TRUE(said.ok());
      std::vector<std::array<double, 3>> words;
      for (const auto& segment : said->segments) {
        for (const auto& word : segment.words) {
          words.push_back({word.start, word.end, word.probability});
        }
      }
      if (first.empty()) first = words;
      EXPECT_EQ(words, first);
    }
  }
  EXPECT_FALSE(first.empty());
}

TEST(WordTimesTest, AModelMustNameItsHeads) {
  CanonicalModel model = Folder("english");
  EXPECT_THAT(model.speech_heads, ElementsAre(0));
  // Those of the upper half of its two layers.
  EXPECT_THAT(Folder("languages").speech_heads, ElementsAre(2, 3));
  model.speech_heads.clear();
  const ModelBytes file = WriteForThisCpu(model, WeightType::kF32);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const auto said =
      Transcriber(translator).Transcribe(Sound(), {.word_timestamps = true});
  EXPECT_EQ(said.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(said.status().message(), ::testing::HasSubstr("convert"));
  model.speech_heads = {4};  // Of two layers with two heads.
  const ModelBytes wrong = WriteForThisCpu(model, WeightType::kF32);
  EXPECT_EQ(translator.Load(wrong.bytes(), &test_workspace).code(),
            StatusCode::kCorrupt);
}

}  // namespace latimer::word_times_test
