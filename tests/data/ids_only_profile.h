// The exact profile of tiny_marian/lengths without tokenizer.
#ifndef LATIMER_TESTS_DATA_IDS_ONLY_PROFILE_H_
#define LATIMER_TESTS_DATA_IDS_ONLY_PROFILE_H_

#include "small_profile.h"

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = kSmallProfile;
  profile.name = "ids_only";
  profile.d_model = 24;
  profile.d_ffn = 32;
  profile.attention_width = 24;
  profile.heads = 2;
  profile.encoder_layers = 2;
  profile.decoder_layers = 2;
  profile.source_vocabulary = 100;
  profile.target_vocabulary = 100;
  profile.source_tokens = 64;
  profile.target_tokens = 8;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_IDS_ONLY_PROFILE_H_
