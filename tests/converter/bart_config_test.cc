// The configurations of Hugging Face's families that are like BART: sizes,
// switches, and how tokens are chosen.
// Tests converter/readers/bart_config.cc,
// converter/readers/generation_config.cc.
#include "converter/readers/bart_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/converter/model_folder.h"

namespace latimer::bart_config_test {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The fields that config.json of every published model has.
Json SmallConfig() {
  return {{"model_type", "marian"},
          {"d_model", 16},
          {"encoder_layers", 1},
          {"decoder_layers", 2},
          {"encoder_attention_heads", 2},
          {"decoder_attention_heads", 4},
          {"encoder_ffn_dim", 20},
          {"decoder_ffn_dim", 24},
          {"vocab_size", 50},
          {"max_position_embeddings", 40},
          {"eos_token_id", 0},
          {"pad_token_id", 49},
          {"decoder_start_token_id", 49}};
}

// Reads SmallConfig with `fields` changed, and `rules` as
// generation_config.json unless that is null.
BartConfig Read(const Json& fields, const Json& rules = nullptr) {
  TempFolder folder;
  Json config = SmallConfig();
  for (const auto& [name, value] : fields.items()) config[name] = value;
  WriteConfigs(folder, config, rules);
  return ReadBartConfig(folder.path());
}

std::string ReadError(const Json& fields, const Json& rules = nullptr) {
  return ErrorOf([&] { (void)Read(fields, rules); });
}

TEST(BartConfigTest, ReadsEachSize) {
  const Architecture a = Read(Json::object()).architecture;
  EXPECT_EQ(a.d_model, 16u);
  EXPECT_EQ(a.encoder_layers, 1u);
  EXPECT_EQ(a.decoder_layers, 2u);
  EXPECT_EQ(a.encoder_heads, 2u);
  EXPECT_EQ(a.decoder_heads, 4u);
  EXPECT_EQ(a.encoder_ffn, 20u);
  EXPECT_EQ(a.decoder_ffn, 24u);
  EXPECT_EQ(a.source_vocabulary, 50u);
  EXPECT_EQ(a.target_vocabulary, 50u);
  EXPECT_EQ(a.source_positions, 40u);
  EXPECT_EQ(a.target_positions, 40u);
  EXPECT_EQ(a.norm_epsilon, 1e-5f);
}

TEST(BartConfigTest, MissingFieldsHaveTheDefaultsOfTransformers) {
  TempFolder folder;
  WriteFile(folder.path() / "config.json",
            R"({"model_type": "marian", "eos_token_id": 0,
                "decoder_start_token_id": 58100})");
  const BartConfig config = ReadBartConfig(folder.path());
  const Architecture& a = config.architecture;
  EXPECT_EQ(a.d_model, 1024u);
  EXPECT_EQ(a.encoder_layers, 12u);
  EXPECT_EQ(a.decoder_heads, 16u);
  EXPECT_EQ(a.encoder_ffn, 4096u);
  EXPECT_EQ(a.source_vocabulary, 58101u);
  EXPECT_EQ(a.source_positions, 1024u);
  EXPECT_EQ(a.activation, Activation::kGelu);
  EXPECT_EQ(a.embedding_scale, 1.0f);
  EXPECT_EQ(a.norm_position, NormPosition::kPost);
  EXPECT_TRUE(config.share_embeddings);
  EXPECT_TRUE(config.tie_output);
  EXPECT_EQ(config.positions, BartPositions::kMarianSinusoids);
  EXPECT_EQ(config.generation.pad, 58100);
  EXPECT_EQ(config.generation.forced_eos, 0);
  EXPECT_EQ(config.generation.max_target_tokens, 1024u);
}

TEST(BartConfigTest, ReadsEachSwitch) {
  const BartConfig config = Read({{"normalize_before", true},
                                  {"normalize_embedding", true},
                                  {"add_final_layer_norm", true},
                                  {"scale_embedding", true},
                                  {"static_position_embeddings", false},
                                  {"tie_word_embeddings", false}});
  EXPECT_EQ(config.architecture.norm_position, NormPosition::kPre);
  EXPECT_TRUE(config.architecture.embedding_norm);
  EXPECT_TRUE(config.architecture.final_norm);
  EXPECT_EQ(config.architecture.embedding_scale, 4.0f);
  EXPECT_EQ(config.positions, BartPositions::kLearned);
  EXPECT_FALSE(config.tie_output);
}

