// Compares a converted model with the fixture.json of its folder;
// tests/reference/README.md has its format.
#ifndef LATIMER_TESTS_SYSTEM_FIXTURE_CHECK_H_
#define LATIMER_TESTS_SYSTEM_FIXTURE_CHECK_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/system/step_logits.h"
#include "tests/system/tiny_model.h"

namespace latimer {

// The tiny Hugging Face models with a file of that name, sorted:
// "FAMILY/MODEL".
inline std::vector<std::string> ModelsWith(const char* file) {
  std::vector<std::string> models;
  for (const std::string family : {"tiny_families", "tiny_marian", "t5"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(TestData(family))) {
      if (std::filesystem::exists(entry.path() / file)) {
        models.push_back(family + "/" + entry.path().filename().string());
      }
    }
  }
  std::ranges::sort(models);
  return models;
}

// The name of a test of one of them.
inline std::string TestName(
    const ::testing::TestParamInfo<std::string>& model) {
  std::string name = model.param;
  std::ranges::replace(name, '/', '_');
  return name;
}

// Ids of one fixture row.
inline std::vector<int32_t> Run(Translator& translator,
                                const nlohmann::json& row,
                                uint32_t max_target_tokens,
                                TranslateOptions options = {}) {
  const auto source = row["src_ids"].get<std::vector<int32_t>>();
  options.max_target_tokens = max_target_tokens;
  options.beams = 1;  // The folder may ask for more.
  const Result<Translation> result = translator.TranslateIds(source, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok()) return {};
  return {result->tokens.begin(), result->tokens.end()};
}

// Expects the logits to be `expected` within 1e-4 of the largest.
inline void ExpectLogits(const std::vector<float>& logits,
                         const nlohmann::json& expected) {
  const auto values = expected.get<std::vector<float>>();
  ASSERT_EQ(values.size(), logits.size());
  float largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::fabs(value));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(logits[i], values[i], 1e-4f * largest) << "token " << i;
  }
}

// Expects the network to compute the logits of the row, if it has any. Returns
// whether it has those of the first step.
inline bool ExpectRowLogits(StepLogits& network, const nlohmann::json& row,
                            const TranslateOptions& options = {}) {
  const nlohmann::json none = nlohmann::json::array();
  const nlohmann::json& steps =
      row.contains("all_step_logits") ? row["all_step_logits"] : none;
  const bool has_first = row.contains("first_step_logits");
  const auto logits =
      network.Of(row["src_ids"], row["output_ids"], options,
                 std::max<size_t>(steps.size(), has_first ? 1 : 0));
  if (has_first) ExpectLogits(logits[0], row["first_step_logits"]);
  for (size_t t = 0; t < steps.size(); ++t) {
    SCOPED_TRACE("step " + std::to_string(t));
    ExpectLogits(logits[t], steps[t]);
  }
  return has_first;
}

// The token that a fixture forces first, if its model does not.
inline TranslateOptions OptionsOf(const nlohmann::json& fixture) {
  TranslateOptions options;
  const auto first = fixture.find("forced_bos_token_id");
  if (first != fixture.end() && first->is_number()) {
    options.forced_first_token = first->get<int32_t>();
  }
  return options;
}

// Expects the ids and logits of the fixture from the f32 model.
inline void ExpectFixture(const std::filesystem::path& folder) {
  const ModelBytes file = ConvertModel(folder, WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  const nlohmann::json fixture = ReadFixture(folder);
  const TranslateOptions options = OptionsOf(fixture);
  StepLogits network(file);
  size_t rows_with_logits = 0;
  for (const nlohmann::json& row : fixture["sequences"]) {
    SCOPED_TRACE(row["src_ids"].dump());
    EXPECT_EQ(Run(translator, row, fixture["max_new_tokens"], options),
              row["output_ids"].get<std::vector<int32_t>>());
    rows_with_logits += ExpectRowLogits(network, row, options);
  }
  EXPECT_GE(fixture["sequences"].size(), 12u);
  EXPECT_GE(rows_with_logits, 4u);
}

// How well int8 agrees with the fixtures.
struct Agreement {
  size_t rows = 0, equal_rows = 0, tokens = 0, equal_tokens = 0;

  void Add(const std::vector<int32_t>& got, const std::vector<int32_t>& want) {
    ++rows;
    equal_rows += got == want;
    tokens += want.size();
    for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
      equal_tokens += got[i] == want[i];
    }
  }
};

// False if this build or CPU cannot run the tile.
inline bool AddModel(const std::filesystem::path& folder, Tile tile,
                     Agreement* agreement) {
  const ModelBytes file = ConvertModel(folder, WeightType::kInt8, tile);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  if (loaded.code() == StatusCode::kTileNotInBuild ||
      loaded.code() == StatusCode::kUnsupportedCpu) {
    return false;
  }
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  const nlohmann::json fixture = ReadFixture(folder);
  for (const nlohmann::json& row : fixture["sequences"]) {
    agreement->Add(
        Run(translator, row, fixture["max_new_tokens"], OptionsOf(fixture)),
        row["output_ids"].get<std::vector<int32_t>>());
  }
  return true;
}

// Expects the weights of a reference, [layers][heads][rows][columns], whose
// causal rows end with zeros.
inline void ExpectAttention(const AttentionWeights& got,
                            const nlohmann::json& layers) {
  constexpr float kTolerance = 2e-5f;
  ASSERT_EQ(got.layers, layers.size());
  ASSERT_EQ(got.heads, layers[0].size());
  ASSERT_EQ(got.rows, layers[0][0].size());
  for (uint32_t l = 0; l < got.layers; ++l) {
    for (uint32_t h = 0; h < got.heads; ++h) {
      for (size_t r = 0; r < got.rows; ++r) {
        const std::span<const float> weights = got.Row(l, h, r);
        const nlohmann::json& expected = layers[l][h][r];
        ASSERT_LE(weights.size(), expected.size());
        for (size_t c = 0; c < expected.size(); ++c) {
          EXPECT_NEAR(c < weights.size() ? weights[c] : 0.0f,
                      expected[c].get<float>(), kTolerance)
              << "layer " << l << " head " << h << " row " << r << " column "
              << c;
        }
      }
    }
  }
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_FIXTURE_CHECK_H_
