// The configurations of T5, mT5, ByT5, UMT5 and FLAN-T5.
// Tests converter/readers/t5_config.cc.
#include "converter/readers/t5_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/model_folder.h"

namespace latimer::t5_config_test {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

T5Config Read(const Json& config, const Json& rules = nullptr,
              const PositionLimits& limits = {}) {
  TempFolder folder;
  WriteConfigs(folder, config, rules);
  return ReadT5Config(folder.path(), limits);
}

// A T5 with its usual fields, of which some differ.
T5Config ReadWith(const Json& fields) {
  Json config = {{"model_type", "t5"},
                 {"decoder_start_token_id", 0},
                 {"eos_token_id", 1},
                 {"pad_token_id", 0}};
  config.update(fields);
  return Read(config);
}

std::string ErrorWith(const Json& fields) {
  return ErrorOf([&] { (void)ReadWith(fields); });
}

// What the published generation_config.json files have.
const Json kRules = {{"_from_model_config", true},
                     {"decoder_start_token_id", 0},
                     {"eos_token_id", 1},
                     {"pad_token_id", 0},
                     {"transformers_version", "4.27.0.dev0"}};

TEST(T5ConfigTest, ReadsT5Small) {
  const T5Config t5 = Read(Json::parse(R"json({
    "architectures": ["T5ForConditionalGeneration"], "d_ff": 2048, "d_kv": 64,
    "d_model": 512, "decoder_start_token_id": 0, "dropout_rate": 0.1,
    "eos_token_id": 1, "initializer_factor": 1.0, "is_encoder_decoder": true,
    "layer_norm_epsilon": 1e-06, "model_type": "t5", "n_positions": 512,
    "num_decoder_layers": 6, "num_heads": 8, "num_layers": 6,
    "output_past": true, "pad_token_id": 0,
    "relative_attention_num_buckets": 32, "task_specific_params": {
      "summarization": {"early_stopping": true, "length_penalty": 2.0,
        "max_length": 200, "min_length": 30, "no_repeat_ngram_size": 3,
        "num_beams": 4, "prefix": "summarize: "},
      "translation_en_to_de": {"early_stopping": true, "max_length": 300,
        "num_beams": 4, "prefix": "translate English to German: "}},
    "vocab_size": 32128})json"),
                           kRules);
  const Architecture& a = t5.architecture;
  EXPECT_EQ(a.d_model, 512u);
  EXPECT_EQ(a.encoder_layers, 6u);
  EXPECT_EQ(a.decoder_layers, 6u);
  EXPECT_EQ(a.encoder_heads, 8u);
  EXPECT_EQ(a.decoder_heads, 8u);
  EXPECT_EQ(a.encoder_head_dim, 64u);
  EXPECT_EQ(a.decoder_head_dim, 64u);
  EXPECT_EQ(a.encoder_attention_scale, 1.0f);
  EXPECT_EQ(a.decoder_attention_scale, 1.0f);
  EXPECT_EQ(a.encoder_ffn, 2048u);
  EXPECT_EQ(a.decoder_ffn, 2048u);
  EXPECT_FALSE(a.gated_ffn);
  EXPECT_EQ(a.activation, Activation::kRelu);
  EXPECT_EQ(a.source_vocabulary, 32128u);
  EXPECT_EQ(a.target_vocabulary, 32128u);
  EXPECT_EQ(a.source_positions, 512u);
  EXPECT_EQ(a.target_positions, 512u);
  EXPECT_EQ(a.embedding_scale, 1.0f);
  EXPECT_EQ(a.norm_kind, NormKind::kRms);
  EXPECT_EQ(a.norm_position, NormPosition::kPre);
  EXPECT_EQ(a.norm_epsilon, 1e-6f);
  EXPECT_TRUE(a.final_norm);
  EXPECT_FALSE(a.embedding_norm);
  EXPECT_TRUE(a.relative_attention);
  EXPECT_FALSE(a.has_positions);
  EXPECT_EQ(t5.buckets, 32u);
  EXPECT_EQ(t5.max_distance, 128u);
  EXPECT_TRUE(t5.scale_output);
  EXPECT_FALSE(t5.own_output);
  EXPECT_EQ(t5.generation.decoder_start, 0);
  EXPECT_EQ(t5.generation.eos, 1);
  EXPECT_EQ(t5.generation.pad, 0);
  EXPECT_THAT(t5.generation.source_suffix, ElementsAre(1));
  EXPECT_EQ(t5.generation.max_target_tokens, 512u);
  EXPECT_EQ(t5.generation.tasks.size(), 2u);
  EXPECT_THAT(t5.warnings, IsEmpty());
}

