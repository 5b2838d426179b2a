// What a translation tells of a text of three parts is that of all of them, or
// absent: in C++ and in C.
// Tests runtime/translator.cc, api/word_scores.cc, api/translator_info.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "latimer/latimer.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/sized_struct.h"

namespace latimer::parts_test {

using ::testing::HasSubstr;

// What the parts of a text have together.
struct Sum {
  std::string text;
  size_t parts = 0;
  size_t tokens = 0;
  size_t generated = 0;
  double log_probability = 0;
  StopReason reason = StopReason::kEos;
};

class PartsTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = translator_.Load(model_.bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
    for (int i = 0; i < 8; ++i) text_ += "Where is the station? ";
    for (int i = 0; i < 11; ++i) text_ += "She reads a good book. ";
  }

  Sum Parts(const TranslateOptions& options) {
    Sum sum;
    TextCursor cursor(text_, options);
    for (; !cursor.done(); ++sum.parts) {
      const Result<Translation> part = translator_.TranslateNext(cursor);
      EXPECT_TRUE(part.ok()) << part.status().message();
      if (!part.ok()) return sum;
      EXPECT_EQ(part->parts, 1u);
      EXPECT_EQ(part->scores.size(), part->tokens.size());
      EXPECT_EQ(part->links.size(), part->tokens.size());
      for (const TokenLink& link : part->links) {
        EXPECT_LE(link.source.end, part->source_bytes);
        EXPECT_LE(link.target.end, part->text.size());
      }
      EXPECT_FALSE(part->source.empty());
      EXPECT_GT(part->attention.rows, 0u);
      for (const TokenScore& score : part->scores) {
        sum.log_probability += static_cast<double>(score.log_probability);
      }
      sum.text += part->text;
      if (!cursor.done()) sum.text += part->space;
      sum.tokens += part->tokens.size();
      sum.generated += part->generated_tokens;
      sum.reason = std::max(sum.reason, part->stop_reason);
    }
    return sum;
  }

  const ModelBytes model_ = ConvertTinyDemo();
  Translator translator_;
  std::string text_;
};