TEST(BartConfigTest, ReadsTheActivationsThatTransformersNames) {
  const std::pair<const char*, Activation> kNames[] = {
      {"relu", Activation::kRelu},
      {"gelu", Activation::kGelu},
      {"gelu_new", Activation::kGeluTanh},
      {"swish", Activation::kSwish},
      {"silu", Activation::kSwish},
      {"gelu_pytorch_tanh", Activation::kGeluTanh}};
  for (const auto& [name, activation] : kNames) {
    EXPECT_EQ(Read({{"activation_function", name}}).architecture.activation,
              activation)
        << name;
  }
}

TEST(BartConfigTest, DecoderVocabularyCountsOnlyWhereEmbeddingsAreSeparate) {
  const Json shared = {{"decoder_vocab_size", 30}};
  EXPECT_EQ(Read(shared).architecture.target_vocabulary, 50u);
  Json separate = shared;
  separate["share_encoder_decoder_embeddings"] = false;
  separate["decoder_start_token_id"] = separate["pad_token_id"] = 29;
  EXPECT_EQ(Read(separate).architecture.target_vocabulary, 30u);
  EXPECT_EQ(Read(separate).architecture.source_vocabulary, 50u);
}

struct BadField {
  const char* name;
  Json value;
};

class BartConfigBadFieldTest : public ::testing::TestWithParam<BadField> {};

TEST_P(BartConfigBadFieldTest, IsNamedWithItsValue) {
  const auto& [name, value] = GetParam();
  const std::string message = ReadError({{name, value}});
  EXPECT_THAT(message, AllOf(HasSubstr("config.json"),
                             HasSubstr(name + std::string(" is "))));
  EXPECT_THAT(message, HasSubstr(value.is_null() ? "missing" : value.dump()));
  EXPECT_EQ(message.back(), '.');
}

INSTANTIATE_TEST_SUITE_P(
    Architecture, BartConfigBadFieldTest,
    ::testing::Values(
        BadField{"model_type", "llama"}, BadField{"model_type", nullptr},
        BadField{"add_bias_logits", true},
        BadField{"is_encoder_decoder", false},
        BadField{"activation_function", "tanh"},
        BadField{"activation_function", 3}, BadField{"d_model", 0},
        BadField{"d_model", -16}, BadField{"d_model", 16.0},
        BadField{"d_model", "16"}, BadField{"vocab_size", 4294967296},
        BadField{"encoder_layers", 0}, BadField{"decoder_layers", true},
        BadField{"encoder_attention_heads", 3},
        BadField{"decoder_attention_heads", 5}, BadField{"scale_embedding", 1},
        BadField{"normalize_before", "yes"}));

INSTANTIATE_TEST_SUITE_P(
    Generation, BartConfigBadFieldTest,
    ::testing::Values(
        BadField{"eos_token_id", nullptr}, BadField{"eos_token_id", 50},
        BadField{"eos_token_id", Json{0, 1}}, BadField{"pad_token_id", -1},
        BadField{"decoder_start_token_id", nullptr},
        BadField{"decoder_start_token_id", "49"},
        BadField{"forced_eos_token_id", 77}, BadField{"max_length", 1},
        BadField{"max_length", "many"}, BadField{"max_new_tokens", 0},
        BadField{"min_length", -1}, BadField{"bad_words_ids", 4},
        BadField{"bad_words_ids", Json::array({{1, 50}})},
        BadField{"bad_words_ids", Json::array({Json::array()})},
        BadField{"suppress_tokens", Json{-1}}, BadField{"do_sample", true},
        BadField{"no_repeat_ngram_size", -1}, BadField{"repetition_penalty", 0},
        BadField{"encoder_repetition_penalty", 1.2},
        BadField{"forced_bos_token_id", 50},
        BadField{"force_words_ids", Json{{7}}},
        BadField{"sequence_bias", Json{{{7}, 1.5}}},
        BadField{"exponential_decay_length_penalty", Json{3, 1.5}},
        BadField{"guidance_scale", 2.0}));

