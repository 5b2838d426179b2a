// Sizes that a configuration states, before anything is made of them.
#ifndef LATIMER_CONVERTER_CHECK_SIZES_H_
#define LATIMER_CONVERTER_CHECK_SIZES_H_

#include "latimer/model_info.h"

namespace latimer {

// Throws ConversionError if a size exceeds the profile `any`, or if a table of
// positions is too large for a model file. Sizes that are not yet known are 0.
void CheckSizes(const Architecture& architecture);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CHECK_SIZES_H_
