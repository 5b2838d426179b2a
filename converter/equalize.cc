#include "converter/equalize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "converter/all_cores.h"
#include "converter/error.h"
#include "converter/model_writer.h"
#include "converter/observe.h"
#include "converter/quantize.h"
#include "converter/readers/text_file.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// How many rows and how many output channels of a layer its error is measured
// with.
constexpr size_t kMostRows = 64;
constexpr uint64_t kMostChannels = 256;
// Of the shares of the factors that the activations get, the rest being the
// weights', the best is chosen.
constexpr double kShares[] = {0.25, 0.5, 0.75, 1.0};
// Of a factor's exponent: keeps weights and activations far from the ends of
// f16 and f32.
constexpr double kMostExponent = 12;

// What a text makes of the inside of one layer.
struct Inside {
  size_t width = 0;
  std::vector<float> largest;  // [width], of absolute values
  std::vector<float> rows;     // [kept, width], evenly from all
  size_t seen = 0, every = 1;

  void Add(std::span<const float> row) {
    for (size_t j = 0; j < width; ++j) {
      largest[j] = std::max(largest[j], std::fabs(row[j]));
    }
    if (seen++ % every != 0) return;
    if (rows.size() == kMostRows * width) {
      every *= 2;  // The even ones stay.
      for (size_t i = 1; i < kMostRows / 2; ++i) {
        std::copy_n(rows.data() + 2 * i * width, width,
                    rows.data() + i * width);
      }
      rows.resize(kMostRows / 2 * width);
    }
    rows.insert(rows.end(), row.begin(), row.end());
  }
};

class InsideProbe final : public Probe {
 public:
  explicit InsideProbe(const Architecture& a)
      : encoder_layers_(a.encoder_layers),
        layers_(a.encoder_layers + a.decoder_layers) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      Inside& layer = layers_[i];
      layer.width = i < encoder_layers_ ? a.encoder_ffn : a.decoder_ffn;
      layer.largest.resize(layer.width);
    }
  }

  void OnInner(std::span<const float> values) override {
    inner_.insert(inner_.end(), values.begin(), values.end());
  }
  void OnOutput(ProbePoint point, uint32_t layer,
                std::span<const float>) override {
    if (point == ProbePoint::kLogits) return;
    Inside& inside = layers_.at(
        point == ProbePoint::kEncoderLayer ? layer : encoder_layers_ + layer);
    for (size_t i = 0; i + inside.width <= inner_.size(); i += inside.width) {
      inside.Add(std::span(inner_).subspan(i, inside.width));
    }
    inner_.clear();
  }
  int32_t OnToken(size_t, int32_t chosen) override { return chosen; }

  // Of the encoder's layers, then of the decoder's.
  const std::vector<Inside>& layers() const { return layers_; }

 private:
  const size_t encoder_layers_;
  std::vector<Inside> layers_;
  std::vector<float> inner_;  // Of the layer that is being computed.
};

// Replaces a row of activations by what the runtime's product sees of it: 256
// levels from its smallest number to its largest, one of them zero.
void RoundRow(std::span<float> row) {
  const auto [least, most] = std::ranges::minmax(row);
  const float low = std::min(least, 0.0f), high = std::max(most, 0.0f);
  const float scale = (high - low) / 255.0f;
  if (scale < std::numeric_limits<float>::min()) return;
  const float zero = std::nearbyint(-low / scale);
  for (float& x : row) {
    const float level =
        std::clamp(std::nearbyint(x / scale) + zero, 0.0f, 255.0f);
    x = (level - zero) * scale;
  }
}

void RoundChannel(WeightType type, std::span<float> weights,
                  std::vector<int8_t>* integers) {
  integers->resize(weights.size());
  const float scale = QuantizeChannelTo(type, weights, *integers);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = scale * static_cast<float>((*integers)[i]);
  }
}

// One layer's second product over the rows that were kept.
class Product {
 public:
  Product(const Inside& inside, const CanonicalLinear& linear, WeightType type)
      : inside_(inside),
        width_(inside.width),
        rows_(inside.rows.size() / inside.width),
        type_(type) {
    const uint64_t n = linear.outputs();
    const uint64_t channels = std::min(n, kMostChannels);
    weights_.resize(channels * width_);
    largest_.resize(width_);
    for (uint64_t i = 0; i < channels; ++i) {
      const std::span<float> row = Channel(i, &weights_);
      linear.ReadRow(i * n / channels, row);
      for (size_t j = 0; j < width_; ++j) {
        largest_[j] = std::max(largest_[j], std::fabs(row[j]));
      }
    }
    exact_ = Multiply(inside.rows, weights_);
  }

  // Powers of two around 1 by the largest numbers of each channel; a channel
  // that is always zero has 1.
  std::vector<float> Factors(double share) const {
    std::vector<double> exponents(width_);
    std::vector<double> used;
    for (size_t j = 0; j < width_; ++j) {
      if (inside_.largest[j] == 0 || largest_[j] == 0) continue;
      exponents[j] = share * std::log2(double{inside_.largest[j]}) -
                     (1 - share) * std::log2(double{largest_[j]});
      used.push_back(exponents[j]);
    }
    std::vector<float> factors(width_, 1.0f);
    if (used.empty()) return factors;
    const auto middle = used.begin() + static_cast<ptrdiff_t>(used.size() / 2);
    std::ranges::nth_element(used, middle);
    for (size_t j = 0; j < width_; ++j) {
      if (inside_.largest[j] == 0 || largest_[j] == 0) continue;
      factors[j] = static_cast<float>(
          std::exp2(std::clamp(std::nearbyint(exponents[j] - *middle),
                               -kMostExponent, kMostExponent)));
    }
    return factors;
  }

