#include "converter/quantization_report.h"

#include <algorithm>
#include <cstdio>

namespace latimer {

using Json = nlohmann::ordered_json;

Json Int4Json(const QuantizedMatrices& matrices) {
  Json json = Json::object();
  for (const auto& [matrix, weights] : matrices) {
    if (matrix.second == WeightType::kInt4) json[matrix.first] = weights.error;
  }
  return json;
}

std::string Int4Text(const QuantizedMatrices& matrices) {
  size_t count = 0;
  double largest = 0;
  for (const auto& [matrix, weights] : matrices) {
    if (matrix.second != WeightType::kInt4) continue;
    ++count;
    largest = std::max(largest, weights.error);
  }
  if (count == 0) return "";
  char text[96];
  std::snprintf(text, sizeof(text),
                "; %zu matrices int4, which lose at most %.3f of their weights",
                count, largest);
  return text;
}

std::string F16Text(const MatrixTypes& types) {
  const auto count = std::ranges::count_if(types, [](const auto& entry) {
    return entry.second == WeightType::kF16;
  });
  return count == 0 ? "" : "; " + std::to_string(count) + " matrices f16";
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

ProductErrors CalibratedErrors(const QuantizedMatrices& matrices) {
  ProductErrors errors;
  for (const auto& [matrix, weights] : matrices) {
    if (weights.product) errors[matrix.first] = *weights.product;
  }
  return errors;
}

Json ChosenJson(const ChosenTypes& chosen) {
  Json kinds = Json::object();
  for (const KindChoice& choice : chosen.kinds) {
    kinds[choice.kind.name] = {
        {"type", NameOf(choice.type)},
        {"refused_loss", choice.refused ? Json(choice.refused->loss) : Json()}};
  }
  return {{"max_loss", chosen.most},
          {"loss", chosen.loss},
          {"int8_loss", chosen.int8_loss},
          {"f16_loss", chosen.f16_loss ? Json(*chosen.f16_loss) : Json()},
          {"loss_of", chosen.of_lines ? "lines" : "tokens"},
          {"tokens", chosen.tokens},
          {"lines", chosen.lines},
          {"lost_lines", chosen.lost_lines},
          {"kinds", kinds}};
}

// A line differs if a single token does.
std::string LostLinesText(const ChosenTypes& chosen) {
  if (chosen.of_lines) return "";
  constexpr double kMany = 0.05;
  char text[128];
  std::snprintf(text, sizeof(text), "These tokens change %.2f %% of %llu lines",
                100 * chosen.lost_lines,
                static_cast<unsigned long long>(chosen.lines));
  return std::string(text) +
         (chosen.lost_lines > kMany && !chosen.calibrated
              ? "; --calibrate TEXT loses fewer, and --loss-of lines limits "
                "them.\n"
              : ".\n");
}

std::string ChosenText(const ChosenTypes& chosen) {
  char text[256];
  std::snprintf(text, sizeof(text),
                "Weights chosen: %.2f %% of %llu %s differ from f32's, "
                "%.2f %% with int8 alone; --max-loss allows %.2f %%.\n",
                100 * chosen.loss,
                static_cast<unsigned long long>(
                    chosen.of_lines ? chosen.lines : chosen.tokens),
                chosen.of_lines ? "lines" : "tokens", 100 * chosen.int8_loss,
                100 * chosen.most);
  std::string all = text + LostLinesText(chosen);
  if (chosen.f16_loss && *chosen.f16_loss > chosen.most) {
    std::snprintf(text, sizeof(text),
                  "Even f16 alone differs in %.2f %%, so everything is int8.\n",
                  100 * *chosen.f16_loss);
    all += text;
  }
  for (const KindChoice& choice : chosen.kinds) {
    std::snprintf(text, sizeof(text), "  %-24s %s", choice.kind.name.c_str(),
                  NameOf(choice.type));
    all += text;
    if (choice.refused) {
      std::snprintf(text, sizeof(text), "; %s would make it %.2f %%",
                    NameOf(choice.refused->type), 100 * choice.refused->loss);
      all += text;
    } else if (const std::optional<WeightType> next = FewerBits(choice.type);
               next && !MayHave(choice.kind, *next)) {
      all += std::string("; its rows are looked up, so it cannot be ") +
             NameOf(*next);
    }
    all += "\n";
  }
  return all;
}

Json TypesJson(const MatrixTypes& types) {
  Json json = Json::object();
  for (const auto& [name, type] : types) json[name] = NameOf(type);
  return json;
}

}  // namespace latimer