TEST(T5ConfigTest, RefusesATaskWhoseNameATerminalWouldObey) {
  for (const char* name : {"", "a\x1B[2J", "a\x7F"}) {
    EXPECT_THAT(ErrorWith({{"task_specific_params", {{name, Json::object()}}}}),
                HasSubstr("is empty or has control characters"))
        << name;
  }
}

TEST(T5ConfigTest, ReadsFlanT5Base) {
  const T5Config t5 = Read(Json::parse(R"json({
    "architectures": ["T5ForConditionalGeneration"], "classifier_dropout": 0.0,
    "d_ff": 2048, "d_kv": 64, "d_model": 768, "decoder_start_token_id": 0,
    "dense_act_fn": "gelu_new", "dropout_rate": 0.1, "eos_token_id": 1,
    "feed_forward_proj": "gated-gelu", "initializer_factor": 1.0,
    "is_encoder_decoder": true, "is_gated_act": true,
    "layer_norm_epsilon": 1e-06, "model_type": "t5", "n_positions": 512,
    "num_decoder_layers": 12, "num_heads": 12, "num_layers": 12,
    "output_past": true, "pad_token_id": 0,
    "relative_attention_max_distance": 128,
    "relative_attention_num_buckets": 32, "task_specific_params": {},
    "tie_word_embeddings": false, "transformers_version": "4.23.1",
    "use_cache": true, "vocab_size": 32128})json"),
                           kRules);
  EXPECT_EQ(t5.architecture.d_model, 768u);
  EXPECT_EQ(t5.architecture.encoder_layers, 12u);
  EXPECT_TRUE(t5.architecture.gated_ffn);
  EXPECT_EQ(t5.architecture.activation, Activation::kGeluTanh);
  EXPECT_FALSE(t5.scale_output);
  EXPECT_TRUE(t5.own_output);
  EXPECT_THAT(t5.warnings, IsEmpty());
}

TEST(T5ConfigTest, ReadsMt5Small) {
  const T5Config t5 = Read(Json::parse(R"json({
    "_name_or_path": "/home/patrick/hugging_face/t5/mt5-small",
    "architectures": ["MT5ForConditionalGeneration"], "d_ff": 1024, "d_kv": 64,
    "d_model": 512, "decoder_start_token_id": 0, "dropout_rate": 0.1,
    "eos_token_id": 1, "feed_forward_proj": "gated-gelu",
    "initializer_factor": 1.0, "is_encoder_decoder": true,
    "layer_norm_epsilon": 1e-06, "model_type": "mt5", "num_decoder_layers": 8,
    "num_heads": 6, "num_layers": 8, "pad_token_id": 0,
    "relative_attention_num_buckets": 32, "tie_word_embeddings": false,
    "tokenizer_class": "T5Tokenizer", "vocab_size": 250112})json"),
                           kRules);
  EXPECT_EQ(t5.architecture.encoder_heads, 6u);
  EXPECT_EQ(t5.architecture.encoder_attention_width(), 384u);
  EXPECT_EQ(t5.architecture.source_vocabulary, 250112u);
  EXPECT_EQ(t5.architecture.activation, Activation::kGeluTanh);
  EXPECT_TRUE(t5.architecture.gated_ffn);
  EXPECT_FALSE(t5.scale_output);
  EXPECT_TRUE(t5.own_output);
  EXPECT_THAT(t5.warnings, IsEmpty());
}

