// T5 models of several shapes give the ids, logits and attention weights of
// transformers; see tests/reference/README.md.
// Tests runtime/transformer/network.cc, runtime/transformer/encoder.cc,
// runtime/transformer/decoder.cc, runtime/transformer/layers.cc,
// converter/readers/t5_config.cc.
#include <gtest/gtest.h>

#include "tests/system/fixture_check.h"

namespace latimer::t5_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path T5Model(const std::string& name) { return TestData("t5") / name; }

std::vector<std::string> T5ModelNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(T5Model(""))) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

class T5Test : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, T5Test, ::testing::ValuesIn(T5ModelNames()),
                         [](const auto& model) { return model.param; });

TEST_P(T5Test, IdsAndLogitsEqualTheReference) {
  ExpectFixture(T5Model(GetParam()));
}

// Far beyond the last bucket of the relative positions.
TEST_P(T5Test, LogitsOfTheLastStepEqualTheReference) {
  const ModelBytes file = ConvertModel(T5Model(GetParam()), WeightType::kF32);
  StepLogits network(file);
  const Json fixture = ReadFixture(T5Model(GetParam()));
  size_t longest = 0;
  for (const Json& row : fixture["sequences"]) {
    SCOPED_TRACE(row["src_ids"].dump());
    const std::vector<int32_t> target = row["output_ids"];
    longest = std::max(longest, target.size());
    ExpectLogits(network.Of(row["src_ids"], target, {}, target.size()).back(),
                 row["last_step_logits"]);
  }
  EXPECT_GE(longest, 36u);
}

TEST_P(T5Test, AttentionIsWhatTheModelSays) {
  const ModelBytes file = ConvertModel(T5Model(GetParam()), WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  const Json fixture = ReadFixture(T5Model(GetParam()));
  const Json& attention = fixture["attention"];
  const Json& row = fixture["sequences"][attention["row"].get<size_t>()];
  const auto source = row["src_ids"].get<std::vector<int32_t>>();
  const std::pair<AttentionKind, const char*> kKinds[] = {
      {AttentionKind::kCross, "cross"},
      {AttentionKind::kEncoder, "encoder"},
      {AttentionKind::kDecoder, "decoder"}};
  for (const auto& [kind, name] : kKinds) {
    SCOPED_TRACE(name);
    const Result<Translation> result = translator.TranslateIds(
        source, {.max_target_tokens = fixture["max_new_tokens"].get<uint32_t>(),
                 .language_code = {},
                 .attention = kind});
    ASSERT_TRUE(result.ok()) << result.status().message();
    ExpectAttention(result->attention, attention[name]);
  }
}

// Ids of all rows, and a hash of the logits after the last step.
std::vector<std::vector<int32_t>> RunAll(const ModelBytes& file,
                                         const Json& fixture,
                                         uint32_t threads) {
  Translator translator;
  const Status loaded =
      translator.Load(file.bytes(), &test_workspace, {.threads = threads});
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  if (!loaded.ok()) return {};
  std::vector<std::vector<int32_t>> results;
  for (const Json& row : fixture["sequences"]) {
    std::vector<int32_t> all = Run(translator, row, fixture["max_new_tokens"]);
    for (size_t i = 0; i < row["last_step_logits"].size(); ++i) {
      int32_t bits;
      std::memcpy(&bits, &Buffers(test_workspace).logits[i], sizeof(bits));
      all.push_back(bits);
    }
    results.push_back(std::move(all));
  }
  return results;
}

TEST_P(T5Test, ThreadsChangeNoBit) {
  const Json fixture = ReadFixture(T5Model(GetParam()));
  for (const WeightType weights : {WeightType::kF32, WeightType::kInt8}) {
    const ModelBytes file = ConvertModel(T5Model(GetParam()), weights);
    const auto expected = RunAll(file, fixture, 1);
    ASSERT_EQ(expected.size(), fixture["sequences"].size());
    for (const uint32_t threads : {2u, 3u}) {
      EXPECT_EQ(RunAll(file, fixture, threads), expected) << threads;
    }
  }
}

TEST(T5Int8Test, MostIdsAreThoseOfTheReference) {
  Agreement all;
  for (const std::string& name : T5ModelNames()) {
    Agreement agreement;
    if (!AddModel(T5Model(name), UsableTile(), &agreement) ||
        !AddModel(T5Model(name), UsableTile(), &all)) {
      GTEST_SKIP() << "no kernels here for any tile";
    }
    std::printf("%s: %zu of %zu rows, %zu of %zu tokens equal\n", name.c_str(),
                agreement.equal_rows, agreement.rows, agreement.equal_tokens,
                agreement.tokens);
  }
  std::printf("all: %zu of %zu rows, %zu of %zu tokens equal\n", all.equal_rows,
              all.rows, all.equal_tokens, all.tokens);
  // Widths of 24 quantize badly, and in a row of 150 tokens all that follow one
  // that differs may differ too.
  EXPECT_GT(10 * all.equal_rows, 7 * all.rows);
  EXPECT_GT(10 * all.equal_tokens, 7 * all.tokens);
}

}  // namespace latimer::t5_test
