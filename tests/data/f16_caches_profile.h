// Profile of the demo model with f32 weights, with caches of f16 and several
// lanes.
#ifndef LATIMER_TESTS_DATA_F16_CACHES_PROFILE_H_
#define LATIMER_TESTS_DATA_F16_CACHES_PROFILE_H_

#define kProfile kEnDeProfile
#include "en_de.h"  // Of the build.
#undef kProfile

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = kEnDeProfile;
  profile.name = "f16_caches";
  profile.lanes = 6;
  profile.int8_weights = false;
  profile.f32_weights = true;
  profile.f16_caches = true;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_F16_CACHES_PROFILE_H_
