// Any model, on a PC: as many layers as those of the largest models that fit a
// file, such as T5-large and NLLB-1.3B (24+24) and ByT5-large (36+12), and
// those that read speech.
#ifndef LATIMER_TARGETS_MODELS_PC_H_
#define LATIMER_TARGETS_MODELS_PC_H_

#include "latimer/internal/any_profile.h"

namespace latimer {

inline constexpr Profile kProfile = [] {
  Profile profile = AnyProfile("pc", 36, 24);
  profile.speech_positions = 1500;
  profile.mel_bins = 128;
  return profile;
}();

}  // namespace latimer

#endif  // LATIMER_TARGETS_MODELS_PC_H_
