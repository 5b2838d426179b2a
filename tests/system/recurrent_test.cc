// Models of GRUs and LSTMs give the ids, logits and attention of their PyTorch
// modules; see tests/reference/README.md.
//
// Tests runtime/transformer/recurrent_cells.cc,
// runtime/transformer/recurrent_attention.cc,
// runtime/transformer/recurrent_encoder.cc,
// runtime/transformer/recurrent_decoder.cc, runtime/transformer/network.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/known_answer.h"
#include "internals.h"
#include "tests/system/fixture_check.h"
#include "tests/system/recurrent_models.h"

namespace latimer::recurrent_test {

using ::testing::ElementsAreArray;
using Json = nlohmann::json;

class RecurrentTest : public ::testing::TestWithParam<std::string> {
 protected:
  void Load(const ModelBytes& file) {
    const Status loaded = translator_.Load(file.bytes(), &test_workspace);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
  }

  const Json fixture_ = RecurrentModel(GetParam()).fixture;
  Translator translator_;
};

INSTANTIATE_TEST_SUITE_P(Models, RecurrentTest,
                         ::testing::ValuesIn(RecurrentNames()),
                         [](const auto& model) { return model.param; });

TEST_P(RecurrentTest, IdsAndLogitsEqualPyTorchs) {
  const ModelBytes file = ConvertRecurrent(GetParam(), WeightType::kF32);
  Load(file);
  StepLogits network(file);
  size_t rows_with_logits = 0;
  for (const Json& row : fixture_["sequences"]) {
    SCOPED_TRACE(row["src_ids"].dump());
    EXPECT_EQ(latimer::Run(translator_, row, fixture_["max_new_tokens"]),
              row["output_ids"].get<std::vector<int32_t>>());
    rows_with_logits += ExpectRowLogits(network, row);
  }
  EXPECT_GE(fixture_["sequences"].size(), 12u);
  EXPECT_GE(rows_with_logits, 4u);
}

TEST_P(RecurrentTest, AttentionEqualsPyTorchs) {
  const ModelBytes file = ConvertRecurrent(GetParam(), WeightType::kF32);
  Load(file);
  const int32_t any[] = {4, 5, 3};
  if (fixture_["attention"].is_null()) {
    const auto none = translator_.TranslateIds(
        any, {.language_code = {}, .attention = AttentionKind::kCross});
    EXPECT_STREQ(none.status().message(), "The model has no attention.");
    return;
  }
  const Json& row =
      fixture_["sequences"][fixture_["attention"]["row"].get<size_t>()];
  const auto weights =
      fixture_["attention"]["weights"].get<std::vector<std::vector<float>>>();
  const auto source = row["src_ids"].get<std::vector<int32_t>>();
  const auto result = translator_.TranslateIds(
      source, {.language_code = {}, .attention = AttentionKind::kCross});
  ASSERT_TRUE(result.ok()) << result.status().message();
  const AttentionWeights& attention = result->attention;
  EXPECT_EQ(attention.layers, 1u);
  EXPECT_EQ(attention.heads, 1u);
  ASSERT_EQ(attention.rows, weights.size());
  for (size_t t = 0; t < weights.size(); ++t) {
    const std::span<const float> got = attention.Row(0, 0, t);
    ASSERT_EQ(got.size(), weights[t].size());
    for (size_t s = 0; s < got.size(); ++s) {
      EXPECT_NEAR(got[s], weights[t][s], 1e-5)
          << "step " << t << ", source position " << s;
    }
  }
}

TEST_P(RecurrentTest, SelfAttentionIsSaidToBeMissing) {
  const ModelBytes file = ConvertRecurrent(GetParam(), WeightType::kF32);
  Load(file);
  const int32_t source[] = {4, 5, 3};
  for (const AttentionKind kind :
       {AttentionKind::kEncoder, AttentionKind::kDecoder}) {
    const auto result = translator_.TranslateIds(
        source, {.language_code = {}, .attention = kind});
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
    EXPECT_STREQ(result.status().message(),
                 fixture_["attention"].is_null()
                     ? "The model has no attention."
                     : "The model is recurrent and has no self-attention; ask "
                       "for the cross-attention.");
  }
}

TEST_P(RecurrentTest, TheKnownAnswerIsWhatTheModelGives) {
  std::vector<std::string> warnings;
  const ModelBytes file = WriteModelWithKnownAnswer(
      RecurrentModel(GetParam()).Read(), OptionsForThisCpu(), &warnings);
  EXPECT_TRUE(warnings.empty());
  Load(file);
  const KnownAnswer& answer = Internals::Describe(translator_).known_answer;
  const auto count = static_cast<uint32_t>(answer.target.size());
  ASSERT_EQ(count, 24u);
  const Result<Translation> translation =
      translator_.TranslateIds(answer.source, {.max_target_tokens = count,
                                               .min_target_tokens = count,
                                               .language_code = {}});
  ASSERT_TRUE(translation.ok()) << translation.status().message();
  EXPECT_THAT(std::vector<int32_t>(translation->tokens.begin(),
                                   translation->tokens.end()),
              ElementsAreArray(answer.target.begin(), answer.target.end()));
}

// Ids before the text and its logits, of the longest row.
std::vector<float> Logits(Translator& translator, const Json& fixture) {
  const auto longest = std::ranges::max_element(
      fixture["sequences"], {},
      [](const Json& row) { return row["src_ids"].size(); });
  (void)latimer::Run(translator, *longest, fixture["max_new_tokens"]);
  const uint32_t count =
      Internals::Describe(translator).architecture.target_vocabulary;
  return {Buffers(test_workspace).logits,
          Buffers(test_workspace).logits + count};
}

TEST_P(RecurrentTest, Int8LogitsAreTheSameInEveryTileAndOnThreeThreads) {
  std::vector<float> first;
  size_t tiles = 0;
  for (const Tile tile : {Tile::k8x8, Tile::k16x8, Tile::k4x8, Tile::k8x2s4,
                          Tile::k16x4, Tile::k4x4}) {
    const ModelBytes file =
        ConvertRecurrent(GetParam(), WeightType::kInt8, tile);
    for (const uint32_t threads : {1u, 3u}) {
      const Status loaded =
          translator_.Load(file.bytes(), &test_workspace, {.threads = threads});
      if (!loaded.ok()) {
        EXPECT_TRUE(loaded.code() == StatusCode::kTileNotInBuild ||
                    loaded.code() == StatusCode::kUnsupportedCpu)
            << loaded.message();
        continue;
      }
      ++tiles;
      const std::vector<float> logits = Logits(translator_, fixture_);
      if (first.empty()) first = logits;
      EXPECT_EQ(logits, first) << NameOf(tile) << ", threads " << threads;
    }
  }
  EXPECT_GT(tiles, 1u);
}

// Most ids are those of f32, whatever the tile.
class RecurrentInt8Test : public ::testing::TestWithParam<Tile> {};

INSTANTIATE_TEST_SUITE_P(Tiles, RecurrentInt8Test,
                         ::testing::Values(Tile::k8x8, Tile::k16x8, Tile::k4x8,
                                           Tile::k8x2s4, Tile::k16x4,
                                           Tile::k4x4),
                         [](const auto& tile) {
                           return std::string("Tile") + NameOf(tile.param);
                         });

TEST_P(RecurrentInt8Test, MostIdsAreThoseOfPyTorch) {
  Agreement agreement;
  Translator translator;
  for (const std::string& name : RecurrentNames()) {
    const ModelBytes file =
        ConvertRecurrent(name, WeightType::kInt8, GetParam());
    const Status loaded = translator.Load(file.bytes(), &test_workspace);
    if (loaded.code() == StatusCode::kTileNotInBuild ||
        loaded.code() == StatusCode::kUnsupportedCpu) {
      GTEST_SKIP() << "no kernels here for tile " << NameOf(GetParam());
    }
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    const Json fixture = RecurrentModel(name).fixture;
    for (const Json& row : fixture["sequences"]) {
      agreement.Add(latimer::Run(translator, row, fixture["max_new_tokens"]),
                    row["output_ids"].get<std::vector<int32_t>>());
    }
  }
  std::printf("tile %s: %zu of %zu rows, %zu of %zu tokens equal\n",
              NameOf(GetParam()), agreement.equal_rows, agreement.rows,
              agreement.equal_tokens, agreement.tokens);
  EXPECT_GT(10 * agreement.equal_tokens, 8 * agreement.tokens);
}

}  // namespace latimer::recurrent_test
