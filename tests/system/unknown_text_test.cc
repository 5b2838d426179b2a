// Characters that a model cannot read come out as they are.
// Tests runtime/phrases/source_phrases.cc, runtime/phrases/unknown_text.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "latimer/translator.h"
#include "tests/system/count.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/test_workspace.h"

namespace latimer::unknown_text_test {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;

// No piece of the demo's vocabulary covers these.
const std::vector<std::string> kUnknown = {
    "\u4F60\u597D",                                // Chinese
    "\u0E44\u0E17\u0E22",                          // Thai
    "\u2603",                                      // a snowman
    "\u2192",                                      // an arrow
    "\U0001F600",                                  // a face
    "\U0001F44D\U0001F3FD",                        // a thumb with a color
    "\U0001F469\u200D\U0001F469\u200D\U0001F467",  // a family
    "\U0001F1E9\U0001F1EA",                        // a flag
};

class UnknownTextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status status = translator_.Load(file_.bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  std::string Translate(const std::string& text,
                        const TranslateOptions& options = {}) {
    const Result<Translation> result = translator_.Translate(text, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return std::string(result->text);
  }

  std::vector<int32_t> Ids(const std::string& text,
                           const TranslateOptions& options) {
    const Result<Translation> result = translator_.Translate(text, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return {result->tokens.begin(), result->tokens.end()};
  }

  const ModelBytes file_ = ConvertDemo(WeightType::kInt8);
  Translator translator_;
};

// Sentences with one of them at the beginning, before a word or at the end.
struct Line {
  std::string text, unknown;
};
std::vector<Line> Lines(size_t count) {
  std::vector<std::string> texts =
      ReadLines(DemoDirectory() / "data" / "test.en");
  std::mt19937 random(7);
  std::vector<Line> lines(count);
  for (size_t i = 0; i < count; ++i) {
    lines[i] = {texts[i], kUnknown[i % kUnknown.size()]};
    std::string& text = lines[i].text;
    std::vector<size_t> places = {0, text.size()};
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == ' ') places.push_back(at);
    }
    const size_t place = places[random() % places.size()];
    text.insert(place,
                place == 0 ? lines[i].unknown + " " : " " + lines[i].unknown);
  }
  return lines;
}

TEST_F(UnknownTextTest, NoneIsLostInTwoHundredLines) {
  TranslateOptions alone, aligned, beams, off;
  aligned.alignment = kProfile.alignment > 0;
  beams.beams = 3;
  off.keep_unknown = false;
  for (const Line& line : Lines(FewerIfSlow(200, 8))) {
    SCOPED_TRACE(line.text);
    const std::string text = Translate(line.text, alone);
    EXPECT_EQ(Count(text, line.unknown), 1u) << text;
    EXPECT_EQ(Translate(line.text, aligned), text);
    EXPECT_EQ(Count(Translate(line.text, beams), line.unknown), 1u);
    EXPECT_THAT(Translate(line.text, off), Not(HasSubstr(line.unknown)));
    for (TranslateOptions* options : {&off, &beams}) {
      options->keep_unknown = false;
      const std::vector<int32_t> ids = Ids(line.text, *options);
      options->keep_unknown = true;
      EXPECT_EQ(Ids(line.text, *options), ids);
    }
    off.keep_unknown = false;
  }
}

TEST_F(UnknownTextTest, ATextWithoutALetterComesOutAsItIs) {
  for (const char* text :
       {"---", "_____", "{}", "|||", "?????", "12:30", "1,299.00 $", "\u2014",
        "\u4F60\u597D", "\U0001F600 \U0001F44D",
        "\u4F60\u597D\uFF0C\u4E16\u754C\uFF01", "\u2192 (\u2603), \u2192!"}) {
    const Result<Translation> result = translator_.Translate(text);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->text, text);
    EXPECT_TRUE(result->source.empty());
    EXPECT_TRUE(result->tokens.empty());
    EXPECT_EQ(Translate("  " + std::string(text) + " "), text);
  }
}

