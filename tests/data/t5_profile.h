// The exact profile of t5/gated_silu with --max-source-tokens 60 and
// --max-target-tokens 60.
#ifndef LATIMER_TESTS_DATA_T5_PROFILE_H_
#define LATIMER_TESTS_DATA_T5_PROFILE_H_

#include "small_profile.h"

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = kSmallProfile;
  profile.name = "t5";
  profile.d_model = 24;
  profile.d_ffn = 90;
  profile.attention_width = 9;
  profile.heads = 1;
  profile.encoder_layers = 3;
  profile.decoder_layers = 1;
  profile.source_vocabulary = 64;
  profile.target_vocabulary = 64;
  profile.source_tokens = 60;
  profile.target_tokens = 60;
  profile.rms_norm = true;
  profile.gated_ffn = true;
  profile.relative_attention = true;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_T5_PROFILE_H_
