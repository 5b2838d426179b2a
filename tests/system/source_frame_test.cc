// The ids around a text: languages, prefixes and tasks, with the demo model's
// tokenizer.
// Tests runtime/text_reader.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "converter/readers/open_model.h"
#include "tests/system/demo_model.h"
#include "tests/system/tiny_model.h"

namespace latimer::source_frame_test {

using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

// Ids that stand for languages, any two.
constexpr int32_t kEnglish = 11;
constexpr int32_t kGerman = 12;

class SourceFrameTest : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = OpenModel(SmallDemoDirectory(), /*with_tokenizer=*/true);
  }

  void AddLanguages(SourceLanguage source, TargetLanguage target) {
    model_.generation.languages = {{.token = kGerman, .code = "de"},
                                   {.token = kEnglish, .code = "en"}};
    model_.generation.source_language = source;
    model_.generation.target_language = target;
  }

  void Load() {
    file_ = WriteForThisCpu(model_, WeightType::kInt8);
    const Status loaded = translator_.Load(file_->bytes(), &test_workspace);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
  }

  // The text's ids alone.
  Ids Tokens(std::string_view text) {
    Ids ids(1000);
    const Result<size_t> count = translator_.Tokenize(text, ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(*count);
    ids.pop_back();  // EOS
    return ids;
  }

  // The source ids that the model read.
  Ids Source(std::string_view text, TranslateOptions options) {
    options.max_target_tokens = 1;
    TextCursor cursor(text, options);
    const Result<Translation> result = translator_.TranslateNext(cursor);
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return {};
    return {result->source.begin(), result->source.end()};
  }

  int32_t eos() const { return model_.generation.eos; }

  CanonicalModel model_;
  std::optional<ModelBytes> file_;
  Translator translator_;
};

