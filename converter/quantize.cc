#include "converter/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/check.h"
#include "converter/error.h"
#include "converter/source_tensor.h"

namespace latimer {
namespace {

// The integers of a type.
struct Grid {
  explicit Grid(WeightType type)
      : least(InfoOf(type).least), most(InfoOf(type).most) {}

  float least;
  float most;

  int8_t Round(float multiple) const {
    // std::nearbyint rounds halves to even, whatever the CPU.
    return static_cast<int8_t>(
        std::clamp(std::nearbyint(multiple), least, most));
  }
};

// The scales that are tried: so many, from the widest to a part of it. With
// eight bits only the widest, for clipping gains nothing.
struct Search {
  int steps;
  float smallest_step;
};
Search SearchOf(WeightType type) {
  const uint8_t bits = InfoOf(type).bits;
  if (bits >= 8) return {1, 1.0f};
  return bits > 4 ? Search{20, 0.5f} : Search{30, 0.35f};
}

double SquaredLoss(const Grid& grid, std::span<const float> values,
                   float scale) {
  const float inverse = 1.0f / scale;
  double loss = 0;
  for (const float value : values) {
    const double lost =
        double{value} - double{scale} * grid.Round(value * inverse);
    loss += lost * lost;
  }
  return loss;
}

// The smallest weight, if all others are multiples of it because they were
// rounded to a few bits before; else 0.
float UnitOf(std::span<const float> values) {
  float smallest = std::numeric_limits<float>::infinity();
  for (const float value : values) {
    if (value != 0) smallest = std::min(smallest, std::fabs(value));
  }
  const bool divides_all = std::ranges::all_of(values, [&](float value) {
    const float multiple = value / smallest;
    return std::fabs(multiple - std::nearbyint(multiple)) < 0.01f;
  });
  return divides_all ? smallest : 0;
}

// Quantizes a channel with the scale that loses least: one of SearchOf(type),
// or a multiple of UnitOf(values). Published students have weights of eight
// bits. In six bits, some of their channels lose nothing with the unit as the
// scale, and others less with three times the unit than with a scale near it.
// Returns the scale.
float SearchScale(WeightType type, std::span<const float> values,
                  std::span<int8_t> integers) {
  const Grid grid(type);
  const auto [steps, smallest_step] = SearchOf(type);
  LATIMER_CHECK(values.size() == integers.size());
  float largest = 0.0f;
  for (const float value : values) {
    largest = std::max(largest, std::fabs(value));
  }
  // As in QuantizeChannel.
  const float widest = largest / grid.most;
  float best = 1.0f;
  double least = std::numeric_limits<double>::infinity();
  const auto attempt = [&](float scale) {
    if (std::fabs(scale) < std::numeric_limits<float>::min()) return;
    if (scale < 0 && grid.least == -grid.most) return;
    const double loss = SquaredLoss(grid, values, scale);
    if (loss < least) {
      least = loss;
      best = scale;
    }
  };
  if (widest * smallest_step >= std::numeric_limits<float>::min()) {
    for (int step = 0; step < steps; ++step) {
      const float part = 1.0f - (1.0f - smallest_step) *
                                    static_cast<float>(step) /
                                    static_cast<float>(steps);
      // -8 has no positive counterpart, so the sign of the scale matters.
      attempt(widest * part);
      attempt(-widest * part);
    }
    const float unit = UnitOf(values);
    const float most_of_int8 = InfoOf(WeightType::kInt8).most;
    const int multiples =
        unit > 0 ? static_cast<int>(most_of_int8 / grid.most) + 1 : 0;
    for (int i = 1; i <= multiples; ++i) {
      attempt(unit * static_cast<float>(i));
      attempt(-unit * static_cast<float>(i));
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    integers[i] = grid.Round(values[i] * (1.0f / best));
  }
  return best;
}

bool IsFeedForward(const std::string& name) {
  return name.ends_with(".ffn.in") || name.ends_with(".ffn.out");
}

}  // namespace

float QuantizeChannel(std::span<const float> values,
                      std::span<int8_t> quantized) {
  LATIMER_CHECK(values.size() == quantized.size());
  float largest = 0.0f;
  for (float value : values) largest = std::max(largest, std::fabs(value));
  // A subnormal scale would lose precision, or be zero.
  const Grid grid(WeightType::kInt8);
  float scale = largest / grid.most;
  if (scale < std::numeric_limits<float>::min()) scale = 1.0f;
  for (size_t i = 0; i < values.size(); ++i) {
    quantized[i] = grid.Round(values[i] / scale);
  }
  return scale;
}

float QuantizeChannelTo(WeightType type, std::span<const float> values,
                        std::span<int8_t> integers) {
  return SearchOf(type).steps == 1 ? QuantizeChannel(values, integers)
                                   : SearchScale(type, values, integers);
}

int8_t NearestInteger(WeightType type, float value, float scale) {
  // As the two ways above round.
  return Grid(type).Round(SearchOf(type).steps == 1 ? value / scale
                                                    : value * (1.0f / scale));
}

MatrixTypes TypesOf(const QuantizedMatrices& matrices) {
  MatrixTypes types;
  for (const auto& [matrix, weights] : matrices) types.insert(matrix);
  return types;
}

void SetError(const CanonicalLinear& linear, QuantizedMatrix* matrix) {
  const uint64_t n = linear.outputs(), k = linear.inputs();
  std::vector<float> values(k);
  double lost = 0, whole = 0;
  for (uint64_t i = 0; i < n; ++i) {
    linear.ReadRow(i, values);
    const double scale = matrix->scales[i];
    for (uint64_t j = 0; j < k; ++j) {
      const double loss = values[j] - scale * matrix->integers[i * k + j];
      lost += loss * loss;
      whole += double{values[j]} * values[j];
    }
  }
  matrix->error = whole > 0 ? std::sqrt(lost / whole) : 0;
}

QuantizedMatrix QuantizeToNearest(WeightType type,
                                  const CanonicalLinear& linear) {
  const uint64_t n = linear.outputs(), k = linear.inputs();
  QuantizedMatrix matrix{std::vector<int8_t>(n * k), std::vector<float>(n)};
  std::vector<float> values(k);
  for (uint64_t i = 0; i < n; ++i) {
    linear.ReadRow(i, values);
    matrix.scales[i] = QuantizeChannelTo(
        type, values, std::span(matrix.integers).subspan(i * k, k));
  }
  SetError(linear, &matrix);
  return matrix;
}

QuantizedMatrices QuantizeToInt4(double largest_error, CanonicalModel* model) {
  std::vector<const std::string*> names;
  for (const auto& [name, linear] : model->linears) {
    if (IsFeedForward(name)) names.push_back(&name);
  }
  if (names.empty()) {
    FailWith(
        "int4 weights are for feed-forward layers, and this model has none; "
        "convert with --weights int8.");
  }
  QuantizedMatrices matrices;
  for (const std::string* name : names) {
    QuantizedMatrix matrix =
        QuantizeToNearest(WeightType::kInt4, model->linears.at(*name));
    if (matrix.error > largest_error) {
      char text[128];
      std::snprintf(text, sizeof(text),
                    " stays int8: int4 would lose %.3f of it, more than the "
                    "%.3f of --int4-error.",
                    matrix.error, largest_error);
      model->warnings.push_back(*name + text);
      continue;
    }
    matrices.emplace(MatrixAs(*name, WeightType::kInt4), std::move(matrix));
  }
  return matrices;
}

}  // namespace latimer