  double Error(std::span<const float> factors) const {
    std::vector<float> rows = inside_.rows;
    for (size_t i = 0; i < rows_; ++i) {
      const std::span<float> row = Channel(i, &rows);
      for (size_t j = 0; j < width_; ++j) row[j] /= factors[j];
      RoundRow(row);
    }
    std::vector<float> weights = weights_;
    std::vector<int8_t> integers;
    for (size_t i = 0; i < weights.size() / width_; ++i) {
      const std::span<float> row = Channel(i, &weights);
      for (size_t j = 0; j < width_; ++j) row[j] *= factors[j];
      RoundChannel(type_, row, &integers);
    }
    const std::vector<float> rounded = Multiply(rows, weights);
    double lost = 0, whole = 0;
    for (size_t i = 0; i < exact_.size(); ++i) {
      const double loss = double{rounded[i]} - exact_[i];
      lost += loss * loss;
      whole += double{exact_[i]} * exact_[i];
    }
    return whole > 0 ? std::sqrt(lost / whole) : 0;
  }

 private:
  std::span<float> Channel(uint64_t i, std::vector<float>* matrix) const {
    return std::span(*matrix).subspan(i * width_, width_);
  }

  // [channels, rows]
  std::vector<float> Multiply(const std::vector<float>& rows,
                              const std::vector<float>& weights) const {
    std::vector<float> columns(rows.size());  // [width, rows]
    for (size_t i = 0; i < rows_; ++i) {
      for (size_t j = 0; j < width_; ++j) {
        columns[j * rows_ + i] = rows[i * width_ + j];
      }
    }
    const size_t channels = weights.size() / width_;
    std::vector<float> product(channels * rows_);
    for (size_t channel = 0; channel < channels; ++channel) {
      float* const sums = product.data() + channel * rows_;
      for (size_t j = 0; j < width_; ++j) {
        const float weight = weights[channel * width_ + j];
        const float* const column = columns.data() + j * rows_;
        for (size_t i = 0; i < rows_; ++i) sums[i] += weight * column[i];
      }
    }
    return product;
  }

  const Inside& inside_;
  const size_t width_;
  const size_t rows_;
  const WeightType type_;
  std::vector<float> weights_;  // [channels, width]
  std::vector<float> largest_;  // [width], of absolute values
  std::vector<float> exact_;
};

void CheckLayers(const CanonicalModel& model) {
  const Architecture& a = model.architecture;
  if (a.is_recurrent()) {
    FailWith("--equalize is for feed-forward layers, and this model has none.");
  }
  if (!a.gated_ffn && a.activation != Activation::kRelu) {
    FailWith(
        "--equalize is for feed-forward layers that are gated or have ReLU; "
        "in this model's, dividing a channel changes the result.");
  }
  if (!model.tokenizer) {
    FailWith("--equalize translates a text, so the model needs a tokenizer.");
  }
}

// The factors of a layer, and what they gain; empty if that is too little.
std::pair<std::vector<float>, ProductError> BestFactors(
    const Inside& inside, const CanonicalLinear& linear, WeightType type) {
  const Product product(inside, linear, type);
  ProductError layer;
  layer.error_before = product.Error(std::vector<float>(inside.width, 1.0f));
  layer.error_after = kLeastGain * layer.error_before;
  std::vector<float> best;
  for (const double share : kShares) {
    std::vector<float> factors = product.Factors(share);
    const double error = product.Error(factors);
    if (error >= layer.error_after) continue;
    layer.error_after = error;
    best = std::move(factors);
  }
  return {std::move(best), layer};
}

void SetFactors(std::span<const float> factors, CanonicalLinear* in,
                CanonicalLinear* out) {
  // Those of a gate, which come first, stay as they are.
  in->row_factors.assign(in->outputs() - factors.size(), 1.0f);
  for (const float factor : factors) in->row_factors.push_back(1.0f / factor);
  out->column_factors.assign(factors.begin(), factors.end());
}

}  // namespace

ProductErrors Equalize(const EqualizeOptions& options, CanonicalModel* model) {
  CheckLayers(*model);
  const Architecture& a = model->architecture;
  InsideProbe observer(a);
  Observe(
      WriteModel(
          *model,
          {.weights = WeightType::kF16, .tile = Tile::k16x1, .progress = {}}),
      options.text, ReadSourceLines(options.text), &observer, options.progress);
  const std::vector<Inside>& insides = observer.layers();
  ProductErrors equalized;
  std::mutex mutex;
  RunOnAllCores(insides.size(), insides.size(), [&] {
    return [&](size_t i) {
      const bool encoder = i < a.encoder_layers;
      const std::string layer =
          Concat(encoder ? "encoder." : "decoder.",
                 encoder ? i : i - a.encoder_layers, ".ffn.");
      CanonicalLinear& in = model->linears.at(layer + "in");
      CanonicalLinear& out = model->linears.at(layer + "out");
      if (in.is_quantized() || out.is_quantized()) return;
      if (insides[i].rows.empty()) {
        FailIn(options.text, "nothing to translate");
      }
      auto [factors, gain] = BestFactors(insides[i], out, options.type);
      if (factors.empty()) return;
      SetFactors(factors, &in, &out);
      const std::scoped_lock lock(mutex);
      equalized.emplace(layer + "out", gain);
    };
  });
  return equalized;
}

}  // namespace latimer
