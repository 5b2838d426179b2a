// Refuses numbers that a model must not contain.
#ifndef LATIMER_CONVERTER_CHECK_NUMBERS_H_
#define LATIMER_CONVERTER_CHECK_NUMBERS_H_

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "converter/error.h"

namespace latimer {

// Throws ConversionError if tensor `name` contains an infinity or a NaN.
inline void CheckFinite(std::span<const float> values,
                        const std::string& name) {
  if (std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) {
    return;
  }
  FailWith("Tensor ", name,
           " contains a number that is not finite (infinity or "
           "NaN); the model cannot be converted.");
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CHECK_NUMBERS_H_