// The rest of the sentence is translated: what stands for the span is no full
// stop.
TEST_F(UnknownTextTest, WhatIsAroundThemIsTranslated) {
  EXPECT_EQ(Translate("My friend \u4F60\u597D is here. I love you \U0001F600!"),
            "Mein Freund \u4F60\u597D ist hier. Ich liebe dich \U0001F600!");
  TranslateOptions off;
  off.keep_unknown = false;
  size_t dots = 0;
  for (const Line& line : Lines(FewerIfSlow(200, 8))) {
    if (Count(Translate(line.text), "..") >
        Count(Translate(line.text, off), "..")) {
      ++dots;
    }
  }
  EXPECT_LE(dots, 2u);
}

TEST_F(UnknownTextTest, InvisibleCharactersAndMarksTakeNoLetters) {
  for (const char* text : {"Tom\u200DMary is here.", "Mary\uFE0F sleeps.",
                           "Hello\u0336 Tom.", "She\u00AD sleeps."}) {
    SCOPED_TRACE(text);
    TranslateOptions off;
    off.keep_unknown = false;
    EXPECT_EQ(Translate(text), Translate(text, off));
  }
}

// Of a search with beams, and of one without.
TEST_F(UnknownTextTest, EachHypothesisHasThem) {
  TranslateOptions beams, protect;
  beams.beams = protect.beams = 3;
  beams.sentences = false;  // Parts have no hypotheses in common.
  protect.protect = true;
  for (const Line& line : Lines(FewerIfSlow(30, 3))) {
    SCOPED_TRACE(line.text);
    const Result<Translation> found = translator_.Translate(line.text, beams);
    ASSERT_TRUE(found.ok()) << found.status().message();
    const std::string best(found->text);
    ASSERT_EQ(found->hypotheses.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(Count(*translator_.HypothesisText(i), line.unknown), 1u) << i;
    }
    EXPECT_EQ(*translator_.HypothesisText(0), best);
    TranslateOptions greedy;
    greedy.sentences = false;
    const std::string text = Translate(line.text, greedy);
    EXPECT_EQ(*translator_.HypothesisText(0), text);
  }
  Translate("\u4F60\u597D", beams);
  EXPECT_EQ(*translator_.HypothesisText(0), "\u4F60\u597D");
  EXPECT_THAT(translator_.HypothesisText(1).status().message(),
              HasSubstr("There is no hypothesis 1"));
  Translate("My house is at {here}.", protect);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(Count(*translator_.HypothesisText(i), "{here}"), 1u);
  }
  const std::vector<int32_t> ids = {5, 0};
  ASSERT_TRUE(translator_.TranslateIds(ids, {}).ok());
  EXPECT_FALSE(translator_.HypothesisText(0).ok());
}

TEST_F(UnknownTextTest, OtherTextsAreNotTouched) {
  TranslateOptions off;
  off.keep_unknown = false;
  const std::vector<std::string> texts =
      ReadLines(DemoDirectory() / "data" / "test.en");
  for (size_t i = 0; i < FewerIfSlow(200, 8); ++i) {
    const Result<Translation> on = translator_.Translate(texts[i]);
    ASSERT_TRUE(on.ok());
    const std::vector<int32_t> ids(on->tokens.begin(), on->tokens.end());
    const Result<Translation> plain = translator_.Translate(texts[i], off);
    ASSERT_TRUE(plain.ok());
    EXPECT_THAT(plain->tokens, ElementsAreArray(ids)) << texts[i];
  }
}

