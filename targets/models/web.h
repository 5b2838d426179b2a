// Any model, in WebAssembly: the profile `any` without threads.
#ifndef LATIMER_TARGETS_MODELS_WEB_H_
#define LATIMER_TARGETS_MODELS_WEB_H_

#define kProfile kProfileAny
#include "any.h"
#undef kProfile

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = kProfileAny;
  profile.name = "web";
  profile.threads = 1;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TARGETS_MODELS_WEB_H_