TEST(BartConfigTest, RefusesAliasesThatDisagree) {
  EXPECT_THAT(
      ReadError({{"num_hidden_layers", 6}}),
      AllOf(HasSubstr("num_hidden_layers is 6"), HasSubstr("encoder_layers")));
  EXPECT_THAT(ReadError({{"hidden_size", 32}}), HasSubstr("d_model"));
  EXPECT_THAT(ReadError({{"num_attention_heads", 4}}),
              HasSubstr("encoder_attention_heads"));
}

TEST(BartConfigTest, AnAliasAloneCounts) {
  const Architecture a = Read({{"d_model", nullptr},
                               {"hidden_size", 32},
                               {"encoder_layers", nullptr},
                               {"num_hidden_layers", 3},
                               {"encoder_attention_heads", nullptr},
                               {"num_attention_heads", 8}})
                             .architecture;
  EXPECT_EQ(a.d_model, 32u);
  EXPECT_EQ(a.encoder_layers, 3u);
  EXPECT_EQ(a.encoder_heads, 8u);
}

TEST(BartConfigTest, RulesOfGenerationConfigCountAlone) {
  const Json rules_in_config = {{"bad_words_ids", {{5}}},
                                {"max_length", 20},
                                {"min_length", 4},
                                {"forced_eos_token_id", 0},
                                {"repetition_penalty", 2.0}};
  const CanonicalGeneration g =
      Read(rules_in_config, {{"max_length", 30}}).generation;
  EXPECT_THAT(g.banned_sequences, IsEmpty());
  EXPECT_EQ(g.max_target_tokens, 29u);
  EXPECT_EQ(g.min_target_tokens, 0u);
  EXPECT_EQ(g.forced_eos, -1);
  // Special tokens are not part of the generation config.
  EXPECT_EQ(g.decoder_start, 49);
  EXPECT_EQ(g.pad, 49);
}

TEST(BartConfigTest, SpecialTokensOfGenerationConfigWin) {
  const CanonicalGeneration g =
      Read(Json::object(), {{"decoder_start_token_id", 7},
                            {"pad_token_id", 8},
                            {"eos_token_id", Json{9}}})
          .generation;
  EXPECT_EQ(g.decoder_start, 7);
  EXPECT_EQ(g.pad, 8);
  EXPECT_EQ(g.eos, 9);
}

TEST(BartConfigTest, RulesComeFromConfigWhereGenerationConfigIsMissing) {
  const CanonicalGeneration g = Read({{"bad_words_ids", {{49}, {3, 4}}},
                                      {"max_length", 20},
                                      {"min_length", 4},
                                      {"forced_eos_token_id", 0}})
                                    .generation;
  EXPECT_THAT(g.banned_sequences,
              ElementsAre(ElementsAre(49), ElementsAre(3, 4)));
  EXPECT_EQ(g.max_target_tokens, 19u);
  EXPECT_EQ(g.min_target_tokens, 3u);
  EXPECT_EQ(g.forced_eos, 0);
}

TEST(BartConfigTest, RulesOfTheNextTokenAreRead) {
  const CanonicalGeneration g =
      Read(Json::object(), {{"forced_bos_token_id", 0},
                            {"no_repeat_ngram_size", 3},
                            {"repetition_penalty", 1.25}})
          .generation;
  EXPECT_EQ(g.forced_first, 0);
  EXPECT_EQ(g.no_repeat_ngram, 3u);
  EXPECT_EQ(g.repetition_penalty, 1.25f);
  // Only generation_config.json counts.
  EXPECT_EQ(Read({{"forced_bos_token_id", 7}}, Json::object())
                .generation.forced_first,
            -1);
  EXPECT_EQ(
      Read({{"bos_token_id", 7}, {"force_bos_token_to_be_generated", true}})
          .generation.forced_first,
      7);
}

