// Attention weights and token scores equal transformers'; see
// tests/reference/make_insight.py.
// Tests runtime/transformer/trace.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "tests/system/fixture_check.h"
#include "tests/system/tiny_model.h"
#include "transformer/trace.h"

namespace latimer::insight_test {

using Json = nlohmann::json;
using ::testing::HasSubstr;

std::vector<std::filesystem::path> Fixtures() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data" /
           "insight")) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// A model and its fixture.
class InsightTest : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    std::ifstream file(GetParam());
    fixture_ = Json::parse(file);
    bytes_.emplace(
        ConvertModel(TinyModel(fixture_["model"]), WeightType::kF32));
    const Status loaded = translator_.Load(bytes_->bytes(), &test_workspace);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    ASSERT_FALSE(fixture_["sequences"].empty());
  }

  Translation Run(const Json& row, TranslateOptions options) {
    const auto source = row["src_ids"].get<std::vector<int32_t>>();
    options.max_target_tokens = static_cast<uint32_t>(row["output_ids"].size());
    const Result<Translation> result =
        translator_.TranslateIds(source, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return {};
    EXPECT_EQ(
        std::vector<int32_t>(result->tokens.begin(), result->tokens.end()),
        row["output_ids"].get<std::vector<int32_t>>());
    return *result;
  }

  void ExpectWeights(AttentionKind kind, const char* name) {
    for (const Json& row : fixture_["sequences"]) {
      const AttentionWeights got = Run(row, {.attention = kind}).attention;
      ASSERT_EQ(got.kind, kind);
      ExpectAttention(got, row[name]);
    }
  }

  Json fixture_;
  std::optional<ModelBytes> bytes_;
  Translator translator_;
};

INSTANTIATE_TEST_SUITE_P(Models, InsightTest, ::testing::ValuesIn(Fixtures()),
                         [](const auto& file) {
                           return file.param.stem().string();
                         });

TEST_P(InsightTest, CrossAttentionIsThatOfTheReference) {
  ExpectWeights(AttentionKind::kCross, "cross");
}

TEST_P(InsightTest, EncoderSelfAttentionIsThatOfTheReference) {
  ExpectWeights(AttentionKind::kEncoder, "encoder");
}

TEST_P(InsightTest, DecoderSelfAttentionIsThatOfTheReference) {
  ExpectWeights(AttentionKind::kDecoder, "decoder");
}

TEST_P(InsightTest, ScoresAreThoseOfTheReference) {
  for (const Json& row : fixture_["sequences"]) {
    const Translation got = Run(row, {.scores = true});
    ASSERT_EQ(got.scores.size(), row["output_ids"].size());
    for (size_t t = 0; t < got.scores.size(); ++t) {
      EXPECT_NEAR(got.scores[t].log_probability,
                  row["log_probabilities"][t].get<float>(), 1e-4f);
      EXPECT_NEAR(got.scores[t].margin, row["margins"][t].get<float>(), 1e-4f);
    }
  }
}

TEST_P(InsightTest, NothingIsKeptUnlessAsked) {
  const Translation got = Run(fixture_["sequences"][0], {});
  EXPECT_EQ(got.attention.kind, AttentionKind::kNone);
  EXPECT_EQ(got.attention.rows, 0u);
  EXPECT_TRUE(got.scores.empty());
}

// A run with more source tokens than any model here has.
TEST(InsightLimitTest, MoreWeightsThanTheProfileKeepsAreSaidToBeTooMany) {
  Architecture architecture = {};
  architecture.decoder_layers = architecture.decoder_heads = 1;
  constexpr size_t kColumns = kProfile.attention / 2;
  const std::vector<float> weights(kColumns, 0.5f);
  const auto keep = [&](size_t rows) {
    AttentionTrace trace;
    EXPECT_TRUE(trace
                    .Start(architecture, AttentionKind::kCross, kColumns,
                           Buffers(test_workspace).attention)
                    .ok());
    for (size_t row = 0; row < rows; ++row) {
      trace.AddRow(AttentionKind::kCross, 0, row, weights.data(), 0);
    }
    AttentionWeights kept;
    return trace.End(&kept);
  };
  EXPECT_TRUE(keep(2).ok());
  const Status status = keep(3);
  EXPECT_EQ(status.code(), StatusCode::kTextTooLong);
  EXPECT_THAT(status.message(), HasSubstr("attention weights"));
}

}  // namespace latimer::insight_test
