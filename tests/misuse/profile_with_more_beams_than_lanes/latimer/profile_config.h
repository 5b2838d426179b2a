// In place of the header that the build makes of a profile.
#ifndef LATIMER_PROFILE_CONFIG_H_
#define LATIMER_PROFILE_CONFIG_H_

#include "latimer/internal/any_profile.h"

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = AnyProfile("invented", 6, 2);
  profile.lanes = 4;
#ifdef LATIMER_MISUSE
  profile.beams = 5;
#else
  profile.beams = 4;
#endif
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_PROFILE_CONFIG_H_
