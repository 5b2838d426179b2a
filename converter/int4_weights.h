// int4 weights: which matrices can have them, and their integers.
//
// Only feed-forwards: half of what a decoder layer reads. XNNPACK's qc4w has
// one scale per output channel, so that its sums are exact as those of int8.
#ifndef LATIMER_CONVERTER_INT4_WEIGHTS_H_
#define LATIMER_CONVERTER_INT4_WEIGHTS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "converter/canonical_model.h"

namespace latimer {

// Weight [n, k] = scales[n] * integers[n, k], which are in [-8, 7].
struct Int4Matrix {
  std::vector<int8_t> integers;
  std::vector<float> scales;  // Of either sign.
  // Root of the mean square of what is lost, as a part of that of the weights.
  double error = 0;
};

// By their names in the canonical model.
using Int4Matrices = std::map<std::string, Int4Matrix>;

// Quantizes one output channel to the nearest integers by the scale that loses
// least of 2 * 30, which is returned: few weights are as large as the largest,
// and a coarser grid for all others costs more than cutting those.
// Precondition: finite values, spans of the same size.
float QuantizeChannelToInt4(std::span<const float> values,
                            std::span<int8_t> integers);

// The default of largest_error. Weights with a normal distribution lose 0.115;
// those of a few large channels among small ones more.
inline constexpr double kInt4LargestError = 0.15;

// Quantizes the matrices of all feed-forwards and keeps those that lose at most
// `largest_error`; the warnings of the model get the others. Takes a byte per
// weight. Throws ConversionError if the model has no feed-forwards or a weight
// is not finite.
Int4Matrices QuantizeToInt4(double largest_error, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_INT4_WEIGHTS_H_
