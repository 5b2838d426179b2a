// Own PyTorch models give the ids and logits of their modules; see
// tests/reference/README.md.
// Tests converter/readers/map_json.cc, converter/readers/mapped_model.cc,
// converter/readers/mapped_attention.cc, converter/readers/mapped_positions.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/own_model.h"
#include "tests/system/fixture_check.h"

namespace latimer::own_models_test {

using Json = nlohmann::json;

// Rows whose ids are the fixture's.
size_t EqualRows(const ModelBytes& file, const Json& fixture) {
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  if (!loaded.ok()) return 0;
  size_t equal = 0;
  for (const Json& row : fixture["sequences"]) {
    equal += latimer::Run(translator, row, fixture["max_new_tokens"]) ==
             row["output_ids"].get<std::vector<int32_t>>();
  }
  return equal;
}

class OwnModelsTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, OwnModelsTest,
                         ::testing::ValuesIn(OwnModelNames()),
                         [](const auto& model) { return model.param; });

TEST_P(OwnModelsTest, IdsAndLogitsEqualPyTorchs) {
  const OwnModel model(GetParam());
  const ModelBytes file = WriteForThisCpu(model.Read(), WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  StepLogits network(file);
  size_t rows_with_logits = 0;
  for (const Json& row : model.fixture["sequences"]) {
    SCOPED_TRACE(row["src_ids"].dump());
    EXPECT_EQ(latimer::Run(translator, row, model.fixture["max_new_tokens"]),
              row["output_ids"].get<std::vector<int32_t>>());
    rows_with_logits += ExpectRowLogits(network, row);
  }
  EXPECT_GE(model.fixture["sequences"].size(), 12u);
  EXPECT_GE(rows_with_logits, 4u);
}

TEST_P(OwnModelsTest, AttentionIsWhatTheModuleSays) {
  const OwnModel model(GetParam());
  const ModelBytes file = WriteForThisCpu(model.Read(), WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  const Json& attention = model.fixture["attention"];
  const Json& row = model.fixture["sequences"][attention["row"].get<size_t>()];
  const auto source = row["src_ids"].get<std::vector<int32_t>>();
  const std::pair<AttentionKind, const char*> kKinds[] = {
      {AttentionKind::kCross, "cross"},
      {AttentionKind::kEncoder, "encoder"},
      {AttentionKind::kDecoder, "decoder"}};
  for (const auto& [kind, name] : kKinds) {
    SCOPED_TRACE(name);
    const Result<Translation> result = translator.TranslateIds(
        source,
        {.max_target_tokens = model.fixture["max_new_tokens"].get<uint32_t>(),
         .attention = kind});
    ASSERT_TRUE(result.ok()) << result.status().message();
    ExpectAttention(result->attention, attention[name]);
  }
}

TEST_P(OwnModelsTest, WhatIsAroundTheSourceIsInTheFile) {
  const OwnModel model(GetParam());
  const CanonicalGeneration& rules = model.Read().generation;
  EXPECT_EQ(Json(rules.source_prefix), model.fixture["source_prefix"]);
  EXPECT_EQ(Json(rules.source_suffix), model.fixture["source_suffix"]);
  EXPECT_EQ(rules.source_length, model.fixture.value("source_length", 0u));
  EXPECT_EQ(rules.decoder_start, model.fixture["decoder_start_token_id"]);
  EXPECT_EQ(rules.eos, model.fixture["eos_token_id"]);
}

// From the text that the module's code splits to the text that it joins.
TEST(OwnModelsTextTest, TranslationsEqualPyTorchs) {
  size_t rows = 0;
  for (const std::string& name : OwnModelNames()) {
    const OwnModel model(name);
    if (!model.fixture["sequences"][0].contains("src_text")) continue;
    const ModelBytes file = WriteForThisCpu(
        model.Read({}, /*with_tokenizer=*/true), WeightType::kF32);
    Translator translator;
    const Status loaded = translator.Load(file.bytes(), &test_workspace);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    for (const Json& row : model.fixture["sequences"]) {
      const std::string text = row["src_text"];
      std::vector<int32_t> ids(100);
      const Result<size_t> count = translator.Tokenize(text, ids);
      ASSERT_TRUE(count.ok()) << count.status().message();
      ids.resize(*count);
      EXPECT_EQ(ids, row["src_ids"].get<std::vector<int32_t>>()) << text;
      const auto result = translator.Translate(
          text,
          {.sentences = false,
           .max_target_tokens = model.fixture["max_new_tokens"].get<uint32_t>(),
           .language_code = {}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(result->text, row["output_text"].get<std::string>()) << text;
      ++rows;
    }
  }
  EXPECT_GE(rows, 24u);
}

TEST(OwnModelsInt8Test, MostIdsAreThoseOfPyTorch) {
  Agreement agreement;
  for (const std::string& name : OwnModelNames()) {
    const OwnModel model(name);
    const ModelBytes file = WriteForThisCpu(model.Read(), WeightType::kInt8);
    Translator translator;
    const Status loaded = translator.Load(file.bytes(), &test_workspace);
    if (loaded.code() == StatusCode::kTileNotInBuild ||
        loaded.code() == StatusCode::kUnsupportedCpu) {
      GTEST_SKIP() << "no kernels here for any tile";
    }
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    Agreement own;
    for (const Json& row : model.fixture["sequences"]) {
      const auto got =
          latimer::Run(translator, row, model.fixture["max_new_tokens"]);
      const auto want = row["output_ids"].get<std::vector<int32_t>>();
      own.Add(got, want);
      agreement.Add(got, want);
    }
    std::printf("%s: %zu of %zu rows, %zu of %zu tokens equal\n", name.c_str(),
                own.equal_rows, own.rows, own.equal_tokens, own.tokens);
  }
  std::printf("all: %zu of %zu rows, %zu of %zu tokens equal\n",
              agreement.equal_rows, agreement.rows, agreement.equal_tokens,
              agreement.tokens);
  // Widths of 24 quantize badly; real models agree far more.
  EXPECT_GT(10 * agreement.equal_tokens, 8 * agreement.tokens);
}

// Flags that no tensor shows. With a wrong one, the model translates
// differently.
struct WrongFlag {
  const char* model;
  const char* setting;
};

class WrongFlagTest : public ::testing::TestWithParam<WrongFlag> {};

INSTANTIATE_TEST_SUITE_P(
    Flags, WrongFlagTest,
    ::testing::Values(
        WrongFlag{"enc_dec_attn", "heads=2"},
        WrongFlag{"enc_dec_attn", "positions_axis=batch"},
        WrongFlag{"enc_dec_attn", "embedding_scale=sqrt(d_model)"},
        WrongFlag{"enc_dec_attn", "norm_order=pre"},
        WrongFlag{"enc_dec_attn_batch_axis", "positions_axis=sequence"},
        WrongFlag{"residual_connections", "norm_formula=layer_norm"},
        WrongFlag{"residual_connections", "residual=false"},
        WrongFlag{"q_linear", "head_layout=contiguous"},
        WrongFlag{"q_linear", "attention_scale=1/sqrt(head_dim)"},
        WrongFlag{"q_linear", "positions=halves"},
        WrongFlag{"q_linear", "position_offset=1"},
        WrongFlag{"q_proj", "activation=relu"},
        WrongFlag{"q_proj", "decoder_start=sos"},
        WrongFlag{"nn_transformer_pre", "norm_order=post"}),
    [](const auto& flag) {
      std::string name(flag.param.model);
      name.append("_").append(flag.param.setting);
      for (char& c : name) {
        if (isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      }
      return name;
    });

TEST_P(WrongFlagTest, GivesAnotherTranslation) {
  const OwnModel model(GetParam().model);
  const ModelBytes file =
      WriteForThisCpu(model.Read({GetParam().setting}), WeightType::kF32);
  EXPECT_LT(EqualRows(file, model.fixture), 12u);
}

}  // namespace latimer::own_models_test
