#include "converter/quantization_report.h"

#include <algorithm>
#include <cstdio>

namespace latimer {

using Json = nlohmann::ordered_json;

Json Int4Json(const Int4Matrices& matrices) {
  Json json = Json::object();
  for (const auto& [name, matrix] : matrices) json[name] = matrix.error;
  return json;
}

std::string Int4Text(const Int4Matrices& matrices) {
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

Json EqualizedJson(const EqualizedLayers& layers) {
  Json json = Json::object();
  for (const auto& [name, layer] : layers) {
    json[name] = {{"error_before", layer.error_before},
                  {"error_after", layer.error_after}};
  }
  return json;
}

std::string EqualizedText(const EqualizedLayers& layers) {
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

}  // namespace latimer
