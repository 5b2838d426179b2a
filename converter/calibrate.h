// Quantizes weight matrices by what a text makes of their inputs
// (error_feedback.h).
#ifndef LATIMER_CONVERTER_CALIBRATE_H_
#define LATIMER_CONVERTER_CALIBRATE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>

#include "converter/canonical_model.h"
#include "converter/quantize.h"

namespace latimer {

struct CalibrateOptions {
  // UTF-8, one sentence in the source language per line.
  std::filesystem::path text;
  // Called with the work done and all of it, in lines: a matrix counts as one.
  std::function<void(uint64_t done, uint64_t total)> progress = {};
  // Of memory for Hessians. If they need more, the text is translated several
  // times, each for some of the matrices; one matrix may exceed it alone.
  uint64_t most_hessian_bytes = uint64_t{512} << 20;
};

// Fewer lines say too little about a matrix.
inline constexpr size_t kLeastCalibrationLines = 16;
// Likewise, of source or target.
inline constexpr uint64_t kLeastCalibrationTokens = 100;

// Translates the text with int8 weights, whose results every CPU gives to the
// bit, and quantizes the matrices of `wanted`. Left out: those that the
// text does not use, such as embeddings of their own, and int8 matrices that
// are integers in the source file. Must be linked with a runtime whose profile
// has `probes`. Takes, in addition to the Hessians, one byte of memory per
// weight for the model, one for each quantized weight, and half of the square
// of the largest number of inputs in doubles. Throws ConversionError if the
// model has no tokenizer, if the text cannot be read, is not UTF-8 or has too
// few lines or tokens to translate, or if the model does not run here.
QuantizedMatrices Calibrate(const CalibrateOptions& options,
                            const std::set<MatrixAs>& wanted,
                            const CanonicalModel& model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CALIBRATE_H_
