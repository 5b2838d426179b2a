// Any model that reads text, on a board: holds every published OPUS-MT model
// and shapes with 24+12 layers.
#ifndef LATIMER_TARGETS_MODELS_ANY_H_
#define LATIMER_TARGETS_MODELS_ANY_H_

#include "latimer/internal/any_profile.h"

namespace latimer {

inline constexpr Profile kProfile = AnyProfile("any", 24, 12);

}  // namespace latimer

#endif  // LATIMER_TARGETS_MODELS_ANY_H_
