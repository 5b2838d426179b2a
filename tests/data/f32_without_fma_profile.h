// Profile of the demo model with f32 weights that gives every CPU the same
// bits, with several lanes.
#ifndef LATIMER_TESTS_DATA_F32_WITHOUT_FMA_PROFILE_H_
#define LATIMER_TESTS_DATA_F32_WITHOUT_FMA_PROFILE_H_

#define kProfile kEnDeProfile
#include "../../targets/models/en_de.h"
#undef kProfile

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = kEnDeProfile;
  profile.name = "f32_without_fma";
  profile.lanes = 6;
  profile.int8_weights = false;
  profile.f32_weights = true;
  profile.f32_fma = false;
  profile.rms_norm = true;
  profile.gated_ffn = true;
  profile.relative_attention = true;
  profile.f16_weights = true;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_F32_WITHOUT_FMA_PROFILE_H_
