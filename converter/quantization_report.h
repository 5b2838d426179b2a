// What latimer-convert says of int4 matrices and equalized layers.
#ifndef LATIMER_CONVERTER_QUANTIZATION_REPORT_H_
#define LATIMER_CONVERTER_QUANTIZATION_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "converter/equalize.h"
#include "converter/quantize.h"

namespace latimer {

// The errors of each matrix, or layer, by its name.
nlohmann::ordered_json Int4Json(const Int4Matrices& matrices);
nlohmann::ordered_json EqualizedJson(const EqualizedLayers& layers);

// "; ..." to go on with a line; empty without int4 matrices.
std::string Int4Text(const Int4Matrices& matrices);
// A line.
std::string EqualizedText(const EqualizedLayers& layers);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_QUANTIZATION_REPORT_H_
