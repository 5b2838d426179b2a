#include "converter/exact_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/error.h"
#include "converter/readers/huggingface_marian.h"
#include "tests/converter/model_folder.h"
#include "text/normalizer.h"

namespace latimer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

CanonicalModel ReadTiny(const char* name) {
  return ReadHuggingFaceMarian(TinyModelsFolder() / name,
                               /*with_tokenizer=*/false);
}

TEST(ExactProfileTest, HoldsExactlyTheModel) {
  const Profile p =
      ExactProfile(ReadTiny("heads_2_6_gelu"), WeightType::kInt8, {}, "tiny");
  EXPECT_STREQ(p.name, "tiny");
  EXPECT_EQ(p.d_model, 24u);
  EXPECT_EQ(p.d_ffn, 61u);
  EXPECT_EQ(p.heads, 6u);
  EXPECT_EQ(p.encoder_layers, 2u);
  EXPECT_EQ(p.decoder_layers, 2u);
  EXPECT_EQ(p.source_vocabulary, 100u);
  EXPECT_EQ(p.target_vocabulary, 100u);
  EXPECT_EQ(p.source_tokens, 64u);
  EXPECT_EQ(p.target_tokens, 64u);
  EXPECT_EQ(p.threads, 1u);
  EXPECT_TRUE(p.int8_weights);
  EXPECT_FALSE(p.f32_weights);
  EXPECT_FALSE(p.tokenizer);
}

TEST(ExactProfileTest, KeepsSourceAndTargetApart) {
  const Profile p =
      ExactProfile(ReadTiny("separate_vocabs"), WeightType::kF32, {}, "tiny");
  EXPECT_EQ(p.source_vocabulary, 110u);
  EXPECT_EQ(p.target_vocabulary, 95u);
  EXPECT_FALSE(p.int8_weights);
  EXPECT_TRUE(p.f32_weights);
  // max_length 9 counts the start token.
  EXPECT_EQ(ExactProfile(ReadTiny("lengths"), WeightType::kF32, {}, "tiny")
                .target_tokens,
            8u);
}

TEST(ExactProfileTest, LimitsMakeItSmaller) {
  const Profile p = ExactProfile(
      ReadTiny("no_scale"), WeightType::kInt8,
      {.source_tokens = 40, .target_tokens = 7, .threads = 4}, "tiny");
  EXPECT_EQ(p.source_tokens, 40u);
  EXPECT_EQ(p.target_tokens, 7u);
  EXPECT_EQ(p.threads, 4u);
}

TEST(ExactProfileTest, RefusesALimitBeyondTheModel) {
  const CanonicalModel model = ReadTiny("no_scale");
  const auto error = [&](const ProfileLimits& limits) {
    return ErrorOf(
        [&] { (void)ExactProfile(model, WeightType::kF32, limits, "tiny"); });
  };
  EXPECT_THAT(error({.source_tokens = 41}),
              AllOf(HasSubstr("--max-source-tokens 41"), HasSubstr("of 40")));
  EXPECT_THAT(error({.target_tokens = 41}),
              AllOf(HasSubstr("--max-target-tokens 41"), HasSubstr("of 40")));
}

TEST(ExactProfileTest, TextNeverHasLessRoomThanTheNormalizerNeeds) {
  CanonicalModel model = ReadTiny("no_scale");
  model.tokenizer.emplace();
  const Profile p =
      ExactProfile(model, WeightType::kF32,
                   {.source_tokens = 2, .target_tokens = 2}, "tiny");
  EXPECT_GE(p.text_bytes, kMinNormalizedBytes);
  EXPECT_TRUE(p.tokenizer);
}

TEST(ExactProfileTest, NamesAreFitForIdentifiers) {
  EXPECT_EQ(ProfileName("opus-mt-en.DE 2"), "opus_mt_en_de_2");
  EXPECT_EQ(ProfileName("caf\xc3\xa9\"\\"), "caf____");
}

// The value that the header gives to a field.
std::string FieldOf(const std::string& header, const std::string& field) {
  const std::string start = "\n    ." + field + " = ";
  const size_t found = header.find(start);
  if (found == std::string::npos) return "none";
  const size_t begin = found + start.size();
  return header.substr(begin, header.find(",\n", begin) - begin);
}

TEST(ExactProfileTest, TheHeaderHasEachFieldInTheOrderOfTheStruct) {
  const Profile p = {.name = "a_b",
                     .d_model = 1,
                     .d_ffn = 2,
                     .heads = 3,
                     .encoder_layers = 4,
                     .decoder_layers = 5,
                     .source_vocabulary = 6,
                     .target_vocabulary = 7,
                     .source_tokens = 8,
                     .target_tokens = 9,
                     .text_bytes = 10,
                     .threads = 11,
                     .int8_weights = true,
                     .f32_weights = false,
                     .tokenizer = true};
  const std::string header = ProfileHeader(p);
  EXPECT_EQ(FieldOf(header, "name"), "\"a_b\"");
  const char* const kNumbers[] = {
      "d_model",           "d_ffn",          "heads",
      "encoder_layers",    "decoder_layers", "source_vocabulary",
      "target_vocabulary", "source_tokens",  "target_tokens",
      "text_bytes",        "threads"};
  int number = 1;
  size_t previous = 0;
  for (const char* field : kNumbers) {
    EXPECT_EQ(FieldOf(header, field), std::to_string(number++)) << field;
    const size_t position = header.find(std::string(".") + field + " = ");
    EXPECT_GT(position, previous) << field;
    previous = position;
  }
  EXPECT_EQ(FieldOf(header, "int8_weights"), "true");
  EXPECT_EQ(FieldOf(header, "f32_weights"), "false");
  EXPECT_EQ(FieldOf(header, "tokenizer"), "true");
  EXPECT_THAT(header,
              AllOf(HasSubstr("#ifndef LATIMER_TARGETS_MODELS_A_B_H_\n"),
                    HasSubstr("#define LATIMER_TARGETS_MODELS_A_B_H_\n"),
                    HasSubstr("inline constexpr Profile kProfile = {\n")));
}

}  // namespace
}  // namespace latimer
