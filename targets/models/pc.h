// Any model, on a PC: as many layers as those of the largest models that fit a
// file, such as T5-large and NLLB-1.3B (24+24) and ByT5-large (36+12).
#ifndef LATIMER_TARGETS_MODELS_PC_H_
#define LATIMER_TARGETS_MODELS_PC_H_

#include "latimer/internal/any_profile.h"

namespace latimer {

inline constexpr Profile kProfile = AnyProfile("pc", 36, 24);

}  // namespace latimer

#endif  // LATIMER_TARGETS_MODELS_PC_H_