Ids Joined(std::initializer_list<Ids> parts) {
  Ids all;
  for (const Ids& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

constexpr std::string_view kText = "Tom wants to learn German.";

TEST_F(SourceFrameTest, TheSourceLanguageStandsBeforeTheText) {
  AddLanguages(SourceLanguage::kBeforeText, TargetLanguage::kForcedFirst);
  Load();
  TranslateOptions options;
  options.source_language = "en";
  options.target_language = "de";
  EXPECT_EQ(Source(kText, options),
            Joined({{kEnglish}, Tokens(kText), {eos()}}));
  const Result<Translation> whole = translator_.Translate(kText, options);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_EQ(whole->tokens[0], kGerman);
}

TEST_F(SourceFrameTest, TheSourceLanguageStandsBehindEos) {
  AddLanguages(SourceLanguage::kAfterSuffix, TargetLanguage::kDecoderStart);
  Load();
  TranslateOptions options;
  options.source_language = "en";
  options.target_language = "de";
  EXPECT_EQ(Source(kText, options), Joined({Tokens(kText), {eos(), kEnglish}}));
}

TEST_F(SourceFrameTest, AModelMayAskForTheTargetLanguageAlone) {
  AddLanguages(SourceLanguage::kNone, TargetLanguage::kForcedFirst);
  Load();
  TranslateOptions options;
  options.target_language = "de";
  EXPECT_EQ(Source(kText, options), Joined({Tokens(kText), {eos()}}));
}

TEST_F(SourceFrameTest, AModelOfOnePairTakesNoLanguage) {
  Load();
  TranslateOptions source, target;
  source.source_language = "en";
  target.target_language = "de";
  EXPECT_THAT(translator_.Translate(kText, source).status().message(),
              HasSubstr("no source language to choose from; leave out \"en\""));
  EXPECT_THAT(translator_.Translate(kText, target).status().message(),
              HasSubstr("no target language to choose from; leave out \"de\""));
}

TEST_F(SourceFrameTest, TheTargetLanguageMayStandBeforeTheText) {
  AddLanguages(SourceLanguage::kNone, TargetLanguage::kBeforeText);
  Load();
  TranslateOptions options;
  options.target_language = "de";
  EXPECT_EQ(Source(kText, options),
            Joined({{kGerman}, Tokens(kText), {eos()}}));
  EXPECT_EQ(Source("", options), Ids());
  options.target_language = "fr";
  EXPECT_THAT(translator_.Translate(kText, options).status().message(),
              HasSubstr("no target language \"fr\" among"));
  EXPECT_THAT(translator_.Translate(kText, {}).status().message(),
              HasSubstr("needs the target language, for example \"de\""));
}

// As in MADLAD-400, where people write it.
TEST_F(SourceFrameTest, ATextMayBeginWithTheTokenOfTheTargetLanguage) {
  Load();
  const int32_t first = Tokens(kText).front();
  model_.generation.languages = {{.token = first, .code = "xx"}};
  model_.generation.target_language = TargetLanguage::kBeforeText;
  Load();
  EXPECT_EQ(Source(kText, {}), Joined({Tokens(kText), {eos()}}));
}

// There it is two pieces, the first of which is a space.
TEST_F(SourceFrameTest, ThePrefixBelongsToTheTargetLanguage) {
  Load();
  const Ids text = Tokens(kText);
  model_.generation.languages = {{.token = text[1], .code = "xx"}};
  model_.generation.target_language = TargetLanguage::kBeforeText;
  model_.generation.source_prefix = {text[0]};
  Load();
  EXPECT_EQ(Source(kText, {}), Joined({text, {eos()}}));
  TranslateOptions options;
  options.target_language = "xx";
  EXPECT_EQ(Source(kText, options),
            Joined({{text[0], text[1]}, text, {eos()}}));
  EXPECT_THAT(translator_.Translate("Tom", {}).status().message(),
              HasSubstr("needs the target language"));
}

// As in Marian, where texts have codes or need none.
TEST_F(SourceFrameTest, TheTargetLanguageOfATextWithCodesIsOptional) {
  AddLanguages(SourceLanguage::kNone, TargetLanguage::kTextsCode);
  Load();
  EXPECT_EQ(Source(kText, {}), Joined({Tokens(kText), {eos()}}));
  TranslateOptions options;
  options.target_language = "de";
  EXPECT_EQ(Source(kText, options),
            Joined({{kGerman}, Tokens(kText), {eos()}}));
  // Its own code has precedence.
  const std::string own = ">>en<< " + std::string(kText);
  EXPECT_EQ(Source(own, options), Source(own, {}));
}

TEST_F(SourceFrameTest, ATextWithoutLanguagesIsRefused) {
  AddLanguages(SourceLanguage::kBeforeText, TargetLanguage::kForcedFirst);
  Load();
  const auto error = [&](const TranslateOptions& options) {
    return std::string(
        translator_.Translate(kText, options).status().message());
  };
  TranslateOptions options;
  EXPECT_THAT(error(options), HasSubstr("needs the source language"));
  options.source_language = "en";
  EXPECT_THAT(error(options), HasSubstr("needs the target language"));
  options.target_language = "fr";
  EXPECT_THAT(error(options), HasSubstr("no target language \"fr\" among"));
}

TEST_F(SourceFrameTest, APrefixAndATaskStandBeforeTheText) {
  Task task = {.max_target_tokens = 0,
               .min_target_tokens = 0,
               .no_repeat_ngram = 0,
               .name = "german",
               .prefix = "in German: "};
  model_.generation.tasks = {task};
  Load();
  TranslateOptions options;
  options.task = "german";
  const Ids expected = Joined({Tokens("in German:"), Tokens(kText), {eos()}});
  EXPECT_EQ(Source(kText, options), expected);
  EXPECT_EQ(Source(kText, {}), Joined({Tokens(kText), {eos()}}));
  options = {};
  options.prefix = "in German: ";
  EXPECT_EQ(Source(kText, options), expected);
  EXPECT_EQ(Source("", options), Ids());
}

// A text of several parts has all of these before each part.
TEST_F(SourceFrameTest, EachPartOfALongTextHasItsFrame) {
  AddLanguages(SourceLanguage::kBeforeText, TargetLanguage::kForcedFirst);
  Load();
  TranslateOptions options;
  options.source_language = "en";
  options.target_language = "de";
  options.prefix = "in German:";
  options.max_target_tokens = 2;
  std::string text(kText);
  for (int i = 0; i < 150; ++i) text += " " + std::string(kText);
  const Ids begin = Joined({{kEnglish}, Tokens(options.prefix)});
  TextCursor cursor(text, options);
  while (!cursor.done()) {
    const Result<Translation> part = translator_.TranslateNext(cursor);
    ASSERT_TRUE(part.ok()) << part.status().message();
    ASSERT_GT(part->source.size(), begin.size());
    EXPECT_LE(part->source.size(), translator_.max_source_tokens());
    EXPECT_TRUE(std::equal(begin.begin(), begin.end(), part->source.begin()));
    EXPECT_EQ(part->source.back(), eos());
  }
  EXPECT_GE(cursor.parts(), 2u);
}

}  // namespace latimer::source_frame_test