TEST_F(PartsTest, TheWholeHasWhatHoldsForAllPartsAndNothingOfTheLast) {
  for (const uint32_t beams : {1u, 2u}) {
    SCOPED_TRACE(beams);
    const TranslateOptions options = {.beams = beams,
                                      .attention = AttentionKind::kCross,
                                      .scores = true,
                                      .alignment = true};
    const Sum sum = Parts(options);
    ASSERT_EQ(sum.parts, 3u);
    const Result<Translation> whole = translator_.Translate(text_, options);
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    EXPECT_EQ(whole->text, sum.text);
    EXPECT_EQ(whole->parts, 3u);
    EXPECT_EQ(whole->stop_reason, sum.reason);
    EXPECT_EQ(whole->generated_tokens, sum.generated);
    EXPECT_EQ(whole->source_bytes, text_.size());
    ASSERT_TRUE(whole->mean_score.has_value());
    EXPECT_NEAR(static_cast<double>(*whole->mean_score),
                sum.log_probability / static_cast<double>(sum.tokens), 1e-5);
    EXPECT_TRUE(whole->tokens.empty());
    EXPECT_TRUE(whole->source.empty());
    EXPECT_TRUE(whole->scores.empty());
    EXPECT_TRUE(whole->links.empty());
    EXPECT_TRUE(whole->hypotheses.empty());
    EXPECT_EQ(whole->attention.kind, AttentionKind::kNone);
    EXPECT_EQ(whole->attention.rows, 0u);

    std::vector<WordScore> words(1000);
    const Status scored = translator_.ScoreWords(*whole, words).status();
    EXPECT_EQ(scored.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(scored.message(), HasSubstr("3 parts"));
    const Status text = translator_.HypothesisText(0).status();
    EXPECT_EQ(text.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(text.message(), HasSubstr("TranslateNext"));
  }
}

TEST_F(PartsTest, ATextOfOnePartHasAllOfIt) {
  const Result<Translation> one = translator_.Translate(
      "Where is the station?", {.beams = 2, .scores = true, .alignment = true});
  ASSERT_TRUE(one.ok()) << one.status().message();
  EXPECT_EQ(one->parts, 1u);
  EXPECT_FALSE(one->tokens.empty());
  EXPECT_FALSE(one->source.empty());
  EXPECT_EQ(one->scores.size(), one->tokens.size());
  EXPECT_EQ(one->links.size(), one->tokens.size());
  EXPECT_EQ(one->hypotheses.size(), 2u);
  EXPECT_TRUE(one->mean_score.has_value());
  const std::string text(one->text);
  EXPECT_EQ(*translator_.HypothesisText(0), text);
  const Result<Translation> plain = translator_.Translate("Hello.");
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain->mean_score.has_value());
}

// Each part has links to its own source.
TEST_F(PartsTest, EachPartSaysWhereItsTokensComeFrom) {
  TextCursor cursor(text_, {.alignment = true});
  std::vector<std::string> sources;
  while (!cursor.done()) {
    const std::string_view rest = cursor.rest();
    const Result<Translation> part = translator_.TranslateNext(cursor);
    ASSERT_TRUE(part.ok());
    ASSERT_FALSE(part->links.empty());
    const TextRange first = part->links.front().source;
    sources.emplace_back(rest.substr(first.begin, first.size()));
  }
  EXPECT_EQ(sources.front(), "Where");
}

TEST_F(PartsTest, CIsAsCpp) {
  const TranslateOptions same = {.beams = 2, .scores = true, .alignment = true};
  const Result<Translation> expected = translator_.Translate(text_, same);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  const std::string text(expected->text);
  const size_t count_of_parts = expected->parts;
  EXPECT_EQ(count_of_parts, 19u);
  const float mean = expected->mean_score.value_or(0);

  auto load = Sized<latimer_load_options>();
  load.beams = 2;
  std::vector<char> scratch(latimer_scratch_bytes());
  size_t bytes = 0;
  ASSERT_EQ(latimer_plan_workspace(model_.bytes().data(), model_.bytes().size(),
                                   &load, scratch.data(), scratch.size(),
                                   &bytes, nullptr, nullptr, 0),
            LATIMER_OK);
  std::vector<char> workspace(bytes);
  latimer_translator* c = nullptr;
  ASSERT_EQ(latimer_load(model_.bytes().data(), model_.bytes().size(),
                         workspace.data(), bytes, &load, &c, nullptr, 0),
            LATIMER_OK);
  auto options = Sized<latimer_options>();
  for (const auto& [name, value] :
       {std::pair("beams", "2"), {"scores", "true"}, {"alignment", "true"}}) {
    ASSERT_EQ(latimer_set_option(&options, name, value, nullptr, 0),
              LATIMER_OK);
  }
  auto whole = Sized<latimer_translation>();
  ASSERT_EQ(latimer_translate(c, text_.data(), text_.size(), &options, &whole),
            LATIMER_OK)
      << latimer_message(c);
  EXPECT_EQ(std::string(whole.text, whole.text_bytes), text);
  EXPECT_EQ(whole.parts, count_of_parts);
  EXPECT_EQ(whole.source_bytes, text_.size());
  EXPECT_EQ(whole.mean_score, static_cast<double>(mean));
  EXPECT_EQ(whole.token_count, 0u);
  EXPECT_EQ(whole.source_count, 0u);
  EXPECT_EQ(whole.scores, nullptr);
  EXPECT_EQ(whole.link_count, 0u);
  EXPECT_EQ(whole.hypothesis_count, 0u);
  EXPECT_EQ(whole.attention_rows, 0u);
  latimer_word_score word = {};
  size_t count = 0;
  EXPECT_EQ(latimer_score_words(c, &word, 1, &count),
            LATIMER_FAILED_PRECONDITION);
  const char* hypothesis = nullptr;
  EXPECT_EQ(latimer_hypothesis_text(c, 0, &hypothesis, &count),
            LATIMER_INVALID_ARGUMENT);

  // Part by part there is everything.
  std::vector<char> memory(latimer_cursor_bytes());
  latimer_cursor* const cursor = latimer_cursor_begin(
      c, text_.data(), text_.size(), &options, memory.data(), memory.size());
  ASSERT_NE(cursor, nullptr) << latimer_message(c);
  size_t parts = 0;
  for (; latimer_cursor_done(cursor) == 0; ++parts) {
    auto part = Sized<latimer_translation>();
    ASSERT_EQ(latimer_translate_next(c, cursor, &part), LATIMER_OK);
    EXPECT_EQ(part.parts, 1u);
    EXPECT_GT(part.token_count, 0u);
    EXPECT_NE(part.scores, nullptr);
    EXPECT_EQ(part.link_count, part.token_count);
    EXPECT_EQ(part.hypothesis_count, 2u);
  }
  EXPECT_EQ(parts, count_of_parts);
  latimer_unload(c);
}

// ---- Sentences ----

constexpr std::string_view kQuestion = "Where is the station?";
constexpr std::string_view kAnswer = "She reads a good book.";

class SentencesTest : public PartsTest {
 protected:
  std::string Text(std::string_view text,
                   const TranslateOptions& options = {}) {
    const Result<Translation> all = translator_.Translate(text, options);
    EXPECT_TRUE(all.ok()) << all.status().message();
    if (!all.ok()) return "";
    parts_ = all->parts;
    return std::string(all->text);
  }

  size_t parts_ = 0;  // Of the last text.
};

TEST_F(SentencesTest, EachIsTranslatedAsItIsAlone) {
  const std::string question = Text(kQuestion);
  const std::string answer = Text(kAnswer);
  for (const std::string space : {" ", "  ", "\t", "\n", "\r\n", "\n\n \n"}) {
    std::string text(kQuestion);
    text.append(space).append(kAnswer);
    EXPECT_EQ(Text(text), question + space + answer);
    EXPECT_EQ(parts_, 2u);
    // What a model reads as white space does not come out at the ends.
    EXPECT_EQ(Text("  " + text + " "), question + space + answer);
    EXPECT_EQ(parts_, 2u);
  }
}

TEST_F(SentencesTest, ALineIsOneWithoutAStop) {
  const std::string title = Text("The station");
  EXPECT_EQ(Text("The station\nWhere is the station?"),
            title + "\n" + Text(kQuestion));
}

TEST_F(SentencesTest, AbbreviationsAndNumbersEndNone) {
  for (const char* text :
       {"Mr. Smith reads a good book.", "It costs 3.50 a day.", "Go to 5 p.m.",
        "He said: \"Yes.\"", "No. 5 is here.", "...", "", " \n "}) {
    Text(text);
    EXPECT_EQ(parts_, 1u) << text;
  }
}

TEST_F(SentencesTest, AnOptionTranslatesThemAtOnce) {
  const std::string text = std::string(kQuestion) + " " + std::string(kAnswer);
  Text(text, {.sentences = false});
  EXPECT_EQ(parts_, 1u);
  // What belongs to one source needs one.
  Text(text, {.alternatives = 2});
  EXPECT_EQ(parts_, 1u);
  Text(text, {.attention = AttentionKind::kCross});
  EXPECT_EQ(parts_, 1u);
  Text(text, {.prefix = "Summary: "});
  EXPECT_EQ(parts_, 1u);
}

TEST_F(SentencesTest, NoneEndsWithinATermOrAProtectedSpan) {
  const ModelBytes model = ConvertDemoWithTargetTokenizer();
  ASSERT_TRUE(translator_.Load(model.bytes(), &test_workspace).ok());
  const std::string_view text = "She reads Mind. Body now. Hello.";
  const TextRange range = {10, 20};  // "Mind. Body"
  const std::string kept = Text(text, {.protected_ranges = {&range, 1}});
  EXPECT_EQ(parts_, 2u);
  EXPECT_THAT(kept, HasSubstr("Mind. Body"));
  const Term term("Mind. Body", "Buch");
  EXPECT_THAT(Text(text, {.terms = {&term, 1}}), HasSubstr("Buch"));
  EXPECT_EQ(parts_, 2u);
  const std::string_view pattern = "Mind. Body";
  Text(text, {.protected_patterns = {&pattern, 1}});
  EXPECT_EQ(parts_, 2u);
}

TEST_F(SentencesTest, OnlyOneThatIsTooLongIsCut) {
  std::string words = "She";
  for (int i = 0; i < 200; ++i) words += " reads a good book and";
  for (const std::string& text :
       {std::string(text_), words + " sleeps. " + std::string(kQuestion)}) {
    TextCursor cursor(text, {.max_target_tokens = 2});
    size_t parts = 0;
    for (; !cursor.done(); ++parts) {
      ASSERT_TRUE(translator_.TranslateNext(cursor).ok());
    }
    EXPECT_EQ(cursor.has_cut(), text != text_);
    EXPECT_GE(parts, text == text_ ? 19u : 3u);
  }
}

}  // namespace latimer::parts_test
