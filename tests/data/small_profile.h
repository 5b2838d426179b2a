// What the exact profiles of small models have in common: int8 weights, a
// Transformer, one thread, no tokenizer and nothing optional.
#ifndef LATIMER_TESTS_DATA_SMALL_PROFILE_H_
#define LATIMER_TESTS_DATA_SMALL_PROFILE_H_

#include "latimer/internal/profile.h"

namespace latimer {

inline constexpr Profile kSmallProfile = [] {
  Profile profile{};
  profile.text_bytes = 1024;
  profile.threads = 1;
  profile.int8_weights = true;
  profile.f32_weights = false;
  profile.tokenizer = false;
  profile.unigram = false;
  profile.bpe = false;
  profile.words = false;
  profile.metaspace = false;
  profile.byte_bpe = false;
  profile.bytes = false;
  profile.decoder_self_attention = true;
  profile.decoder_ssru = false;
  profile.decoder_gru = false;
  profile.decoder_lstm = false;
  profile.recurrent_extras = false;
  profile.shortlist = false;
  profile.rms_norm = false;
  profile.gated_ffn = false;
  profile.relative_attention = false;
  profile.norm_before_positions = false;
  profile.rotary_positions = false;
  profile.output_norms = false;
  profile.logit_caps = false;
  profile.pruned_argmax = false;
  profile.int4_weights = false;
  profile.int6_weights = false;
  profile.f16_weights = false;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_SMALL_PROFILE_H_
