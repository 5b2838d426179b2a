#include "converter/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace latimer {

float QuantizeChannel(std::span<const float> values,
                      std::span<int8_t> quantized) {
  LATIMER_CHECK(values.size() == quantized.size());
  constexpr float kLargest = 127.0f;
  float largest = 0.0f;
  for (float value : values) largest = std::max(largest, std::fabs(value));
  // A subnormal scale would lose precision, or be zero.
  float scale = largest / kLargest;
  if (scale < std::numeric_limits<float>::min()) scale = 1.0f;
  for (size_t i = 0; i < values.size(); ++i) {
    // std::nearbyint rounds halves to even, whatever the CPU.
    const float rounded = std::nearbyint(values[i] / scale);
    quantized[i] =
        static_cast<int8_t>(std::clamp(rounded, -kLargest, kLargest));
  }
  return scale;
}

}  // namespace latimer
