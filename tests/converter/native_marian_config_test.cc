// Options of Marian, read or refused.
// Tests converter/readers/native_marian_config.cc,
// converter/readers/marian_options.cc.
#include "converter/readers/native_marian_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/model_folder.h"

namespace latimer::native_marian_config_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Enough for a model; other options are at their defaults.
constexpr char kLeast[] =
    "type: transformer\ndim-emb: 64\nenc-depth: 6\ndec-depth: 2\n";

MarianOptions Options(const std::string& yaml) {
  return {ParseYaml(yaml, "model.yml"), "model.yml"};
}

NativeMarianConfig Read(const std::string& more) {
  return ReadMarianModelOptions(Options(kLeast + more));
}

std::string ErrorWith(const std::string& more) {
  const std::string message = ErrorOf([&] { Read(more); });
  EXPECT_THAT(message, HasSubstr("model.yml: "));
  EXPECT_EQ(message.back(), '.') << message;
  return message;
}

TEST(NativeMarianConfigTest, HasMariansDefaults) {
  const NativeMarianConfig config = Read("");
  const Architecture& a = config.architecture;
  EXPECT_EQ(a.d_model, 64u);
  EXPECT_EQ(a.encoder_layers, 6u);
  EXPECT_EQ(a.decoder_layers, 2u);
  EXPECT_EQ(a.encoder_heads, 8u);
  EXPECT_EQ(a.decoder_head_dim, 8u);
  EXPECT_EQ(a.encoder_ffn, 2048u);
  EXPECT_EQ(a.decoder_ffn, 2048u);
  EXPECT_EQ(a.activation, Activation::kSwish);
  EXPECT_EQ(a.norm_position, NormPosition::kPost);
  EXPECT_EQ(a.norm_kind, NormKind::kLayerNorm);
  EXPECT_EQ(a.norm_epsilon, 1e-6f);
  EXPECT_EQ(a.network_kind, NetworkKind::kTransformer);
  EXPECT_TRUE(a.residual);
  EXPECT_TRUE(a.has_positions);
  EXPECT_FALSE(a.embedding_norm);
  EXPECT_FALSE(a.final_norm);
  EXPECT_FALSE(config.shared_embeddings);
  EXPECT_FALSE(config.output_tied);
  EXPECT_TRUE(config.output_bias);
  EXPECT_THAT(config.decoder_layers, ElementsAre(1, 2));
  EXPECT_THAT(config.warnings, IsEmpty());
}

TEST(NativeMarianConfigTest, ReadsWhereNormsAndResidualsStand) {
  struct Case {
    const char* pre;
    const char* post;
    NormPosition position;
    NormKind kind;
    bool residual;
  };
  for (const Case& c :
       {Case{"", "dan", NormPosition::kPost, NormKind::kLayerNorm, true},
        Case{"", "an", NormPosition::kPost, NormKind::kLayerNorm, true},
        Case{"n", "da", NormPosition::kPre, NormKind::kLayerNorm, true},
        Case{"nd", "", NormPosition::kPre, NormKind::kLayerNorm, false},
        Case{"", "n", NormPosition::kPost, NormKind::kLayerNorm, false},
        Case{"d", "da", NormPosition::kPost, NormKind::kNone, true}}) {
    const Architecture a =
        Read(std::string("transformer-preprocess: \"") + c.pre +
             "\"\ntransformer-postprocess: \"" + c.post + "\"\n")
            .architecture;
    SCOPED_TRACE(std::string(c.pre) + " " + c.post);
    EXPECT_EQ(a.norm_position, c.position);
    EXPECT_EQ(a.norm_kind, c.kind);
    EXPECT_EQ(a.residual, c.residual);
  }
  const Architecture a = Read(
                             "transformer-postprocess-emb: nd\n"
                             "transformer-postprocess-top: n\n")
                             .architecture;
  EXPECT_TRUE(a.embedding_norm);
  EXPECT_TRUE(a.final_norm);
}

TEST(NativeMarianConfigTest, RefusesOtherOperations) {
  for (const char* text :
       {"transformer-preprocess: a", "transformer-preprocess: r",
        "transformer-postprocess: dar", "transformer-postprocess: dh",
        "transformer-postprocess: na", "transformer-postprocess-emb: r",
        "transformer-postprocess-top: an",
        "transformer-preprocess: n\ntransformer-postprocess: dan",
        "transformer-postprocess: a\ntransformer-postprocess-top: n"}) {
    EXPECT_THAT(ErrorWith(text), HasSubstr("support")) << text;
  }
}

TEST(NativeMarianConfigTest, ReadsTheStudentsOptions) {
  const NativeMarianConfig config = Read(
      "transformer-decoder-autoreg: rnn\ndec-cell: ssru\n"
      "transformer-ffn-activation: relu\ntied-embeddings-all: true\n"
      "transformer-dim-ffn: 1536\ntransformer-decoder-dim-ffn: 128\n"
      "dim-vocabs:\n  - 32000\n  - 32000\n");
  EXPECT_EQ(config.architecture.network_kind, NetworkKind::kTransformerSsru);
  EXPECT_EQ(config.architecture.activation, Activation::kRelu);
  EXPECT_EQ(config.architecture.encoder_ffn, 1536u);
  EXPECT_EQ(config.architecture.decoder_ffn, 128u);
  EXPECT_EQ(config.architecture.source_vocabulary, 32000u);
  EXPECT_TRUE(config.shared_embeddings);
  EXPECT_TRUE(config.output_tied);
}

