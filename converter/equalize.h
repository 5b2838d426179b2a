// Divides the inside of feed-forward layers, channel by channel, by factors
// that make its channels alike, so that quantizing a row of it loses less.
//
// The runtime quantizes each row of activations by its largest number. In some
// trained models, such as T5 and NLLB, a few channels inside feed-forward
// layers are a hundred times as large as the others, which then have few levels
// left. If channel j is divided by f[j] where it is made (row j of the first
// matrix and its bias) and column j of the second matrix is multiplied by f[j],
// the layer computes the same. That holds for a gated layer, whose input half
// is divided, and for ReLU. The idea, for the inputs of norms, is that of
// "SmoothQuant" (Xiao et al., 2023).
#ifndef LATIMER_CONVERTER_EQUALIZE_H_
#define LATIMER_CONVERTER_EQUALIZE_H_

#include <cstdint>
#include <filesystem>
#include <functional>

#include "converter/canonical_model.h"
#include "converter/quantize.h"

namespace latimer {

struct EqualizeOptions {
  // UTF-8, one sentence in the source language per line.
  std::filesystem::path text;
  WeightType type = WeightType::kInt8;  // What the weights are to be.
  // Called with the lines done and the total.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// Factors must lower a layer's error to this part, or it stays as it is.
inline constexpr double kLeastGain = 0.8;

// Translates the text with f16 weights, and sets the factors of the layers that
// gain by it. Returns the errors of their second products with quantized
// weights and activations, over some rows of the text. Factors are powers of
// two, so that the model computes the same in f32, to the bit. Must be linked
// with a runtime whose profile has `probes`. Takes 2 bytes of memory per
// weight. Throws ConversionError if the model has no such layers or no
// tokenizer, if the text cannot be read or has nothing to translate, or if the
// model does not run.
ProductErrors Equalize(const EqualizeOptions& options, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_EQUALIZE_H_