TEST(BartConfigTest, EachFamilyHasItsShape) {
  const auto family = [](const char* type) {
    return Read({{"model_type", type}, {"decoder_start_token_id", 2}});
  };
  const BartConfig bart = family("bart");
  EXPECT_EQ(bart.architecture.norm_position, NormPosition::kPost);
  EXPECT_TRUE(bart.architecture.embedding_norm);
  EXPECT_FALSE(bart.architecture.final_norm);
  EXPECT_EQ(bart.positions, BartPositions::kLearned);
  EXPECT_EQ(bart.position_offset, 2u);
  EXPECT_EQ(bart.generation.forced_eos, 2);
  const BartConfig mbart = family("mbart");
  EXPECT_EQ(mbart.architecture.norm_position, NormPosition::kPre);
  EXPECT_TRUE(mbart.architecture.embedding_norm);
  EXPECT_TRUE(mbart.architecture.final_norm);
  EXPECT_EQ(mbart.position_offset, 2u);
  const BartConfig m2m100 = family("m2m_100");
  EXPECT_EQ(m2m100.architecture.activation, Activation::kRelu);
  EXPECT_EQ(m2m100.architecture.embedding_scale, 4.0f);
  EXPECT_FALSE(m2m100.architecture.embedding_norm);
  EXPECT_EQ(m2m100.positions, BartPositions::kM2M100Sinusoids);
  EXPECT_EQ(m2m100.generation.forced_eos, -1);
  const BartConfig pegasus = family("pegasus");
  EXPECT_EQ(pegasus.architecture.norm_position, NormPosition::kPre);
  EXPECT_TRUE(pegasus.architecture.final_norm);
  EXPECT_EQ(pegasus.positions, BartPositions::kMarianSinusoids);
  EXPECT_EQ(pegasus.generation.forced_eos, 1);
  EXPECT_EQ(family("mvp").position_offset, 2u);
  EXPECT_EQ(family("plbart").architecture.embedding_scale, 4.0f);
  EXPECT_EQ(family("blenderbot").position_offset, 0u);
  EXPECT_FALSE(family("blenderbot").architecture.decoder_norm_before_positions);
  const Architecture small = family("blenderbot-small").architecture;
  EXPECT_TRUE(small.decoder_norm_before_positions);
  EXPECT_FALSE(small.encoder_norm_before_positions);
}

TEST(BartConfigTest, AFamilyThatCannotBeConvertedIsToldWhy) {
  for (const auto& [type, why] :
       {std::pair("moonshine",
                  "it has an encoder of speech, which Latimer lacks"),
        {"nllb-moe", "it has layers of experts, which Latimer lacks"},
        {"t5gemma2",
         "it has attention to source and target at once, which Latimer lacks"},
        {"gpt2", "it has no encoder, which Latimer needs"},
        {"new-model", "may fit --map"}}) {
    EXPECT_THAT(ReadError({{"model_type", type}}), HasSubstr(why)) << type;
  }
  EXPECT_THAT(ReadError({{"model_type", "mvp"}, {"use_prompt", true}}),
              HasSubstr("use_prompt is true; MVP's prompts are not supported"));
}

// The fields of IndicTransConfig in configuration_indictrans.py.
Json IndicTransConfig() {
  return {{"model_type", "IndicTrans"},
          {"auto_map", {{"AutoConfig", "configuration_indictrans.X"}}},
          {"activation_function", "gelu"},
          {"attn_implementation", nullptr},
          {"bos_token_id", 0},
          {"decoder_attention_heads", 4},
          {"decoder_embed_dim", 16},
          {"decoder_ffn_dim", 24},
          {"decoder_layers", 2},
          {"decoder_normalize_before", true},
          {"decoder_start_token_id", 2},
          {"decoder_vocab_size", 70},
          {"encoder_attention_heads", 2},
          {"encoder_embed_dim", 16},
          {"encoder_ffn_dim", 20},
          {"encoder_layers", 1},
          {"encoder_normalize_before", true},
          {"encoder_vocab_size", 50},
          {"eos_token_id", 2},
          {"init_std", 0.02},
          {"is_encoder_decoder", true},
          {"layernorm_embedding", true},
          {"max_source_positions", 256},
          {"max_target_positions", 200},
          {"num_hidden_layers", 1},
          {"pad_token_id", 1},
          {"scale_embedding", true},
          {"share_decoder_input_output_embed", true},
          {"tokenizer_class", "IndicTransTokenizer"},
          {"vocab_size", 70}};
}

