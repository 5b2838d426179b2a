// Sizes in a model file, compared with the profile.
#ifndef LATIMER_MODEL_CHECK_RANGE_H_
#define LATIMER_MODEL_CHECK_RANGE_H_

#include <cstdint>

#include "latimer/status.h"

namespace latimer {

// kExceedsProfile: "The model's WHAT is VALUE but ...".
Status ExceedsProfile(const char* what, uint64_t value, uint32_t limit);

// kExceedsProfile above `limit`, kCorrupt where `value` is 0.
Status CheckRange(const char* what, uint64_t value, uint32_t limit);

}  // namespace latimer

#endif  // LATIMER_MODEL_CHECK_RANGE_H_