TEST(NativeMarianConfigTest, RefusesWhatWouldChangeAResult) {
  for (const char* option :
       {"transformer-no-projection: true", "transformer-ffn-depth: 3",
        "transformer-decoder-ffn-depth: 1", "transformer-pool: true",
        "transformer-attention-mask: alibi", "transformer-no-bias: true",
        "transformer-no-affine: true", "right-left: true", "ulr: true",
        "lemma-dim-emb: -2", "lemma-dependency: re-embedding",
        "transformer-decoder-autoreg: average-attention",
        "transformer-ffn-activation: tanh", "input-types: [sequence, class]",
        "dim-vocabs: [10, 10, 10]", "transformer-tied-layers: [1]",
        "transformer-heads: 7"}) {
    const std::string name =
        std::string(option).substr(0, std::string(option).find(':'));
    EXPECT_THAT(ErrorWith(option), HasSubstr("model.yml: " + name + " is "))
        << option;
  }
  const std::string ssru = "transformer-decoder-autoreg: rnn\ndec-cell: ssru\n";
  for (const char* option :
       {"transformer-rnn-projection: true", "layer-normalization: true"}) {
    EXPECT_THAT(ErrorWith(ssru + option), HasSubstr("only false is supported"));
    EXPECT_THAT(Read(option).warnings, IsEmpty());
  }
  EXPECT_THAT(ErrorWith("transformer-decoder-autoreg: rnn\ndec-cell: gru"),
              HasSubstr("dec-cell is \"gru\"; only ssru is supported"));
  EXPECT_THAT(ErrorOf([] {
                ReadMarianModelOptions(Options(
                    "type: s2s\ndim-emb: 8\nenc-depth: 1\ndec-depth: 1\n"));
              }),
              HasSubstr("type is \"s2s\"; only transformer is supported."));
}

// It was an approximation before.
TEST(NativeMarianConfigTest, TakesGeluOfNewMarianOnly) {
  const std::string gelu = "transformer-ffn-activation: gelu\n";
  EXPECT_EQ(Read(gelu + "version: v1.12.3 65bf82ff 2023-02-21")
                .architecture.activation,
            Activation::kGelu);
  EXPECT_EQ(Read(gelu + "version: v2.0.0").architecture.activation,
            Activation::kGelu);
  for (const char* version :
       {"", "version: v1.12.0 65bf82ff", "version: v1.9.56", "version: x"}) {
    EXPECT_THAT(ErrorWith(gelu + version), HasSubstr("1.12.3"));
  }
}

TEST(NativeMarianConfigTest, RefusesValuesThatAreNone) {
  for (const char* option :
       {"dim-vocabs: [a, b]", "dim-vocabs: {a: 1}", "transformer-heads: -1",
        "transformer-heads: 0", "transformer-dim-ffn: 99999999999",
        "transformer-dim-ffn: [1]", "transformer-heads: 1.5",
        "tied-embeddings-all: maybe", "transformer-preprocess: [n]",
        "transformer-tied-layers: 3x"}) {
    const std::string name =
        std::string(option).substr(0, std::string(option).find(':'));
    EXPECT_THAT(ErrorWith(option), HasSubstr(name)) << option;
  }
  for (const char* option : {"dim-emb", "enc-depth", "dec-depth", "type"}) {
    std::string yaml = kLeast;
    const size_t at = yaml.find(option);
    yaml.erase(at, yaml.find('\n', at) + 1 - at);
    EXPECT_THAT(ErrorOf([&] { ReadMarianModelOptions(Options(yaml)); }),
                HasSubstr(std::string(option) + " is absent"));
  }
  EXPECT_THAT(ErrorOf([] {
                ReadMarianModelOptions(Options(
                    "type: transformer\ndim-emb: 8\nenc-depth: 2000000000\n"
                    "dec-depth: 1\n"));
              }),
              HasSubstr("enc-depth is \"2000000000\"; it must be a whole "
                        "number from 1 to 1000."));
  EXPECT_THAT(ErrorOf([] { Options("[a, b]"); }),
              HasSubstr("model.yml: holds no options."));
}

TEST(NativeMarianConfigTest, WarnsOfUnknownOptions) {
  EXPECT_THAT(Read("transformer-new-thing: 1").warnings,
              ElementsAre("model.yml: option transformer-new-thing is unknown "
                          "and has no effect."));
  EXPECT_THAT(CheckMarianDecoderOptions(Options("beam-size: 6\nmodles: [a]")),
              ElementsAre(HasSubstr("option modles is unknown")));
}

TEST(NativeMarianConfigTest, RefusesDecodingThatIsNotGreedySearch) {
  for (const char* option :
       {"force-decode: true", "output-sampling: [topk, 10]",
        "no-spm-encode: true", "encryption-key-path: key"}) {
    EXPECT_THAT(ErrorOf([&] { CheckMarianDecoderOptions(Options(option)); }),
                AllOf(HasSubstr("supported."), HasSubstr("model.yml: ")));
  }
}

}  // namespace latimer::native_marian_config_test