BartConfig ReadIndicTrans(const Json& fields) {
  TempFolder folder;
  Json config = IndicTransConfig();
  for (const auto& [name, value] : fields.items()) config[name] = value;
  WriteConfigs(folder, config, nullptr);
  return ReadBartConfig(folder.path());
}

TEST(BartConfigTest, ReadsIndicTrans2) {
  const BartConfig config = ReadIndicTrans({});
  EXPECT_THAT(config.warnings, IsEmpty());
  const Architecture& a = config.architecture;
  EXPECT_EQ(a.d_model, 16u);
  EXPECT_EQ(a.source_vocabulary, 50u);
  EXPECT_EQ(a.target_vocabulary, 70u);
  EXPECT_EQ(a.source_positions, 256u);
  EXPECT_EQ(a.target_positions, 200u);
  EXPECT_EQ(a.norm_position, NormPosition::kPre);
  EXPECT_TRUE(a.embedding_norm);
  EXPECT_TRUE(a.final_norm);
  EXPECT_EQ(a.embedding_scale, 4.0f);
  EXPECT_EQ(config.positions, BartPositions::kM2M100Sinusoids);
  EXPECT_FALSE(config.share_embeddings);
  EXPECT_TRUE(config.tie_output);
}

TEST(BartConfigTest, IndicTrans2HasFieldsForItsNorms) {
  const BartConfig config =
      ReadIndicTrans({{"encoder_normalize_before", false},
                      {"decoder_normalize_before", false},
                      {"layernorm_embedding", false},
                      {"share_decoder_input_output_embed", nullptr}});
  EXPECT_EQ(config.architecture.norm_position, NormPosition::kPost);
  EXPECT_FALSE(config.architecture.embedding_norm);
  EXPECT_FALSE(config.architecture.final_norm);
  EXPECT_FALSE(config.tie_output);
  const auto error = [](const Json& fields) {
    return ErrorOf([&] { (void)ReadIndicTrans(fields); });
  };
  EXPECT_THAT(error({{"decoder_normalize_before", false}}),
              HasSubstr("decoder_normalize_before is false; it must equal"));
  EXPECT_THAT(error({{"decoder_embed_dim", 32}}),
              HasSubstr("decoder_embed_dim is 32; it must equal"));
  EXPECT_THAT(error({{"encoder_vocab_size", nullptr}}),
              HasSubstr("encoder_vocab_size is missing"));
  EXPECT_THAT(error({{"decoder_embed_dim", nullptr}}),
              HasSubstr("decoder_embed_dim is missing"));
  EXPECT_THAT(error({{"encoder_attention_heads", 3}}),
              HasSubstr("it must divide encoder_embed_dim 16"));
  EXPECT_THAT(error({{"decoder_start_token_id", 1}}),
              HasSubstr("it must not be pad_token_id"));
}

TEST(BartConfigTest, WarnsOfFieldsThatOnlyOtherFamiliesHave) {
  EXPECT_THAT(ReadIndicTrans({{"normalize_before", true}}).warnings,
              ElementsAre(HasSubstr("normalize_before")));
  EXPECT_THAT(Read({{"layernorm_embedding", true}}).warnings,
              ElementsAre(HasSubstr("layernorm_embedding")));
}

TEST(BartConfigTest, NormOptionsAgainstTheFamilyHaveNoEffect) {
  const BartConfig config =
      Read({{"model_type", "bart"}, {"normalize_before", true}});
  EXPECT_EQ(config.architecture.norm_position, NormPosition::kPost);
  EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("contradict")));
}

TEST(BartConfigTest, M2M100CannotStartFromAPad) {
  EXPECT_THAT(ReadError({{"model_type", "m2m_100"}}),
              HasSubstr("decoder_start_token_id is 49; it must not be"));
}

