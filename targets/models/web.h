// Any model, in WebAssembly: the profile `any` without threads.
#ifndef LATIMER_TARGETS_MODELS_WEB_H_
#define LATIMER_TARGETS_MODELS_WEB_H_

#include "latimer/internal/any_profile.h"

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = AnyProfile("web", 24, 12);
  profile.threads = 1;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TARGETS_MODELS_WEB_H_
