// Tensors that a T5 of Hugging Face lacks, ties or misshapes.
// Tests converter/readers/huggingface_t5.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::huggingface_t5_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CanonicalModel Read(const TinyModelCopy& model) {
  return ReadHuggingFaceT5(model.path(), /*with_tokenizer=*/false);
}

std::string ReadError(const TinyModelCopy& model) {
  return ErrorOf([&] { (void)Read(model); });
}

constexpr char kBias[] =
    "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";

TEST(HuggingFaceT5Test, ListsMissingAndUnexpectedTensors) {
  TinyModelCopy model("../t5/gated_gelu_untied");
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, kBias);
    Remove(tensors, "encoder.block.0.layer.1.DenseReluDense.wi_1.weight");
    // As of umT5, which has one in each layer.
    tensors.push_back(F32Tensor(
        "decoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight",
        {1}, {1}));
  });
  EXPECT_THAT(
      ReadError(model),
      AllOf(HasSubstr("missing tensors: "), HasSubstr(kBias),
            HasSubstr("encoder.block.0.layer.1.DenseReluDense.wi_1.weight"),
            HasSubstr("unexpected tensors: decoder.block.1.layer.0"),
            Not(HasSubstr("misshapen"))));
}

// t5-small was first published with biases of norms (transformers#3553), and
// old versions saved position_ids, which are integers.
TEST(HuggingFaceT5Test, WhatTransformersDoesNotReadIsLeftOutAndNamed) {
  TinyModelCopy model("../t5/gated_gelu_untied");
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    for (const char* name : {"encoder.block.0.layer.0.layer_norm.bias",
                             "decoder.block.1.layer.2.layer_norm.bias",
                             "encoder.final_layer_norm.bias",
                             "decoder.embed_positions._float_tensor"}) {
      tensors.push_back(F32Tensor(name, {1}, {1}));
    }
    tensors.push_back(
        {"encoder.position_ids", "I64", {1}, std::string(8, '\0')});
  });
  EXPECT_THAT(Read(model).warnings,
              testing::Contains(
                  "decoder.block.1.layer.2.layer_norm.bias, "
                  "decoder.embed_positions._float_tensor, "
                  "encoder.block.0.layer.0.layer_norm.bias, "
                  "encoder.final_layer_norm.bias and 1 other were left out; "
                  "transformers does not read them."));
}

TEST(HuggingFaceT5Test, UmT5NeedsABiasInEachLayer) {
  TinyModelCopy model("../t5/umt5");
  const CanonicalModel read = Read(model);
  EXPECT_NE(read.tables.at("decoder.relative_bias"),
            std::vector<float>(read.tables.at("decoder.relative_bias").size()));
  constexpr char kSecond[] =
      "decoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight";
  model.EditTensors(
      [&](std::vector<StoredTensor>& tensors) { Remove(tensors, kSecond); });
  EXPECT_THAT(ReadError(model),
              HasSubstr(std::string("missing tensors: ") + kSecond));
}

TEST(HuggingFaceT5Test, NamesABiasOfTheWrongShape) {
  TinyModelCopy model("../t5/gated_gelu_untied");
  model.EditConfig({{"relative_attention_num_buckets", 10}});
  EXPECT_THAT(ReadError(model),
              HasSubstr(std::string(kBias) + " [8, 3] instead of [10, 3]"));
}

TEST(HuggingFaceT5Test, AnOutputOfItsOwnMustBeThere) {
  TinyModelCopy model("../t5/gated_gelu_untied");
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, "lm_head.weight");
  });
  EXPECT_THAT(ReadError(model), HasSubstr("missing tensors: lm_head.weight"));
}

// transformers 5 saves an untied model as a tied one without scaling.
TEST(HuggingFaceT5Test, AnOutputThatIsThereIsTakenWhateverTheConfigSays) {
  TinyModelCopy model("../t5/gated_gelu_untied");
  model.EditConfig(
      {{"tie_word_embeddings", true}, {"scale_decoder_outputs", false}});
  const CanonicalModel read = Read(model);
  EXPECT_FALSE(read.architecture.target_embedding_tied);
  EXPECT_EQ(read.linears.at("output").weights[0]->name, "lm_head.weight");
  EXPECT_EQ(read.norms.at("decoder.norm").gamma_scale, 1.0f);
}

TEST(HuggingFaceT5Test, EqualMatricesAreOne) {
  const TinyModelCopy untied("../t5/gated_gelu_untied");
  const CanonicalModel two = Read(untied);
  EXPECT_TRUE(two.architecture.embeddings_shared);
  EXPECT_FALSE(two.architecture.source_embedding_tied);
  EXPECT_FALSE(two.linears.contains("target_embedding"));
  // All copies are in its file.
  const TinyModelCopy tied("../t5/old_bin");
  const CanonicalModel one = Read(tied);
  EXPECT_TRUE(one.architecture.source_embedding_tied);
  EXPECT_TRUE(one.architecture.target_embedding_tied);
  EXPECT_FALSE(one.linears.contains("source_embedding"));
  EXPECT_FALSE(one.linears.contains("target_embedding"));
}

TEST(HuggingFaceT5Test, EmbeddingsThatDifferStayApart) {
  TinyModelCopy model("../t5/relu_tied");
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    StoredTensor other = Named(tensors, "shared.weight");
    other.name = "decoder.embed_tokens.weight";
    other.data[1] ^= 1;
    tensors.push_back(other);
  });
  const CanonicalModel read = Read(model);
  EXPECT_FALSE(read.architecture.embeddings_shared);
  EXPECT_TRUE(read.architecture.source_embedding_tied);
  EXPECT_FALSE(read.architecture.target_embedding_tied);
  EXPECT_TRUE(read.linears.contains("target_embedding"));
}

TEST(HuggingFaceT5Test, ATiedOutputIsScaledByItsNorm) {
  const TinyModelCopy model("../t5/relu_tied");
  const CanonicalModel read = Read(model);
  EXPECT_FLOAT_EQ(read.norms.at("decoder.norm").gamma_scale,
                  1.0f / std::sqrt(24.0f));
  EXPECT_EQ(read.norms.at("encoder.norm").gamma_scale, 1.0f);
}

TEST(HuggingFaceT5Test, TablesGoAsFarAsTheLimits) {
  const TinyModelCopy model("../t5/relu_tied");
  const CanonicalModel read = ReadHuggingFaceT5(
      model.path(), /*with_tokenizer=*/false, {.source = 700, .target = 600});
  EXPECT_EQ(read.tables.at("encoder.relative_bias").size(), 3u * 1399);
  EXPECT_EQ(read.tables.at("decoder.relative_bias").size(), 3u * 600);
  EXPECT_EQ(read.generation.max_target_tokens, 600u);
}

}  // namespace latimer::huggingface_t5_test
