// Sources of a fixed length are padded, and the pads are read, as in the module
// of tests/reference/own_models.py.
// Tests runtime/text_reader.cc, runtime/model/generation.cc,
// runtime/translator.cc, api/translator_info.cc, runtime/plan/plan.cc,
// programs/report/bill.cc, runtime/phrases/source_phrases.cc,
// runtime/model/generation_file.cc, converter/known_answer.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/known_answer.h"
#include "internals.h"
#include "report/bill.h"
#include "tests/converter/own_model.h"
#include "tests/system/tiny_model.h"

namespace latimer::source_length_test {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;
using Ids = std::vector<int32_t>;
using Json = nlohmann::json;

constexpr uint32_t kLength = 12;
constexpr int32_t kPad = 0;

class SourceLengthTest : public ::testing::Test {
 protected:
  void Load(const std::vector<std::string>& settings = {}) {
    file_ = WriteForThisCpu(model_.Read(settings, /*with_tokenizer=*/true),
                            WeightType::kF32);
    const Status loaded = translator_.Load(file_->bytes(), &test_workspace);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
  }

  const Json& rows() const { return model_.fixture["sequences"]; }

  // The tokens of a result, without an error.
  static Ids TokensOf(const Result<Translation>& result) {
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return {};
    return {result->tokens.begin(), result->tokens.end()};
  }

  size_t EqualTexts() {
    size_t equal = 0;
    for (const Json& row : rows()) {
      equal += TokensOf(translator_.Translate(
                   row["src_text"].get<std::string>(), options_)) ==
               row["output_ids"].get<Ids>();
    }
    return equal;
  }

