// What latimer-convert says of int4 matrices, equalized layers and calibrated
// matrices.
#ifndef LATIMER_CONVERTER_QUANTIZATION_REPORT_H_
#define LATIMER_CONVERTER_QUANTIZATION_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "converter/quantize.h"

namespace latimer {

// The errors of each matrix, or layer, by its name.
nlohmann::ordered_json Int4Json(const QuantizedMatrices& matrices);
nlohmann::ordered_json ErrorsJson(const ProductErrors& errors);

// "; ..." to go on with a line; empty without int4 matrices.
std::string Int4Text(const QuantizedMatrices& matrices);
// A line.
std::string EqualizedText(const ProductErrors& layers);
std::string CalibratedText(const ProductErrors& matrices);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_QUANTIZATION_REPORT_H_
