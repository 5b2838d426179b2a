// Weights as integers: one scale per output channel, no zero point (XNNPACK's
// qc8w), so that the sums of all types are exact. Only feed-forward layers have
// int4 (qc4w): half of what a decoder layer reads.
#ifndef LATIMER_CONVERTER_QUANTIZE_H_
#define LATIMER_CONVERTER_QUANTIZE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/canonical_model.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// Quantizes one output channel: values[i] is replaced by the nearest
// scale * quantized[i] with quantized in [-127, 127]; returns the scale, which
// is max|value| / 127, or 1 for a channel of zeros. Precondition: the values
// are finite and both spans have the same size.
float QuantizeChannel(std::span<const float> values,
                      std::span<int8_t> quantized);

// The error of products with quantized weights, as a part of the products: root
// mean square. Before and after what lowers it.
struct ProductError {
  double error_before = 0;
  double error_after = 0;
};

// By the names of their matrices.
using ProductErrors = std::map<std::string, ProductError>;

// Weight [n, k] = scales[n] * integers[n, k].
struct QuantizedMatrix {
  std::vector<int8_t> integers;
  std::vector<float> scales;  // Of int4 of either sign.
  // Root mean square of the error, relative to that of the weights.
  double error = 0;
  // Of a calibrated matrix; see error_feedback.h.
  std::optional<ProductError> product = {};
};

// The types of an int8 model's matrices, by their names in the canonical model:
// those that may be in_int8_models.
using MatrixTypes = std::map<std::string, WeightType>;

// A matrix, by its name, as one of these types.
using MatrixAs = std::pair<std::string, WeightType>;
using QuantizedMatrices = std::map<MatrixAs, QuantizedMatrix>;

MatrixTypes TypesOf(const QuantizedMatrices& matrices);

// Quantizes one output channel to the integers of `type`. For int8 this is
// QuantizeChannel. With fewer bits it returns the scale that loses least among
// some candidates (SearchOf): few weights are as large as the largest, and
// clipping those costs less than a coarser grid for all others.
float QuantizeChannelTo(WeightType type, std::span<const float> values,
                        std::span<int8_t> integers);

// The integer that it has for a value with this scale.
int8_t NearestInteger(WeightType type, float value, float scale);

// Sets matrix->error, by the weights that it was made from.
void SetError(const CanonicalLinear& linear, QuantizedMatrix* matrix);

// The default of largest_error. Weights with a normal distribution lose 0.115;
// matrices with a few large channels lose more.
inline constexpr double kInt4LargestError = 0.15;

// Quantizes a matrix to the nearest integers.
QuantizedMatrix QuantizeToNearest(WeightType type,
                                  const CanonicalLinear& linear);

// Quantizes the matrices of all feed-forward layers to int4, and returns those
// that lose at most `largest_error`; adds a warning to the model for each of
// the others. Takes a byte of memory per weight. Throws ConversionError if the
// model has no feed-forward layers or a weight is not finite.
QuantizedMatrices QuantizeToInt4(double largest_error, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_QUANTIZE_H_
