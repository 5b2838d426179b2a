#include "converter/quantization_report.h"

#include <algorithm>
#include <cstdio>

namespace latimer {

using Json = nlohmann::ordered_json;

Json Int4Json(const QuantizedMatrices& matrices) {
  Json json = Json::object();
  for (const auto& [name, matrix] : matrices) json[name] = matrix.error;
  return json;
}

std::string Int4Text(const QuantizedMatrices& matrices) {
  if (matrices.empty()) return "";
  double largest = 0;
  for (const auto& [name, matrix] : matrices) {
    largest = std::max(largest, matrix.error);
  }
  char text[96];
  std::snprintf(text, sizeof(text),
                "; %zu matrices int4, which lose at most %.3f of their weights",
                matrices.size(), largest);
  return text;
}

Json ErrorsJson(const ProductErrors& errors) {
  Json json = Json::object();
  for (const auto& [name, error] : errors) {
    json[name] = {{"error_before", error.error_before},
                  {"error_after", error.error_after}};
  }
  return json;
}

std::string EqualizedText(const ProductErrors& layers) {
  double before = 0, after = 0;
  for (const auto& [name, layer] : layers) {
    before = std::max(before, layer.error_before);
    after = std::max(after, layer.error_after);
  }
  if (layers.empty()) return "No layer gains by --equalize.\n";
  char text[128];
  std::snprintf(text, sizeof(text),
                "%zu feed-forward layers equalized, whose products now err by "
                "at most %.3f, without it by %.3f.\n",
                layers.size(), after, before);
  return text;
}

std::string CalibratedText(const ProductErrors& matrices) {
  double before = 0, after = 0;
  for (const auto& [name, error] : matrices) {
    before += error.error_before;
    after += error.error_after;
  }
  const auto count = static_cast<double>(std::max<size_t>(matrices.size(), 1));
  char text[128];
  std::snprintf(text, sizeof(text),
                "%zu matrices calibrated, whose products now err by %.4f on "
                "average, without it by %.4f.\n",
                matrices.size(), after / count, before / count);
  return text;
}

}  // namespace latimer