  const OwnModel model_{"encoder_layers_padded"};
  TranslateOptions options_{
      .max_target_tokens = model_.fixture["max_new_tokens"].get<uint32_t>()};
  std::optional<ModelBytes> file_;
  Translator translator_;
};

TEST_F(SourceLengthTest, IdsAreReadAlikeWithAndWithoutTheirPads) {
  Load();
  size_t padded = 0;
  for (const Json& row : rows()) {
    Ids source = row["src_ids"];
    ASSERT_EQ(source.size(), kLength);
    const Ids expected = row["output_ids"];
    EXPECT_EQ(TokensOf(translator_.TranslateIds(source, options_)), expected);
    while (source.back() == kPad) {
      source.pop_back();
      ++padded;
      EXPECT_EQ(TokensOf(translator_.TranslateIds(source, options_)), expected)
          << Json(source).dump();
    }
  }
  EXPECT_GE(padded, 30u);
}

// Nothing in the tensors shows it.
TEST_F(SourceLengthTest, WithoutTheFlagTextsAreTranslatedDifferently) {
  Load();
  EXPECT_EQ(EqualTexts(), 12u);
  Load({"source_length=null"});
  EXPECT_LT(EqualTexts(), 12u);
}

TEST_F(SourceLengthTest, OnlyAFileThatHasOneHasTheNewVersion) {
  Load();
  EXPECT_EQ(translator_.model_info().format_version, 5u);
  EXPECT_EQ(Internals::Describe(translator_).generation.source_length, kLength);
  EXPECT_EQ(Internals::Describe(translator_).generation.source_pad, kPad);
  Load({"source_length=null"});
  EXPECT_EQ(translator_.model_info().format_version, 4u);
}

TEST_F(SourceLengthTest, MoreIdsAreRefused) {
  Load({"max_source_tokens=40"});
  EXPECT_EQ(translator_.max_source_tokens(), kLength);
  EXPECT_STREQ(translator_.TranslateIds(Ids(13, 5)).status().message(),
               "13 source ids given, but this model and build take 1 to 12.");
}

TEST_F(SourceLengthTest, ALongerTextIsTranslatedInPartsThatArePadded) {
  Load({"max_source_tokens=40"});
  const std::string first = rows()[0]["src_text"];
  std::string text;
  for (const Json& row : rows()) {
    text += (text.empty() ? "" : " ") + row["src_text"].get<std::string>();
  }
  TextCursor cursor(text, options_);
  size_t parts = 0;
  for (; !cursor.done(); ++parts) {
    const Result<Translation> part = translator_.TranslateNext(cursor);
    ASSERT_TRUE(part.ok()) << part.status().message();
    EXPECT_THAT(part->source, SizeIs(kLength));
  }
  EXPECT_GE(parts, 5u);
  EXPECT_EQ(cursor.source_bytes(), text.size());
}

TEST_F(SourceLengthTest, TokenizeWritesThePads) {
  Load();
  for (const Json& row : rows()) {
    const std::string text = row["src_text"];
    Ids ids(kLength);
    ASSERT_TRUE(translator_.Tokenize(text, ids).ok());
    EXPECT_EQ(Json(ids), row["src_ids"]) << text;
    ids.assign(100, -1);
    const Result<size_t> count = translator_.Tokenize(text, options_, ids);
    ASSERT_TRUE(count.ok()) << count.status().message();
    ids.resize(*count);
    EXPECT_EQ(Json(ids), row["src_ids"]) << text;
    EXPECT_EQ(*translator_.CountTokens(text), kLength);
    ids.resize(kLength - 1);
    EXPECT_EQ(translator_.Tokenize(text, ids).status().code(),
              StatusCode::kTextTooLong);
    EXPECT_EQ(translator_.Tokenize(text, options_, ids).status().code(),
              StatusCode::kTextTooLong);
  }
}

TEST_F(SourceLengthTest, ATextWithoutIdsIsNotTranslated) {
  Load();
  const Result<Translation> nothing = translator_.Translate(" ");
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(nothing->text, "");
}

TEST_F(SourceLengthTest, NoTokenIsAlignedWithAPad) {
  if (!kProfile.alignment) GTEST_SKIP() << "not in this profile";
  Load();
  options_.alignment = true;
  size_t links = 0;
  for (const Json& row : rows()) {
    const std::string text = row["src_text"];
    const Result<Translation> result = translator_.Translate(text, options_);
    ASSERT_TRUE(result.ok()) << result.status().message();
    for (const TokenLink& link : result->links) {
      EXPECT_LE(link.source.end, text.size());
      links += link.source.size() > 0 ? 1 : 0;
    }
  }
  EXPECT_GE(links, 30u);
}

// They take the room that max_source_tokens leaves behind the source.
TEST_F(SourceLengthTest, ATargetPrefixStandsBehindThePads) {
  const Json& row = rows()[0];
  const std::string text = row["src_text"];
  const Ids expected = row["output_ids"];
  const Ids prefix(expected.begin(), expected.begin() + 2);
  options_.target_prefix_ids = prefix;
  Load({"max_source_tokens=40"});
  EXPECT_EQ(TokensOf(translator_.Translate(text, options_)), expected);
  EXPECT_EQ(
      TokensOf(translator_.TranslateIds(row["src_ids"].get<Ids>(), options_)),
      expected);
  Load();
  EXPECT_THAT(translator_.Translate(text, options_).status().message(),
              HasSubstr("more than the 0 tokens that there is room for beside "
                        "the 12 to which the model pads each source; convert "
                        "it with a larger max_source_tokens."));
}

TEST_F(SourceLengthTest, ProtectedSpansNeedRoomBehindThePads) {
  if (!kProfile.phrases) GTEST_SKIP() << "not in this profile";
  const std::string text = rows()[0]["src_text"];
  const TextRange range = {0, 1};
  options_.protected_ranges = {&range, 1};
  Load({"max_source_tokens=40"});
  EXPECT_FALSE(TokensOf(translator_.Translate(text, options_)).empty());
  Load();
  EXPECT_THAT(translator_.Translate(text, options_).status().message(),
              HasSubstr("room for beside the 12 tokens to which the model pads "
                        "each source; convert it with a larger"));
}

TEST_F(SourceLengthTest, AProfileForShorterSourcesIsRefused) {
  Load({"max_source_tokens=40"});
  const ModelDescription& info = Internals::Describe(translator_);
  EXPECT_STREQ(
      ExactProfile(info, {.source_tokens = 5}, "short").status().message(),
      "--max-source-tokens 5 is less than the 12 tokens to which this model "
      "pads each source; leave it out.");
  EXPECT_TRUE(ExactProfile(info, {.source_tokens = 12}, "exact").ok());
  const uint64_t bytes = RamBytes(
      *ExactProfile(info, {.source_tokens = 12, .target_tokens = 4}, "small"));
  const uint32_t longest = LongestThatFits(info, {}, bytes);
  EXPECT_EQ(longest, 4u);
  EXPECT_EQ(LongestText(info, longest),
            "It would fit with --max-source-tokens 12 --max-target-tokens 4.");
}

TEST_F(SourceLengthTest, TheKnownAnswerFits) {
  std::vector<std::string> warnings;
  const ModelBytes file =
      WriteModelWithKnownAnswer(model_.Read(), OptionsForThisCpu(), &warnings);
  EXPECT_TRUE(warnings.empty());
  const Status loaded = translator_.Load(file.bytes(), &test_workspace);
  if (!loaded.ok()) GTEST_SKIP() << loaded.message();
  EXPECT_THAT(Internals::Describe(translator_).known_answer.source,
              SizeIs(Le(kLength)));
}

TEST_F(SourceLengthTest, DamagedOnesAreRefused) {
  Load();
  const auto error = [&](uint32_t length, int32_t pad) {
    Image image(file_->bytes());
    schema::Generation& rules = *image.root().mutable_generation();
    EXPECT_TRUE(rules.mutate_source_length(length));
    rules.mutate_source_pad(pad);
    image.FixChecksum();
    Translator damaged;
    return std::string(damaged.Load(image.bytes(), &test_workspace).message());
  };
  EXPECT_EQ(error(kLength, kPad), "");
  EXPECT_EQ(error(3, kPad), "");
  for (const std::string& refused :
       {error(kLength + 1, kPad), error(2, kPad), error(1, kPad)}) {
    EXPECT_THAT(refused, HasSubstr("damaged: its generation config"));
  }
}

}  // namespace latimer::source_length_test
