// Ids and logits equal those of Hugging Face's BART, mBART, M2M100/NLLB and
// Pegasus; see tests/reference/README.md.
// Tests runtime/transformer/network.cc, runtime/transformer/encoder.cc,
// runtime/transformer/decoder.cc, runtime/transformer/layers.cc,
// converter/readers/huggingface_bart.cc,
// converter/readers/generation_config.cc, runtime/search/choose.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "tests/system/fixture_check.h"

namespace latimer::families_test {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

fs::path Family(const std::string& name) {
  return TestData("tiny_families") / name;
}

std::vector<std::string> Families() {
  return NamesIn(TestData("tiny_families"));
}

class FamiliesTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, FamiliesTest, ::testing::ValuesIn(Families()),
                         [](const auto& model) { return model.param; });

TEST_P(FamiliesTest, IdsAndLogitsEqualTransformers) {
  ExpectFixture(Family(GetParam()));
}

TEST(FamiliesInt8Test, MostIdsAreThoseOfTransformers) {
  Agreement agreement;
  for (const std::string& name : Families()) {
    ASSERT_TRUE(AddModel(Family(name), UsableTile(), &agreement));
  }
  std::printf("int8: %zu of %zu rows, %zu of %zu tokens equal\n",
              agreement.equal_rows, agreement.rows, agreement.equal_tokens,
              agreement.tokens);
  // Widths of 24 quantize badly; real models agree far more.
  EXPECT_GT(10 * agreement.equal_tokens, 8 * agreement.tokens);
}

// A model whose tokens are all equally likely, except by its generation config.
class RulesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = OpenModel(Family("m2m100"), /*with_tokenizer=*/false);
  }

  void Load() {
    file_ = WriteForThisCpu(model_, WeightType::kF32);
    const Status loaded = translator_.Load(file_->bytes(), &test_workspace);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
  }

  std::vector<int32_t> Translate(TranslateOptions options) {
    const std::vector<int32_t> source = {11, 12, 13, 14, 15, 16, 2};
    options.max_target_tokens = 30;
    options.min_target_tokens = 30;
    const Result<Translation> result =
        translator_.TranslateIds(source, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return {};
    return {result->tokens.begin(), result->tokens.end()};
  }

  static Language Code(const char* code, int32_t token) {
    Language language = {.token = token, .code = {}};
    std::strncpy(language.code, code, sizeof(language.code) - 1);
    return language;
  }

  CanonicalModel model_;
  std::optional<ModelBytes> file_;
  Translator translator_;
};

TEST_F(RulesTest, NoSequenceComesTwice) {
  Load();
  const auto repeats = [](const std::vector<int32_t>& ids, size_t n) {
    for (size_t i = 0; i + n <= ids.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (std::equal(ids.begin() + i, ids.begin() + i + n, ids.begin() + j)) {
          return true;
        }
      }
    }
    return false;
  };
  TranslateOptions options;
  options.no_repeat_ngram = 0;
  EXPECT_TRUE(repeats(Translate(options), 2));
  for (const int32_t n : {1, 2, 3}) {
    options.no_repeat_ngram = n;
    EXPECT_FALSE(repeats(Translate(options), static_cast<size_t>(n))) << n;
  }
}

TEST_F(RulesTest, SuppressedTokensDoNotCome) {
  Load();
  TranslateOptions options;
  const std::vector<int32_t> before = Translate(options);
  const std::vector<int32_t> suppressed = {before[1], before[2]};
  options.suppressed = suppressed;
  const std::vector<int32_t> after = Translate(options);
  EXPECT_EQ(after[0], before[0]);  // The forced one.
  for (size_t i = 1; i < after.size(); ++i) {
    EXPECT_NE(after[i], suppressed[0]);
    EXPECT_NE(after[i], suppressed[1]);
  }
}

TEST_F(RulesTest, ALanguageIsForcedFirstOrIsTheStart) {
  model_.generation.languages = {Code("de_DE", 95), Code("fr_XX", 96)};
  model_.generation.target_language = TargetLanguage::kForcedFirst;
  Load();
  TranslateOptions options;
  options.target_language = "fr_XX";
  EXPECT_EQ(Translate(options)[0], 96);
  options.target_language = "de_DE";
  const std::vector<int32_t> forced = Translate(options);
  EXPECT_EQ(forced[0], 95);

  // A forced token, or the start token, changes the next one.
  model_.generation.target_language = TargetLanguage::kDecoderStart;
  model_.generation.forced_first = -1;
  Load();
  const std::vector<int32_t> german = Translate(options);
  options.target_language = {};
  model_.generation.languages.clear();
  model_.generation.target_language = TargetLanguage::kNone;
  model_.generation.decoder_start = 95;
  Load();
  EXPECT_EQ(Translate(options), german);
}

TEST_F(RulesTest, WhatTheModelLacksIsNamed) {
  model_.generation.languages = {Code("de_DE", 95), Code("fr_XX", 96)};
  model_.generation.target_language = TargetLanguage::kForcedFirst;
  Load();
  const std::vector<int32_t> source = {11, 2};
  const auto error = [&](const TranslateOptions& options) {
    return std::string(
        translator_.TranslateIds(source, options).status().message());
  };
  TranslateOptions options;
  options.target_language = "xx";
  EXPECT_THAT(error(options), HasSubstr("no target language \"xx\""));
  options = {};
  options.task = "summarization";
  EXPECT_THAT(error(options), HasSubstr("no task \"summarization\""));
  options = {};
  const int32_t outside = 100;
  options.suppressed = {&outside, 1};
  EXPECT_THAT(error(options), HasSubstr("Suppressed id 100 is outside"));
  options = {};
  options.forced_first_token = 100;
  EXPECT_THAT(error(options), HasSubstr("Forced id 100 is outside"));
}

TEST_F(RulesTest, ATaskHasItsLimits) {
  Task task = {.max_target_tokens = 7,
               .min_target_tokens = 7,
               .no_repeat_ngram = 1,
               .name = "short",
               .prefix = "in short: "};
  model_.generation.tasks = {task};
  Load();
  TranslateOptions options;
  options.task = "short";
  const Result<Translation> result =
      translator_.TranslateIds(std::vector<int32_t>{11, 12, 2}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  std::vector<int32_t> ids(result->tokens.begin(), result->tokens.end());
  EXPECT_EQ(ids.size(), 7u);
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

}  // namespace latimer::families_test