// What a sentence has no room for goes to more parts.
TEST_F(UnknownTextTest, NoneIsLostOfATextWithALotOfThem) {
  constexpr size_t kStretches = FewerIfSlow(100, 40);
  const auto repeat = [](const std::string& text, size_t count) {
    std::string all;
    while (count-- > 0) all += text;
    return all;
  };
  const std::string text_of_many =
      repeat("Tom \u4F60 sings and Mary \U0001F600 dances. ", kStretches);
  const std::string many = Translate(text_of_many);
  EXPECT_EQ(Count(many, "\u4F60"), kStretches);
  EXPECT_EQ(Count(many, "\U0001F600"), kStretches);
  TranslateOptions off;
  off.keep_unknown = false;
  EXPECT_GE(Count(many, "Tom"), Count(Translate(text_of_many, off), "Tom"));
  // Without a full stop.
  const std::string one =
      Translate(repeat("Tom \u4F60, Mary \U0001F600 ", 24) + "are here.");
  EXPECT_EQ(Count(one, "\u4F60"), 24u);
  EXPECT_EQ(Count(one, "\U0001F600"), 24u);
  for (const size_t length : {500u, 3000u}) {
    const std::string text = Translate(
        "Tom sings " + repeat("\U0001F600", length) + " today. Mary sleeps.");
    EXPECT_EQ(Count(text, "\U0001F600"), length);
    EXPECT_THAT(text, HasSubstr("\U0001F600 "));
    EXPECT_THAT(text, HasSubstr(" \U0001F600"));
    EXPECT_THAT(text, HasSubstr("Maria"));
    const std::string alone = repeat("\U0001F600", length);
    EXPECT_EQ(Translate(alone), alone);
    EXPECT_EQ(Translate(alone + " Tom sings."), alone + " Tom singt.");
  }
  // With more marks than there is room for.
  EXPECT_EQ(Count(Translate("\u4F60" + repeat("\u0336", 3000)), "\u4F60"), 1u);
}

TEST_F(UnknownTextTest, TheyLeaveRoomToTermsAndProtectedSpans) {
  const Term term = {"Mary", "Marlene"};
  TranslateOptions options;
  options.terms = {&term, 1};
  options.protect = true;
  options.guards = false;  // A loop that is cut off takes its terms along.
  std::string text;
  constexpr size_t kStretches = FewerIfSlow(60, 20);
  for (size_t i = 0; i < kStretches; ++i) {
    text +=
        "\u4F60 sees Mary \U0001F600 at {" + std::to_string(100 + i) + "}, ";
  }
  const ModelBytes file = ConvertDemoWithTargetTokenizer();
  ASSERT_TRUE(translator_.Load(file.bytes(), &test_workspace).ok());
  const std::string all = Translate(text, options);
  EXPECT_EQ(Count(all, "\u4F60"), kStretches);
  EXPECT_EQ(Count(all, "\U0001F600"), kStretches);
  EXPECT_EQ(Count(all, "Marlene"), kStretches);
  for (size_t i = 0; i < kStretches; ++i) {
    EXPECT_EQ(Count(all, "{" + std::to_string(100 + i) + "}"), 1u);
  }
}

TEST_F(UnknownTextTest, SideBySideTheyAreTheSame) {
  const std::vector<Line> lines = Lines(FewerIfSlow(100, 6));
  std::vector<std::string> texts(lines.size());
  TranslateOptions options;
  options.sentences = false;  // So that each is one part.
  size_t begun = 0, finished = 0;
  while (finished < lines.size()) {
    while (begun < lines.size() && translator_.CanBegin()) {
      TextCursor cursor(lines[begun].text, options);
      ASSERT_TRUE(translator_.Begin(cursor, begun++).ok());
    }
    FinishedTranslation out;
    if (!translator_.Advance(&out)) continue;
    ASSERT_TRUE(out.status.ok()) << out.status.message();
    texts[out.ticket] = out.translation.text;
    ++finished;
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(texts[i], Translate(lines[i].text, options));
  }
}

TEST_F(UnknownTextTest, LinksSayWhereTheyComeFrom) {
  if (kProfile.alignment == 0) GTEST_SKIP() << "this profile aligns nothing";
  const std::string text = "My friend \u4F60\u597D is here \U0001F600.";
  TranslateOptions options;
  options.alignment = true;
  const Result<Translation> result = translator_.Translate(text, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_GE(result->links.size(), result->tokens.size());
  const auto of = [](std::string_view all, const TextRange& range) {
    return std::string(all.substr(range.begin, range.size()));
  };
  std::map<std::string, std::string> sources;
  for (const TokenLink& link : result->links) {
    sources[of(result->text, link.target)] = of(text, link.source);
  }
  EXPECT_EQ(sources["\u4F60\u597D"], "\u4F60\u597D");
  EXPECT_EQ(sources["\U0001F600"], "\U0001F600");
  EXPECT_EQ(sources["Freund"], "friend");
}

}  // namespace latimer::unknown_text_test