TEST(BartConfigTest, ABanOfEosAloneIsDropped) {
  EXPECT_THAT(
      Read({{"bad_words_ids", {{0}, {5, 0}, {6}}}}).generation.banned_sequences,
      ElementsAre(ElementsAre(5, 0), ElementsAre(6)));
}

TEST(BartConfigTest, SuppressedTokensAreBannedOneByOne) {
  EXPECT_THAT(Read({{"suppress_tokens", {4, 6}}}).generation.banned_sequences,
              ElementsAre(ElementsAre(4), ElementsAre(6)));
}

TEST(BartConfigTest, TokensSuppressedAtTheBeginningFollowDecoderStart) {
  EXPECT_THAT(
      Read({{"bad_words_ids", {{49}}}, {"begin_suppress_tokens", {4, 0}}})
          .generation.banned_sequences,
      ElementsAre(ElementsAre(49), ElementsAre(49, 4), ElementsAre(49, 0)));
  EXPECT_THAT(ReadError({{"begin_suppress_tokens", {4}}}),
              HasSubstr("begin_suppress_tokens"));
}

TEST(BartConfigTest, LengthLimitsCountTheStartTokenWhereTransformersDoes) {
  const auto generation = [](const Json& rules) {
    return Read(Json::object(), rules).generation;
  };
  EXPECT_EQ(generation(Json::object()).max_target_tokens, 40u);
  EXPECT_EQ(generation({{"max_length", 25}}).max_target_tokens, 24u);
  EXPECT_EQ(generation({{"max_new_tokens", 25}}).max_target_tokens, 25u);
  EXPECT_EQ(
      generation({{"max_length", 9}, {"max_new_tokens", 25}}).max_target_tokens,
      25u);
  EXPECT_EQ(generation({{"max_length", 512}}).max_target_tokens, 40u);
  EXPECT_EQ(generation({{"min_length", 5}}).min_target_tokens, 4u);
  EXPECT_EQ(generation({{"min_new_tokens", 5}}).min_target_tokens, 5u);
  EXPECT_EQ(
      generation({{"min_length", 9}, {"min_new_tokens", 5}}).min_target_tokens,
      8u);
}

TEST(BartConfigTest, FieldsOfPublishedModelsGiveNoWarning) {
  // Of Helsinki-NLP/opus-mt-en-de and transformers' defaults.
  const BartConfig config = Read({{"_num_labels", 3},
                                  {"add_final_layer_norm", false},
                                  {"classif_dropout", 0.0},
                                  {"do_sample", false},
                                  {"repetition_penalty", 1.0},
                                  {"encoder_no_repeat_ngram_size", 0},
                                  {"guidance_scale", 1.0},
                                  {"extra_pos_embeddings", 50},
                                  {"length_penalty", 1.0},
                                  {"num_beams", 6},
                                  {"static_position_embeddings", true},
                                  {"transformers_version", "4.22.0"}});
  EXPECT_THAT(config.warnings, IsEmpty());
}

// What config.json has in common in facebook/bart-large-cnn and its relatives.
Json PublishedConfig() {
  return Json::parse(R"({
    "_name_or_path": "x", "_num_labels": 3, "activation_dropout": 0.0,
    "architectures": ["XForConditionalGeneration"], "attention_dropout": 0.1,
    "bos_token_id": 0, "classif_dropout": 0.0, "classifier_dropout": 0.0,
    "d_model": 1024, "decoder_attention_heads": 16, "decoder_ffn_dim": 4096,
    "decoder_layerdrop": 0.05, "decoder_layers": 12, "dropout": 0.1,
    "early_stopping": true, "encoder_attention_heads": 16,
    "encoder_ffn_dim": 4096, "encoder_layerdrop": 0.05, "encoder_layers": 12,
    "gradient_checkpointing": false, "init_std": 0.02,
    "is_encoder_decoder": true, "max_position_embeddings": 1024,
    "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0},
    "num_hidden_layers": 12, "output_past": true, "pad_token_id": 1,
    "decoder_start_token_id": 2, "eos_token_id": 2, "num_beams": 5,
    "torch_dtype": "float32", "transformers_version": "4.21.0.dev0",
    "use_cache": true})");
}

