// Any model, and those that read speech, in WebAssembly: the profile `web` with
// what speech needs.
#ifndef LATIMER_TARGETS_MODELS_WEB_SPEECH_H_
#define LATIMER_TARGETS_MODELS_WEB_SPEECH_H_

#include "latimer/internal/any_profile.h"

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = AnyProfile("web_speech", 24, 12);
  profile.threads = 1;
  profile.speech_positions = 1500;
  profile.mel_bins = 128;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TARGETS_MODELS_WEB_SPEECH_H_
