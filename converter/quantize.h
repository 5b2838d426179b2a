// int8 weights: one scale per output channel, no zero point (XNNPACK's qc8w).
#ifndef LATIMER_CONVERTER_QUANTIZE_H_
#define LATIMER_CONVERTER_QUANTIZE_H_

#include <cstdint>
#include <span>

namespace latimer {

// Quantizes one output channel: values[i] is replaced by the nearest
// scale * quantized[i] with quantized in [-127, 127]; returns the scale, which
// is max|value| / 127, or 1 for a channel of zeros. Precondition: the values
// are finite and both spans have the same size.
float QuantizeChannel(std::span<const float> values,
                      std::span<int8_t> quantized);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_QUANTIZE_H_
