// The exact profile of recurrent/bahdanau without tokenizer.
#ifndef LATIMER_TESTS_DATA_GRU_PROFILE_H_
#define LATIMER_TESTS_DATA_GRU_PROFILE_H_

#include "small_profile.h"

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = kSmallProfile;
  profile.name = "gru";
  profile.d_model = 18;
  profile.d_ffn = 1;
  profile.attention_width = 28;
  profile.heads = 1;
  profile.encoder_layers = 1;
  profile.decoder_layers = 1;
  profile.source_vocabulary = 37;
  profile.target_vocabulary = 35;
  profile.source_tokens = 40;
  profile.target_tokens = 32;
  profile.decoder_self_attention = false;
  profile.decoder_gru = true;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_GRU_PROFILE_H_
