// The header of a profile has each field.
// Tests converter/profile_header.cc.
#include "converter/profile_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "latimer/internal/memory_plan.h"
#include "latimer/internal/profile_members.h"

namespace latimer::profile_header_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ProfileHeaderTest, NamesAreFitForIdentifiers) {
  EXPECT_EQ(ProfileName("opus-mt-en.DE 2"), "opus_mt_en_de_2");
  EXPECT_EQ(ProfileName("caf\xc3\xa9\"\\"), "caf____");
}

// Profile has the members of the list, a name and `probes`.
struct Anything {
  template <typename T>
  constexpr operator T() const;  // NOLINT(google-explicit-constructor)
};
template <size_t... kPlaces>
constexpr bool HasMembers(std::index_sequence<kPlaces...>) {
  return requires { Profile{((void)kPlaces, Anything())...}; };
}
constexpr size_t kListed = std::tuple_size_v<decltype(kProfileMembers)>;
static_assert(HasMembers(std::make_index_sequence<kListed + 2>()) &&
              !HasMembers(std::make_index_sequence<kListed + 3>()));

// The value of a field in the header.
std::string FieldOf(const std::string& header, const std::string& field) {
  const std::string start = "\n    ." + field + " = ";
  const size_t found = header.find(start);
  if (found == std::string::npos) return "none";
  const size_t begin = found + start.size();
  return header.substr(begin, header.find(",\n", begin) - begin);
}

TEST(ProfileHeaderTest, TheHeaderHasEachFieldInTheOrderOfTheStruct) {
  const Profile p = {.name = "a_b",
                     .d_model = 1,
                     .d_ffn = 2,
                     .attention_width = 3,
                     .heads = 4,
                     .encoder_layers = 5,
                     .decoder_layers = 6,
                     .source_vocabulary = 7,
                     .target_vocabulary = 8,
                     .source_tokens = 9,
                     .target_tokens = 10,
                     .text_bytes = 11,
                     .threads = 12,
                     .lanes = 13,
                     .copied_image_bytes = 14,
                     .int8_weights = true,
                     .f32_weights = false,
                     .tokenizer = true,
                     .unigram = false,
                     .bpe = true,
                     .words = false,
                     .metaspace = true,
                     .byte_bpe = false,
                     .bytes = true,
                     .bpe_unused_pieces = 14,
                     .decoder_self_attention = false,
                     .decoder_ssru = true,
                     .decoder_gru = false,
                     .decoder_lstm = false,
                     .recurrent_extras = false,
                     .shortlist = false,
                     .shortlist_row_bytes = 15,
                     .rms_norm = true,
                     .gated_ffn = false,
                     .relative_attention = true,
                     .norm_before_positions = true,
                     .speech_positions = 16,
                     .mel_bins = 17,
                     .int8_cross_kv = true,
                     .rotary_positions = true,
                     .output_norms = false,
                     .logit_caps = true,
                     .pruned_argmax = false,
                     .int4_weights = false,
                     .int6_weights = false,
                     .f16_weights = true,
                     .attention = 14,
                     .scores = true};
  const std::string header = ProfileHeader(p);
  EXPECT_THAT(header, ::testing::HasSubstr("// Its workspace has " +
                                           std::to_string(WorkspaceBytes(p)) +
                                           " bytes.\n"));
  EXPECT_EQ(FieldOf(header, "name"), "\"a_b\"");
  const char* const kNumbers[] = {"d_model",
                                  "d_ffn",
                                  "attention_width",
                                  "heads",
                                  "encoder_layers",
                                  "decoder_layers",
                                  "source_vocabulary",
                                  "target_vocabulary",
                                  "source_tokens",
                                  "target_tokens",
                                  "text_bytes",
                                  "threads",
                                  "lanes",
                                  "copied_image_bytes"};
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
  EXPECT_EQ(FieldOf(header, "unigram"), "false");
  EXPECT_EQ(FieldOf(header, "bpe"), "true");
  EXPECT_EQ(FieldOf(header, "words"), "false");
  EXPECT_EQ(FieldOf(header, "metaspace"), "true");
  EXPECT_EQ(FieldOf(header, "byte_bpe"), "false");
  EXPECT_EQ(FieldOf(header, "bytes"), "true");
  EXPECT_EQ(FieldOf(header, "bpe_unused_pieces"), "14");
  EXPECT_EQ(FieldOf(header, "decoder_self_attention"), "false");
  EXPECT_EQ(FieldOf(header, "decoder_ssru"), "true");
  EXPECT_EQ(FieldOf(header, "decoder_gru"), "false");
  EXPECT_EQ(FieldOf(header, "shortlist"), "false");
  EXPECT_EQ(FieldOf(header, "shortlist_row_bytes"), "15");
  EXPECT_EQ(FieldOf(header, "rms_norm"), "true");
  EXPECT_EQ(FieldOf(header, "gated_ffn"), "false");
  EXPECT_EQ(FieldOf(header, "relative_attention"), "true");
  EXPECT_EQ(FieldOf(header, "speech_positions"), "16");
  EXPECT_EQ(FieldOf(header, "mel_bins"), "17");
  EXPECT_EQ(FieldOf(header, "int8_cross_kv"), "true");
  EXPECT_EQ(FieldOf(header, "rotary_positions"), "true");
  EXPECT_EQ(FieldOf(header, "output_norms"), "false");
  EXPECT_EQ(FieldOf(header, "logit_caps"), "true");
  EXPECT_EQ(FieldOf(header, "pruned_argmax"), "false");
  EXPECT_EQ(FieldOf(header, "int4_weights"), "false");
  EXPECT_EQ(FieldOf(header, "int6_weights"), "false");
  EXPECT_EQ(FieldOf(header, "f16_weights"), "true");
  EXPECT_EQ(FieldOf(header, "attention"), "14");
  EXPECT_EQ(FieldOf(header, "scores"), "true");
  EXPECT_THAT(header,
              AllOf(HasSubstr("#ifndef LATIMER_TARGETS_MODELS_A_B_H_\n"),
                    HasSubstr("#define LATIMER_TARGETS_MODELS_A_B_H_\n"),
                    HasSubstr("inline constexpr Profile kProfile = {\n")));
}

}  // namespace latimer::profile_header_test