BartConfig ReadPublished(const char* fields, const char* rules = "null") {
  TempFolder folder;
  Json config = PublishedConfig();
  config.update(Json::parse(fields));
  WriteConfigs(folder, config, Json::parse(rules));
  return ReadBartConfig(folder.path());
}

TEST(BartConfigTest, ReadsBartLargeCnn) {
  const BartConfig config = ReadPublished(
      R"({"model_type": "bart", "activation_function": "gelu",
          "add_final_layer_norm": false, "normalize_before": false,
          "normalize_embedding": true, "static_position_embeddings": false,
          "add_bias_logits": false, "extra_pos_embeddings": 2,
          "force_bos_token_to_be_generated": true, "forced_bos_token_id": 0,
          "forced_eos_token_id": 2, "length_penalty": 2.0, "max_length": 142,
          "min_length": 56, "no_repeat_ngram_size": 3, "prefix": " ",
          "scale_embedding": false, "vocab_size": 50264,
          "task_specific_params": {"summarization": {
            "early_stopping": true, "length_penalty": 2.0, "max_length": 142,
            "min_length": 56, "no_repeat_ngram_size": 3, "num_beams": 4}}})");
  EXPECT_THAT(config.warnings, IsEmpty());
  EXPECT_EQ(config.architecture.embedding_scale, 1.0f);
  const CanonicalGeneration& g = config.generation;
  EXPECT_THAT(g.source_prefix, ElementsAre(0));
  EXPECT_THAT(g.source_suffix, ElementsAre(2));
  EXPECT_EQ(g.forced_first, 0);
  EXPECT_EQ(g.forced_eos, 2);
  EXPECT_EQ(g.max_target_tokens, 141u);
  EXPECT_EQ(g.min_target_tokens, 55u);
  EXPECT_EQ(g.no_repeat_ngram, 3u);
  ASSERT_EQ(g.tasks.size(), 1u);
  EXPECT_STREQ(g.tasks[0].name, "summarization");
  EXPECT_STREQ(g.tasks[0].prefix, "");
  EXPECT_EQ(g.tasks[0].max_target_tokens, 141u);
  EXPECT_EQ(g.tasks[0].min_target_tokens, 55u);
  EXPECT_EQ(g.tasks[0].no_repeat_ngram, 3u);
}

TEST(BartConfigTest, ReadsMBart50M2M100NllbAndPegasusXsum) {
  const BartConfig mbart = ReadPublished(
      R"({"model_type": "mbart", "activation_function": "relu",
          "add_bias_logits": false, "add_final_layer_norm": true,
          "normalize_before": true, "normalize_embedding": true,
          "static_position_embeddings": false, "forced_eos_token_id": 2,
          "max_length": 200, "scale_embedding": true, "vocab_size": 250054,
          "tokenizer_class": "MBart50Tokenizer"})");
  EXPECT_THAT(mbart.warnings, IsEmpty());
  EXPECT_EQ(mbart.architecture.embedding_scale, 32.0f);
  EXPECT_EQ(mbart.architecture.activation, Activation::kRelu);
  EXPECT_EQ(mbart.generation.max_target_tokens, 199u);
  const BartConfig m2m100 = ReadPublished(
      R"({"model_type": "m2m_100", "activation_function": "relu",
          "max_length": 200, "scale_embedding": true, "vocab_size": 128112})");
  EXPECT_THAT(m2m100.warnings, IsEmpty());
  EXPECT_EQ(m2m100.generation.forced_eos, -1);
  const BartConfig nllb = ReadPublished(
      R"({"model_type": "m2m_100", "activation_function": "relu",
          "max_length": 200, "scale_embedding": true, "vocab_size": 256206,
          "tokenizer_class": "NllbTokenizer"})",
      R"({"_from_model_config": true, "bos_token_id": 0,
          "decoder_start_token_id": 2, "eos_token_id": 2, "max_length": 200,
          "pad_token_id": 1, "transformers_version": "4.27.0.dev0"})");
  EXPECT_THAT(nllb.warnings, IsEmpty());
  EXPECT_EQ(nllb.architecture.source_vocabulary, 256206u);
  EXPECT_EQ(nllb.generation.decoder_start, 2);
  EXPECT_EQ(nllb.generation.max_target_tokens, 199u);
  const BartConfig pegasus = ReadPublished(
      R"({"model_type": "pegasus", "activation_function": "relu",
          "add_bias_logits": false, "add_final_layer_norm": true,
          "normalize_before": true, "normalize_embedding": false,
          "static_position_embeddings": true, "extra_pos_embeddings": 1,
          "force_bos_token_to_be_generated": false, "forced_eos_token_id": 1,
          "decoder_start_token_id": 0, "eos_token_id": 1, "pad_token_id": 0,
          "length_penalty": 0.6, "max_length": 64,
          "max_position_embeddings": 512, "num_beams": 8, "save_step": 2,
          "scale_embedding": true, "vocab_size": 96103})");
  EXPECT_THAT(pegasus.warnings, IsEmpty());
  EXPECT_EQ(pegasus.generation.decoder_start, 0);
  EXPECT_EQ(pegasus.generation.forced_first, -1);
  EXPECT_EQ(pegasus.generation.max_target_tokens, 63u);
  EXPECT_EQ(pegasus.architecture.source_positions, 512u);
}