TEST(T5ConfigTest, ReadsByT5Small) {
  const T5Config t5 = Read(Json::parse(R"json({
    "_name_or_path": "/home/patrick/t5/byt5-small",
    "architectures": ["T5ForConditionalGeneration"], "d_ff": 3584, "d_kv": 64,
    "d_model": 1472, "decoder_start_token_id": 0, "dropout_rate": 0.1,
    "eos_token_id": 1, "feed_forward_proj": "gated-gelu",
    "gradient_checkpointing": false, "initializer_factor": 1.0,
    "is_encoder_decoder": true, "layer_norm_epsilon": 1e-06,
    "model_type": "t5", "num_decoder_layers": 4, "num_heads": 6,
    "num_layers": 12, "pad_token_id": 0, "relative_attention_num_buckets": 32,
    "tie_word_embeddings": false, "tokenizer_class": "ByT5Tokenizer",
    "transformers_version": "4.7.0.dev0", "use_cache": true,
    "vocab_size": 384})json"),
                           kRules);
  EXPECT_EQ(t5.architecture.d_model, 1472u);
  EXPECT_EQ(t5.architecture.encoder_layers, 12u);
  EXPECT_EQ(t5.architecture.decoder_layers, 4u);
  EXPECT_EQ(t5.architecture.source_positions, 512u);
  EXPECT_THAT(t5.warnings, IsEmpty());
}

// transformers' T5Config and MT5Config.
TEST(T5ConfigTest, DefaultsAreThoseOfTheFamily) {
  const T5Config t5 = ReadWith(Json::object());
  EXPECT_EQ(t5.architecture.d_model, 512u);
  EXPECT_EQ(t5.architecture.encoder_ffn, 2048u);
  EXPECT_EQ(t5.architecture.encoder_layers, 6u);
  EXPECT_EQ(t5.architecture.encoder_heads, 8u);
  EXPECT_EQ(t5.architecture.source_vocabulary, 32128u);
  EXPECT_FALSE(t5.architecture.gated_ffn);
  const T5Config mt5 = Read({{"model_type", "mt5"}});
  EXPECT_EQ(mt5.architecture.d_model, 512u);
  EXPECT_EQ(mt5.architecture.encoder_ffn, 1024u);
  EXPECT_EQ(mt5.architecture.encoder_layers, 8u);
  EXPECT_EQ(mt5.architecture.decoder_layers, 8u);
  EXPECT_EQ(mt5.architecture.encoder_heads, 6u);
  EXPECT_EQ(mt5.architecture.source_vocabulary, 250112u);
  EXPECT_TRUE(mt5.architecture.gated_ffn);
  EXPECT_EQ(mt5.architecture.activation, Activation::kGeluTanh);
  EXPECT_EQ(mt5.generation.decoder_start, 0);
  EXPECT_EQ(mt5.generation.eos, 1);
}

// transformers' UMT5Config.
TEST(T5ConfigTest, UmT5HasBiasesInEachLayer) {
  const T5Config tied = Read({{"model_type", "umt5"}});
  EXPECT_TRUE(tied.architecture.relative_bias_per_layer);
  EXPECT_EQ(tied.architecture.source_vocabulary, 250112u);
  EXPECT_TRUE(tied.architecture.gated_ffn);
  EXPECT_EQ(tied.generation.decoder_start, 0);
  EXPECT_TRUE(tied.scale_output);
  // As published.
  const T5Config untied =
      Read({{"model_type", "umt5"}, {"tie_word_embeddings", false}});
  EXPECT_FALSE(untied.scale_output);
  EXPECT_TRUE(untied.own_output);
  EXPECT_FALSE(
      Read({{"model_type", "mt5"}}).architecture.relative_bias_per_layer);
}

TEST(T5ConfigTest, HasOtherNamesOfTransformersToo) {
  const Architecture a = ReadWith({{"hidden_size", 48},
                                   {"num_hidden_layers", 3},
                                   {"num_attention_heads", 5},
                                   {"head_dim", 9}})
                             .architecture;
  EXPECT_EQ(a.d_model, 48u);
  EXPECT_EQ(a.encoder_layers, 3u);
  EXPECT_EQ(a.encoder_heads, 5u);
  EXPECT_EQ(a.decoder_head_dim, 9u);
}

