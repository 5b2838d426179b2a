// What latimer-convert says of int4 matrices, equalized layers and calibrated
// matrices.
#ifndef LATIMER_CONVERTER_QUANTIZATION_REPORT_H_
#define LATIMER_CONVERTER_QUANTIZATION_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "converter/choose_types.h"
#include "converter/quantize.h"

namespace latimer {

// The errors of each matrix, or layer, by its name: of int4 matrices, and of
// equalized layers or calibrated matrices.
nlohmann::ordered_json Int4Json(const QuantizedMatrices& matrices);
nlohmann::ordered_json ErrorsJson(const ProductErrors& errors);

// "; ..." to go on with a line; empty without int4 matrices.
std::string Int4Text(const QuantizedMatrices& matrices);

// "; 3 matrices f16", or nothing if none is.
std::string F16Text(const MatrixTypes& types);
// A line.
std::string EqualizedText(const ProductErrors& layers);
std::string CalibratedText(const ProductErrors& matrices);

// Those of calibrated matrices.
ProductErrors CalibratedErrors(const QuantizedMatrices& matrices);

// {"max_loss", "loss", "int8_loss", "f16_loss" or null, "tokens", "kinds":
//  {NAME: {"type", "refused_loss" or null}}}, of --weights auto.
nlohmann::ordered_json ChosenJson(const ChosenTypes& chosen);
// Some lines.
std::string ChosenText(const ChosenTypes& chosen);
// {MATRIX: TYPE}
nlohmann::ordered_json TypesJson(const MatrixTypes& types);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_QUANTIZATION_REPORT_H_
