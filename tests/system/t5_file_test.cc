// Damaged model files of T5 are refused with a sentence.
// Tests runtime/model/model_file.cc, runtime/model/architecture_file.cc,
// runtime/model/bind_tensors.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "model/model_file.h"
#include "tests/system/damage.h"

namespace latimer::t5_file_test {

using ::testing::HasSubstr;

ModelBytes ConvertT5(const char* name, WeightType weights) {
  return ConvertModel(std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" /
                          "data" / "t5" / name,
                      weights);
}

TEST(T5FileTest, NoFlippedBitOfTheStructureCrashesWithoutTheChecksum) {
  FlipBitsOfTheStructure(ConvertT5("old_bin", WeightType::kInt8));
}

TEST(T5FileTest, FlippedBitsOfNumbersDoNotCrashWithoutTheChecksum) {
  for (const WeightType weights : {WeightType::kF32, WeightType::kInt8}) {
    FlipBitsOfNumbers(ConvertT5("gated_gelu_untied", weights));
  }
}

// An embedding that serves both sides is in the file once.
TEST(T5FileTest, ASharedEmbeddingIsStoredOnce) {
  const ModelBytes file = ConvertT5("gated_gelu_untied", WeightType::kF32);
  static Model model;
  const Status status = ReadModelFile(file.bytes(), true, &model);
  ASSERT_TRUE(status.ok()) << status.message();
  const Architecture& a = model.info.architecture;
  EXPECT_TRUE(a.embeddings_shared);
  EXPECT_FALSE(a.source_embedding_tied);
  EXPECT_FALSE(a.target_embedding_tied);
  EXPECT_EQ(model.tensors.source_embedding.data,
            model.tensors.target_embedding.data);
  EXPECT_EQ(model.info.sizes.embeddings,
            PackedBytes(WeightType::kF32, model.tile, a.source_vocabulary,
                        a.d_model));
}

// A contradiction that the checksum cannot show, since it is computed again.
struct Contradiction {
  const char* name;
  std::function<bool(schema::Architecture&)> edit;
  StatusCode code;
  const char* message;
};

constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
using A = schema::Architecture;

const Contradiction kContradictions[] = {
    {"NotGated", [](A& a) { return a.mutate_gated_ffn(false); }, kCorrupt,
     "encoder.0.ffn.in differs in shape"},
    {"NoRelativePositions",
     [](A& a) { return a.mutate_relative_attention(false); }, kCorrupt,
     "encoder.0.self_attention.qkv differs in presence"},
    {"PositionTables", [](A& a) { return a.mutate_has_positions(true); },
     kCorrupt, "source_positions differs in presence"},
    {"LayerNorm",
     [](A& a) { return a.mutate_norm_kind(schema::NormKind::LayerNorm); },
     kCorrupt, "encoder.0.self_attention.norm.beta differs in presence"},
    {"EmbeddingsNotShared",
     [](A& a) { return a.mutate_embeddings_shared(false); }, kCorrupt,
     "target_embedding differs in presence"},
    {"EmbeddingsSharedButOfOtherVocabularies",
     [](A& a) { return a.mutate_source_vocabulary(65); }, kCorrupt,
     "architecture contradicts itself"},
    {"AnSsruWithRelativePositions",
     [](A& a) {
       return a.mutate_network_kind(schema::NetworkKind::TransformerSsru);
     },
     kCorrupt, "architecture contradicts itself"},
    {"MoreSourcePositionsThanBiases",
     [](A& a) { return a.mutate_source_positions(513); }, kCorrupt,
     "encoder.relative_bias differs in shape"},
    // Twice as many do not fit 32 bits.
    {"FarMoreSourcePositions",
     [](A& a) { return a.mutate_source_positions(0x80000000u + 512); },
     StatusCode::kExceedsProfile, "source position count is 2147484160"},
    {"MoreTargetPositionsThanBiases",
     [](A& a) { return a.mutate_target_positions(513); }, kCorrupt,
     "decoder.relative_bias differs in shape"},
    {"NoTargetPositions", [](A& a) { return a.mutate_target_positions(0); },
     kCorrupt, "target position count is 0"},
    {"FewerHeadsThanBiases",
     [](A& a) {
       return a.mutate_encoder_heads(1) && a.mutate_encoder_head_dim(30);
     },
     kCorrupt, "encoder.relative_bias differs in shape"},
};

class T5FileContradictionTest : public ::testing::TestWithParam<Contradiction> {
};

INSTANTIATE_TEST_SUITE_P(All, T5FileContradictionTest,
                         ::testing::ValuesIn(kContradictions),
                         [](const auto& contradiction) {
                           return std::string(contradiction.param.name);
                         });

TEST_P(T5FileContradictionTest, IsRefusedWithASentence) {
  Image image(ConvertT5("gated_gelu_untied", WeightType::kInt8).bytes());
  ASSERT_TRUE(GetParam().edit(*image.root().mutable_architecture()));
  image.FixChecksum();
  static Model model;
  const Status status = ReadModelFile(image.bytes(), true, &model);
  EXPECT_EQ(status.code(), GetParam().code) << status.message();
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

// Of umT5, each layer's biases lie in one table.
TEST(T5FileTest, FewerRowsOfBiasesThanLayersAreRefused) {
  const ModelBytes file = ConvertT5("umt5", WeightType::kInt8);
  static Model model;
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, &model).ok());
  const Architecture a = model.info.architecture;
  EXPECT_EQ(a.encoder_bias_rows(), a.encoder_layers * a.encoder_heads);
  Image image(file.bytes());
  ASSERT_TRUE(
      image.root().mutable_architecture()->mutate_relative_bias_per_layer(
          false));
  image.FixChecksum();
  const Status status = ReadModelFile(image.bytes(), true, &model);
  EXPECT_EQ(status.code(), kCorrupt) << status.message();
  EXPECT_THAT(status.message(),
              HasSubstr("encoder.relative_bias differs in shape"));
}

}  // namespace latimer::t5_file_test