TEST(T5ConfigTest, HonoursEachFormOfTheFeedForward) {
  const auto form = [](const Json& fields) {
    const Architecture a = ReadWith(fields).architecture;
    return std::pair(a.gated_ffn, a.activation);
  };
  EXPECT_EQ(form({{"feed_forward_proj", "relu"}}),
            std::pair(false, Activation::kRelu));
  // The tanh form if it is gated, the erf form if not.
  EXPECT_EQ(form({{"feed_forward_proj", "gated-gelu"}}),
            std::pair(true, Activation::kGeluTanh));
  EXPECT_EQ(form({{"feed_forward_proj", "gelu"}}),
            std::pair(false, Activation::kGelu));
  EXPECT_EQ(form({{"feed_forward_proj", "gated-silu"}}),
            std::pair(true, Activation::kSwish));
  EXPECT_EQ(form({{"feed_forward_proj", "gated-relu"}}),
            std::pair(true, Activation::kRelu));
  // The parts win, as in transformers.
  EXPECT_EQ(form({{"feed_forward_proj", "gated-gelu"},
                  {"dense_act_fn", "gelu"},
                  {"is_gated_act", false}}),
            std::pair(false, Activation::kGelu));
  EXPECT_THAT(ErrorWith({{"feed_forward_proj", "gated-tanh"}}),
              HasSubstr("feed_forward_proj is \"gated-tanh\"; supported are"));
  EXPECT_THAT(ErrorWith({{"dense_act_fn", "quick_gelu"}}),
              HasSubstr("dense_act_fn is \"quick_gelu\"; supported are"));
}

// As transformers 5 writes a model that it read with tie_word_embeddings false.
TEST(T5ConfigTest, ScaleDecoderOutputsWinsOverTies) {
  EXPECT_TRUE(ReadWith({{"tie_word_embeddings", true}}).scale_output);
  EXPECT_FALSE(ReadWith({{"tie_word_embeddings", false}}).scale_output);
  const T5Config saved = ReadWith(
      {{"tie_word_embeddings", true}, {"scale_decoder_outputs", false}});
  EXPECT_FALSE(saved.scale_output);
  EXPECT_FALSE(saved.own_output);
  EXPECT_FALSE(Read({{"model_type", "mt5"}, {"tie_word_embeddings", true}})
                   .scale_output);
}

TEST(T5ConfigTest, OptionsRaiseTheLimitsAndDoNotLowerThem) {
  const Json config = {{"model_type", "mt5"}, {"n_positions", 300}};
  const Architecture raised =
      Read(config, nullptr, {.source = 2000, .target = 100}).architecture;
  EXPECT_EQ(raised.source_positions, 2000u);
  EXPECT_EQ(raised.target_positions, 300u);
  EXPECT_THAT(ErrorOf([&] {
                (void)Read(config, nullptr, {.source = 0, .target = 1 << 30});
              }),
              HasSubstr("texts of more than 1048576 tokens"));
}

TEST(T5ConfigTest, RefusesWhatItCannotCompute) {
  EXPECT_THAT(ErrorWith({{"is_encoder_decoder", false}}),
              HasSubstr("is_encoder_decoder is false"));
  EXPECT_THAT(ErrorWith({{"relative_attention_num_buckets", 7}}),
              HasSubstr("relative_attention_num_buckets is 7"));
  EXPECT_THAT(ErrorWith({{"relative_attention_num_buckets", 2}}),
              HasSubstr("relative_attention_num_buckets is 2"));
  EXPECT_THAT(ErrorWith({{"relative_attention_max_distance", 16}}),
              HasSubstr("relative_attention_max_distance is 16; it must be "
                        "more than half of relative_attention_num_buckets"));
  EXPECT_THAT(ErrorWith({{"layer_norm_epsilon", 0}}),
              HasSubstr("layer_norm_epsilon is 0; it must be a number above"));
  EXPECT_THAT(ErrorWith({{"layer_norm_epsilon", "small"}}),
              HasSubstr("layer_norm_epsilon is \"small\""));
  EXPECT_THAT(ErrorWith({{"d_kv", 0}}), HasSubstr("d_kv is 0"));
  EXPECT_THAT(ErrorWith({{"do_sample", true}}), HasSubstr("do_sample"));
}

TEST(T5ConfigTest, WarnsOfFieldsThatNobodyKnows) {
  EXPECT_THAT(ReadWith({{"sliding_window", 3}}).warnings,
              ElementsAre(HasSubstr("field sliding_window is unknown")));
}

}  // namespace latimer::t5_config_test
