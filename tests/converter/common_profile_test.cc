// A profile for several models has room for each.
// Tests converter/common_profile.cc.
#include "converter/common_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "converter/error.h"
#include "converter/model_writer.h"
#include "converter/output_file.h"
#include "converter/profile_header.h"
#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::common_profile_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The fields of a profile, of which ProfileHeader writes all.
std::map<std::string, std::string> Fields(Profile profile) {
  profile.name = "x";
  std::map<std::string, std::string> fields;
  std::istringstream header(ProfileHeader(profile));
  for (std::string line; std::getline(header, line);) {
    if (!line.starts_with("    .")) continue;
    const size_t equals = line.find(" = ");
    fields[line.substr(5, equals - 5)] =
        line.substr(equals + 3, line.size() - equals - 4);
  }
  return fields;
}

// The larger of two values of a field.
std::string Larger(const std::string& a, const std::string& b) {
  if (a == "true" || b == "true") return "true";
  if (a == "false") return "false";
  return std::stoull(a) > std::stoull(b) ? a : b;
}

void ExpectLargest(const Profile& a, const Profile& b) {
  const auto of_a = Fields(a), of_b = Fields(b);
  const auto merged = Fields(LargestOf(a, b));
  EXPECT_GT(merged.size(), 30u);
  for (const auto& [field, value] : merged) {
    if (field == "name") continue;
    // What false of one model demands of all.
    const bool all = field == "f16_caches" || field == "int8_cross_kv";
    EXPECT_EQ(value,
              all && (of_a.at(field) == "false" || of_b.at(field) == "false")
                  ? "false"
                  : Larger(of_a.at(field), of_b.at(field)))
        << field;
  }
  for (int i = 0; i < kBufferCount; ++i) {
    const auto buffer = static_cast<Buffer>(i);
    EXPECT_GE(BufferBytes(LargestOf(a, b), buffer), BufferBytes(a, buffer));
    EXPECT_GE(BufferBytes(LargestOf(a, b), buffer), BufferBytes(b, buffer));
  }
}

constexpr Profile kNone = {.name = "none",
                           .d_model = 8,
                           .d_ffn = 8,
                           .attention_width = 8,
                           .heads = 1,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .source_vocabulary = 8,
                           .target_vocabulary = 8,
                           .source_tokens = 8,
                           .target_tokens = 8,
                           .text_bytes = 256,
                           .threads = 1,
                           .lanes = 1,
                           .copied_image_bytes = 0,
                           .int8_weights = false,
                           .f32_weights = false,
                           .tokenizer = false,
                           .unigram = false,
                           .bpe = false,
                           .words = false,
                           .metaspace = false,
                           .byte_bpe = false,
                           .bytes = false,
                           .decoder_self_attention = false,
                           .decoder_ssru = false,
                           .decoder_gru = false,
                           .decoder_lstm = false,
                           .recurrent_extras = false,
                           .shortlist = false,
                           .rms_norm = false,
                           .gated_ffn = false,
                           .relative_attention = false,
                           .norm_before_positions = false,
                           .rotary_positions = false,
                           .output_norms = false,
                           .logit_caps = false,
                           .pruned_argmax = false,
                           .int4_weights = false,
                           .int6_weights = false,
                           .f16_weights = false};
constexpr Profile kAll = {.name = "all",
                          .d_model = 16,
                          .d_ffn = 32,
                          .attention_width = 16,
                          .heads = 2,
                          .encoder_layers = 3,
                          .decoder_layers = 4,
                          .source_vocabulary = 50,
                          .target_vocabulary = 60,
                          .source_tokens = 70,
                          .target_tokens = 80,
                          .text_bytes = 900,
                          .threads = 2,
                          .lanes = 3,
                          .copied_image_bytes = 1000,
                          .int8_weights = true,
                          .f32_weights = true,
                          .tokenizer = true,
                          .bpe_unused_pieces = 5,
                          .shortlist_row_bytes = 7,
                          .attention = 6,
                          .scores = true};

TEST(CommonProfileTest, EachFieldIsTheLargerOne) {
  ExpectLargest(kNone, kAll);
  ExpectLargest(kAll, kNone);
  ExpectLargest(kAll, kAll);
  Profile wide = kNone;
  wide.d_model = 1000;
  wide.decoder_gru = true;
  wide.f16_caches = true;
  ExpectLargest(wide, kAll);
}

class CommonProfileOfFilesTest : public testing::Test {
 protected:
  fs::path Convert(const std::string& name) const {
    const CanonicalModel model =
        OpenModel(TestData("tiny_marian") / name, /*with_tokenizer=*/false);
    const fs::path path = folder_.path() / (name + ".ltm");
    WriteFileAtomically(
        path, WriteModel(model, {.tile = Tile::k8x8, .progress = {}}).bytes());
    return path;
  }

  static Profile Alone(const fs::path& path) {
    return MakeCommonProfile("alone", std::span(&path, 1), {}).profile;
  }

  const TempFolder folder_;
};

TEST_F(CommonProfileOfFilesTest, HoldsEachModel) {
  const fs::path paths[] = {Convert("heads_1_relu"), Convert("lengths")};
  const CommonProfile common = MakeCommonProfile("both", paths, {});
  EXPECT_EQ(common.name, "both");
  ASSERT_EQ(common.models.size(), 2u);
  EXPECT_EQ(Fields(common.profile),
            Fields(LargestOf(Alone(paths[0]), Alone(paths[1]))));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(common.models[i].path, paths[i]);
    EXPECT_EQ(common.models[i].workspace_bytes,
              WorkspaceBytes(Alone(paths[i])));
    EXPECT_GE(WorkspaceBytes(common.profile), common.models[i].workspace_bytes);
  }
}

TEST_F(CommonProfileOfFilesTest, ALimitMayExceedThatOfOneModelButNotOfAll) {
  const fs::path paths[] = {Convert("heads_1_relu"), Convert("no_scale")};
  const uint32_t first = Alone(paths[0]).source_tokens;
  const uint32_t second = Alone(paths[1]).source_tokens;
  ASSERT_NE(first, second);
  const uint32_t most = std::max(first, second);
  EXPECT_EQ(MakeCommonProfile("x", paths, {.source_tokens = most})
                .profile.source_tokens,
            most);
  EXPECT_EQ(
      MakeCommonProfile("x", paths, {.source_tokens = 5}).profile.source_tokens,
      5u);
  try {
    MakeCommonProfile("x", paths, {.source_tokens = most + 1});
    FAIL();
  } catch (const ConversionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("exceeds the limits of all models"));
  }
}

TEST_F(CommonProfileOfFilesTest, WhatIsNotConvertedIsNamed) {
  const fs::path paths[] = {Convert("lengths"), folder_.path() / "none.ltm"};
  try {
    MakeCommonProfile("x", paths, {});
    FAIL();
  } catch (const ConversionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none.ltm: not a Latimer model"));
  }
}

}  // namespace latimer::common_profile_test
