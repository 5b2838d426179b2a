// What config.json of a T5Gemma says, and how its tensors become the runtime's;
// the system tests compare what it computes.
// Tests converter/readers/t5gemma.cc, converter/readers/known_transformer.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::t5gemma_test {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CanonicalModel Read(const TinyModelCopy& model,
                    const PositionLimits& limits = {}) {
  return ReadT5Gemma(model.path(), /*with_tokenizer=*/false, limits);
}

// The message for a decoder with this field.
std::string ErrorWith(const char* name, const Json& value) {
  TinyModelCopy model("../t5/t5gemma");
  Json decoder = Json::parse(ReadFile(model.path() / "config.json"))["decoder"];
  decoder[name] = value;
  model.EditConfig({{"decoder", decoder}});
  return ErrorOf([&] { (void)Read(model); });
}

TEST(T5GemmaTest, TheConfigurationIsTheArchitecture) {
  const CanonicalModel model = Read(TinyModelCopy("../t5/t5gemma"));
  const Architecture& a = model.architecture;
  EXPECT_THAT(model.warnings, IsEmpty());
  EXPECT_TRUE(a.rotary_positions && a.positions_shared && a.gated_ffn);
  EXPECT_FALSE(a.has_positions || a.relative_attention);
  EXPECT_EQ(a.norm_position, NormPosition::kBoth);
  EXPECT_EQ(a.norm_kind, NormKind::kRms);
  EXPECT_EQ(a.activation, Activation::kGeluTanh);
  EXPECT_EQ(a.attention_cap, 3.0f);
  EXPECT_EQ(a.logit_cap, 9.0f);
  EXPECT_EQ(a.encoder_attention_width(), 40u);
  EXPECT_FLOAT_EQ(a.encoder_attention_scale, 1 / std::sqrt(12.0f));
  EXPECT_FLOAT_EQ(a.embedding_scale, std::sqrt(24.0f));
  EXPECT_EQ(a.source_positions, 200u);  // Of max_position_embeddings.
  EXPECT_EQ(model.generation.decoder_start, 2);
}

TEST(T5GemmaTest, HeadsThatShareAKeyGetACopyEach) {
  const CanonicalModel model = Read(TinyModelCopy("../t5/t5gemma"));
  const CanonicalLinear& qkv = model.linears.at("encoder.0.self_attention.qkv");
  ASSERT_EQ(qkv.weights.size(), 1u + 4u + 4u);
  EXPECT_EQ(qkv.outputs(), 3u * 40u);
  for (const size_t head : {1u, 5u}) {  // The first of the keys, of the values.
    EXPECT_TRUE(qkv.weights[head]->SameAs(*qkv.weights[head + 1]));
    EXPECT_FALSE(qkv.weights[head + 1]->SameAs(*qkv.weights[head + 2]));
    EXPECT_TRUE(qkv.weights[head + 2]->SameAs(*qkv.weights[head + 3]));
  }
  EXPECT_EQ(model.norms.at("decoder.1.ffn.output_norm").gamma_offset, 1.0f);
}

TEST(T5GemmaTest, RotationsAreCosinesThenSines) {
  const CanonicalModel model = Read(TinyModelCopy("../t5/t5gemma"));
  const std::vector<float>& table = model.tables.at("source_rotations");
  ASSERT_EQ(table.size(), 200u * 10u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(table[i], 1.0f);
    EXPECT_EQ(table[5 + i], 0.0f);
    const double angle = 3 * std::pow(10000.0, -0.2 * static_cast<double>(i));
    EXPECT_NEAR(table[30 + i], std::cos(angle), 1e-6);
    EXPECT_NEAR(table[35 + i], std::sin(angle), 1e-6);
  }
  const CanonicalModel uneven = Read(TinyModelCopy("../t5/t5gemma_uneven"));
  EXPECT_FALSE(uneven.architecture.positions_shared);
  EXPECT_EQ(uneven.tables.at("target_rotations").size(), 200u * 6u);
}

TEST(T5GemmaTest, OptionsLimitPositions) {
  const CanonicalModel model =
      Read(TinyModelCopy("../t5/t5gemma"), {.source = 30, .target = 1000});
  EXPECT_EQ(model.architecture.source_positions, 30u);
  EXPECT_EQ(model.architecture.target_positions, 200u);
}

TEST(T5GemmaTest, RefusesWhatItCannotCompute) {
  EXPECT_THAT(ErrorWith("sliding_window", 50),
              HasSubstr("decoder: sliding_window is 50; attention in windows "
                        "is not supported; with texts of at most as many "
                        "tokens (--max-target-tokens 50) each window covers "
                        "the text"));
  EXPECT_THAT(ErrorWith("num_key_value_heads", 3),
              HasSubstr("it must divide num_attention_heads 4"));
  EXPECT_THAT(ErrorWith("head_dim", 9), HasSubstr("it must be even"));
  EXPECT_THAT(ErrorWith("hidden_size", 25),
              HasSubstr("it must equal the encoder's, 24"));
  EXPECT_THAT(ErrorWith("attn_logit_softcapping", nullptr),
              HasSubstr("it must equal the encoder's, 3"));
  EXPECT_THAT(ErrorWith("final_logit_softcapping", -1),
              HasSubstr("it must be a number above 0"));
  EXPECT_THAT(ErrorWith("attention_bias", true),
              HasSubstr("only false is supported"));
  EXPECT_THAT(ErrorWith("rope_parameters", {{"rope_type", "linear"}}),
              HasSubstr("rope_type is \"linear\""));
}

TEST(T5GemmaTest, NamesWhatIsMissing) {
  TinyModelCopy model("../t5/t5gemma_uneven");
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, "lm_head.out_proj.weight");
    Remove(tensors, "model.decoder.layers.1.cross_attn.k_proj.weight");
  });
  EXPECT_THAT(
      ErrorOf([&] { (void)Read(model); }),
      HasSubstr("missing tensors: lm_head.out_proj.weight (\"output\"), "
                "model.decoder.layers.1.cross_attn.k_proj.weight"));
}

}  // namespace latimer::t5gemma_test
