// How long a translation may get, and what happens there.
// Tests runtime/search/length_limit.h, runtime/request.cc.

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "internals.h"
#include "tests/system/tiny_model.h"

namespace latimer::length_limit_test {

// A model whose own limit is 8 tokens, the last of them forced to be EOS, and
// whose position table holds more.
class LengthLimitTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = translator_.Load(bytes_.bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
    const nlohmann::json fixture = ReadFixture(TinyModel("lengths"));
    for (const auto& row : fixture.at("sequences")) {
      sources_.push_back(row.at("src_ids").get<std::vector<int32_t>>());
    }
    ASSERT_FALSE(sources_.empty());
  }

  Translation Run(const std::vector<int32_t>& source,
                  std::optional<uint32_t> most) {
    const auto result = translator_.TranslateIds(
        source, {.max_target_tokens = most, .language_code = {}});
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : Translation();
  }

  const ModelBytes bytes_ =
      ConvertModel(TinyModel("lengths"), WeightType::kF32);
  Translator translator_;
  std::vector<std::vector<int32_t>> sources_;
};

TEST_F(LengthLimitTest, TheModelsOwnLimitForcesEos) {
  const uint32_t limit =
      Internals::Describe(translator_).generation.max_target_tokens;
  int reached = 0;
  for (const auto& source : sources_) {
    const Translation result = Run(source, std::nullopt);
    ASSERT_LE(result.tokens.size(), limit);
    const bool is_full = result.tokens.size() == limit;
    reached += is_full ? 1 : 0;
    EXPECT_EQ(result.tokens.back(),
              Internals::Describe(translator_).generation.eos);
    EXPECT_EQ(result.stop_reason,
              is_full ? StopReason::kLengthLimit : StopReason::kEos);
  }
  EXPECT_GT(reached, 0) << "no sentence of the fixture is that long";
}

TEST_F(LengthLimitTest, AShorterLimitOfTheCallerJustStops) {
  for (const auto& source : sources_) {
    const Translation result = Run(source, 3);
    EXPECT_EQ(result.tokens.size(), 3u);
    EXPECT_NE(result.tokens.back(),
              Internals::Describe(translator_).generation.eos);
    EXPECT_EQ(result.stop_reason, StopReason::kLengthLimit);
  }
}

TEST_F(LengthLimitTest, ALongerLimitOfTheCallerGoesBeforeTheModels) {
  const uint32_t own =
      Internals::Describe(translator_).generation.max_target_tokens;
  size_t longest = 0;
  for (const auto& source : sources_) {
    const std::vector<int32_t> ids = [&] {
      const Translation result = Run(source, own + 6);
      return std::vector<int32_t>(result.tokens.begin(), result.tokens.end());
    }();
    longest = std::max(longest, ids.size());
    // The beginning is the same; only the forced token differs.
    const Translation limited = Run(source, std::nullopt);
    ASSERT_GE(ids.size(), limited.tokens.size());
    EXPECT_TRUE(std::equal(limited.tokens.begin(), limited.tokens.end() - 1,
                           ids.begin()));
  }
  EXPECT_GT(longest, own);
}

TEST_F(LengthLimitTest, NoLimitExceedsThePositionTable) {
  const Translation result = Run(sources_[0], UINT32_MAX);
  EXPECT_LE(result.tokens.size(),
            Internals::Describe(translator_).architecture.target_positions);
  const auto endless =
      translator_.TranslateIds(sources_[0], {.max_target_tokens = UINT32_MAX,
                                             .min_target_tokens = UINT32_MAX,
                                             .language_code = {}});
  ASSERT_TRUE(endless.ok());
  EXPECT_EQ(endless->tokens.size(), translator_.max_target_tokens());
  EXPECT_EQ(endless->stop_reason, StopReason::kLengthLimit);
}

}  // namespace latimer::length_limit_test