// The fields that transformers' script writes for fairseq's models.
TEST(BartConfigTest, ReadsFsmtWithOneVocabularyOrTwo) {
  const std::string fields =
      R"({"model_type": "fsmt", "activation_function": "relu",
          "src_vocab_size": 42024, "tgt_vocab_size": 42000,
          "langs": ["en", "de"], "scale_embedding": true,
          "length_penalty": 1.0, "tie_word_embeddings": )";
  const BartConfig two = ReadPublished((fields + "false}").c_str());
  EXPECT_THAT(two.warnings, IsEmpty());
  EXPECT_FALSE(two.share_embeddings);
  EXPECT_EQ(two.architecture.source_vocabulary, 42024u);
  EXPECT_EQ(two.architecture.target_vocabulary, 42000u);
  EXPECT_EQ(two.generation.decoder_start, 2);
  EXPECT_EQ(two.generation.forced_eos, 2);
  // Tied, the embeddings of both sides and the output are one matrix.
  EXPECT_THAT(ErrorOf([&] { (void)ReadPublished((fields + "true}").c_str()); }),
              HasSubstr("tgt_vocab_size is 42000; it must equal "
                        "src_vocab_size 42024"));
  const BartConfig one =
      ReadPublished((fields + "true, \"tgt_vocab_size\": 42024}").c_str());
  EXPECT_TRUE(one.share_embeddings);
  EXPECT_TRUE(one.tie_output);
}

TEST(BartConfigTest, AnUnknownFieldGivesAWarning) {
  EXPECT_THAT(
      Read({{"rotary_base", 10000}}).warnings,
      ElementsAre(AllOf(HasSubstr("config.json"), HasSubstr("rotary_base"))));
  EXPECT_THAT(Read({{"rotary_base", 0}}).warnings, IsEmpty());
  EXPECT_THAT(Read(Json::object(), {{"new_rule", 2}}).warnings,
              ElementsAre(AllOf(HasSubstr("generation_config.json"),
                                HasSubstr("new_rule"))));
}

TEST(BartConfigTest, NormOptionsThatTransformersIgnoresGiveAWarning) {
  EXPECT_THAT(Read({{"normalize_embedding", true}}).warnings,
              Contains(HasSubstr("normalize_embedding")));
}

TEST(BartConfigTest, RefusesAFolderWithoutAConfig) {
  TempFolder folder;
  EXPECT_THAT(ErrorOf([&] { (void)ReadBartConfig(folder.path()); }),
              HasSubstr("config.json: cannot open"));
  for (const char* text : {"", "[]", "{\"model_type\": \"marian\""}) {
    WriteFile(folder.path() / "config.json", text);
    EXPECT_THAT(ErrorOf([&] { (void)ReadBartConfig(folder.path()); }),
                HasSubstr("not a JSON object"));
  }
}

}  // namespace latimer::bart_config_test
