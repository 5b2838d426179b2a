// Rounding with error feedback: against GPTQ with the inverse, and its losses.
// Tests converter/error_feedback.cc.
#include "converter/error_feedback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace latimer::error_feedback_test {

using ::testing::Each;

constexpr WeightType kTypes[] = {WeightType::kInt4, WeightType::kInt6,
                                 WeightType::kInt8};

using Matrix = std::vector<std::vector<double>>;

// Inputs [rows, columns] that are mixtures of a few, with outliers.
std::vector<float> CorrelatedInputs(size_t rows, size_t columns) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  constexpr size_t kCauses = 6;
  std::vector<float> mix(kCauses * columns);
  for (float& value : mix) value = normal(random);
  std::vector<float> inputs(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    float causes[kCauses];
    for (float& cause : causes) cause = normal(random);
    for (size_t j = 0; j < columns; ++j) {
      float& x = inputs[i * columns + j];
      x = 0.3f * normal(random);
      for (size_t c = 0; c < kCauses; ++c)
        x += causes[c] * mix[c * columns + j];
      if (j % 11 == 3) x *= 8;
    }
  }
  return inputs;
}

// A matrix of random weights and what reads it.
class Weights {
 public:
  Weights(size_t rows, size_t columns)
      : columns_(columns), values_(rows * columns) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (float& value : values_) value = normal(random);
    tensor_ = {.name = "weights",
               .shape = {rows, columns},
               .data = std::as_bytes(std::span(values_))};
  }

  CanonicalLinear linear() const { return {{&tensor_}, {nullptr}}; }
  std::span<const float> Row(size_t i) const {
    return std::span(values_).subspan(i * columns_, columns_);
  }

 private:
  size_t columns_;
  std::vector<float> values_;
  SourceTensor tensor_;
};

Hessian HessianOf(std::span<const float> inputs, size_t columns) {
  Hessian hessian(columns);
  hessian.Add(inputs);
  hessian.Finish();
  return hessian;
}

QuantizedMatrix Nearest(WeightType type, const Weights& weights, size_t n,
                        size_t k) {
  QuantizedMatrix matrix{std::vector<int8_t>(n * k), std::vector<float>(n)};
  for (size_t i = 0; i < n; ++i) {
    matrix.scales[i] = QuantizeChannelTo(
        type, weights.Row(i), std::span(matrix.integers).subspan(i * k, k));
  }
  return matrix;
}

// |X (w - q)|^2 of a channel.
double Loss(std::span<const float> inputs, std::span<const float> weights,
            const QuantizedMatrix& matrix, size_t channel) {
  const size_t k = weights.size();
  double loss = 0;
  for (size_t row = 0; row < inputs.size() / k; ++row) {
    double product = 0;
    for (size_t j = 0; j < k; ++j) {
      product += inputs[row * k + j] *
                 (weights[j] - double{matrix.scales[channel]} *
                                   matrix.integers[channel * k + j]);
    }
    loss += product * product;
  }
  return loss;
}

Matrix Inverse(Matrix a) {
  const size_t n = a.size();
  Matrix inverse(n, std::vector<double>(n));
  for (size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  for (size_t i = 0; i < n; ++i) {
    const double pivot = a[i][i];
    for (size_t j = 0; j < n; ++j) {
      a[i][j] /= pivot;
      inverse[i][j] /= pivot;
    }
    for (size_t row = 0; row < n; ++row) {
      if (row == i) continue;
      const double factor = a[row][i];
      for (size_t j = 0; j < n; ++j) {
        a[row][j] -= factor * a[i][j];
        inverse[row][j] -= factor * inverse[i][j];
      }
    }
  }
  return inverse;
}

// U with a = U' U, upper triangular.
Matrix UpperCholesky(const Matrix& a) {
  const size_t n = a.size();
  Matrix u(n, std::vector<double>(n));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i; j < n; ++j) {
      double left = a[i][j];
      for (size_t l = 0; l < i; ++l) left -= u[l][i] * u[l][j];
      u[i][j] = i == j ? std::sqrt(left) : left / u[i][i];
    }
  }
  return u;
}

// The integers of a channel as the paper's algorithm has them: by the Cholesky
// factor of the inverse, the inputs with the largest sums first.
std::vector<int8_t> ByInverse(WeightType type, std::span<const float> inputs,
                              std::span<const float> weights, float scale) {
  const size_t k = weights.size();
  Matrix sums(k, std::vector<double>(k));
  for (size_t row = 0; row < inputs.size() / k; ++row) {
    for (size_t i = 0; i < k; ++i) {
      for (size_t j = 0; j < k; ++j) {
        sums[i][j] += double{inputs[row * k + i]} * inputs[row * k + j];
      }
    }
  }
  double mean = 0;
  for (size_t i = 0; i < k; ++i) mean += sums[i][i] / static_cast<double>(k);
  std::vector<size_t> order(k);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(
      order, [&](size_t i, size_t j) { return sums[i][i] > sums[j][j]; });
  Matrix ordered = sums;
  for (size_t i = 0; i < k; ++i) {
    for (size_t j = 0; j < k; ++j) ordered[i][j] = sums[order[i]][order[j]];
    ordered[i][i] += 0.1 * mean;
  }
  const Matrix u = UpperCholesky(Inverse(ordered));
  std::vector<double> left(k);
  for (size_t i = 0; i < k; ++i) left[i] = weights[order[i]];
  std::vector<int8_t> integers(k);
  for (size_t i = 0; i < k; ++i) {
    const int8_t q = NearestInteger(type, static_cast<float>(left[i]), scale);
    integers[order[i]] = q;
    const double error = (left[i] - double{scale} * q) / u[i][i];
    for (size_t j = i + 1; j < k; ++j) left[j] -= error * u[i][j];
  }
  return integers;
}

TEST(ErrorFeedbackTest, SumsAreThoseOfAllPairsHoweverRowsCome) {
  constexpr size_t kRows = 71, kColumns = 21;
  const std::vector<float> inputs = CorrelatedInputs(kRows, kColumns);
  Hessian parts(kColumns);
  parts.Add(std::span(inputs).first(3 * kColumns));
  parts.Add(std::span(inputs).subspan(3 * kColumns));
  parts.Finish();
  EXPECT_EQ(parts.rows(), kRows);
  const Hessian whole = HessianOf(inputs, kColumns);
  for (size_t i = 0; i < kColumns; ++i) {
    for (size_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (size_t row = 0; row < kRows; ++row) {
        sum += double{inputs[row * kColumns + i]} * inputs[row * kColumns + j];
      }
      EXPECT_NEAR(parts.At(i, j), sum, 1e-9 * std::fabs(sum) + 1e-9);
      EXPECT_EQ(parts.At(i, j), whole.At(i, j));
    }
  }
}

TEST(ErrorFeedbackTest, RoundsAsTheAlgorithmWithTheInverse) {
  constexpr size_t kChannels = 19, kColumns = 37;
  const std::vector<float> inputs = CorrelatedInputs(300, kColumns);
  const Weights weights(kChannels, kColumns);
  const ErrorFeedback feedback(HessianOf(inputs, kColumns));
  for (const WeightType type : kTypes) {
    const QuantizedMatrix matrix = feedback.Quantize(type, weights.linear());
    const QuantizedMatrix nearest = Nearest(type, weights, kChannels, kColumns);
    EXPECT_EQ(matrix.scales, nearest.scales);
    size_t fed_back = 0;
    for (size_t i = 0; i < kChannels; ++i) {
      const auto* const row = matrix.integers.data() + i * kColumns;
      if (std::equal(row, row + kColumns,
                     nearest.integers.data() + i * kColumns)) {
        continue;
      }
      ++fed_back;
      EXPECT_EQ(std::vector<int8_t>(row, row + kColumns),
                ByInverse(type, inputs, weights.Row(i), matrix.scales[i]))
          << NameOf(type) << ", channel " << i;
    }
    EXPECT_GE(fed_back, kChannels - 2) << NameOf(type);
  }
}

TEST(ErrorFeedbackTest, ProductsOfCorrelatedInputsLoseMuchLess) {
  constexpr size_t kChannels = 24, kColumns = 96;
  const std::vector<float> inputs = CorrelatedInputs(1000, kColumns);
  const Weights weights(kChannels, kColumns);
  const ErrorFeedback feedback(HessianOf(inputs, kColumns));
  for (const WeightType type : kTypes) {
    const QuantizedMatrix matrix = feedback.Quantize(type, weights.linear());
    const QuantizedMatrix nearest = Nearest(type, weights, kChannels, kColumns);
    double before = 0, after = 0;
    for (size_t i = 0; i < kChannels; ++i) {
      before += Loss(inputs, weights.Row(i), nearest, i);
      after += Loss(inputs, weights.Row(i), matrix, i);
    }
    EXPECT_LT(after, before / 2) << NameOf(type);
    EXPECT_LT(matrix.product->error_after, 0.8 * matrix.product->error_before)
        << NameOf(type);
  }
}

TEST(ErrorFeedbackTest, WithoutCorrelationWeightsAreRoundedToTheNearest) {
  constexpr size_t kChannels = 11, kColumns = 40;
  // Only one input at a time is not zero.
  std::vector<float> inputs(kColumns * kColumns);
  for (size_t i = 0; i < kColumns; ++i) {
    inputs[i * kColumns + i] = static_cast<float>(i) + 0.5f;
  }
  const Weights weights(kChannels, kColumns);
  const ErrorFeedback feedback(HessianOf(inputs, kColumns));
  for (const WeightType type : kTypes) {
    const QuantizedMatrix matrix = feedback.Quantize(type, weights.linear());
    EXPECT_EQ(matrix.integers,
              Nearest(type, weights, kChannels, kColumns).integers)
        << NameOf(type);
    EXPECT_EQ(matrix.product->error_after, matrix.product->error_before);
    EXPECT_GT(matrix.product->error_after, 0);
  }
}

TEST(ErrorFeedbackTest, InputsThatAreAlwaysZeroDoNoHarm) {
  constexpr size_t kColumns = 16;
  const Weights weights(3, kColumns);
  const QuantizedMatrix nearest =
      Nearest(WeightType::kInt6, weights, 3, kColumns);
  const std::vector<float> zeros(5 * kColumns);
  EXPECT_EQ(ErrorFeedback(HessianOf(zeros, kColumns))
                .Quantize(WeightType::kInt6, weights.linear())
                .integers,
            nearest.integers);
  std::vector<float> inputs = CorrelatedInputs(200, kColumns);
  for (size_t i = 4; i < inputs.size(); i += kColumns) inputs[i] = 0;
  const QuantizedMatrix matrix =
      ErrorFeedback(HessianOf(inputs, kColumns))
          .Quantize(WeightType::kInt6, weights.linear());
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(matrix.integers[i * kColumns + 4],
              nearest.integers[i * kColumns + 4]);
  }
}

TEST(ErrorFeedbackTest, TheSameInputsGiveTheSameIntegersInTheirRange) {
  constexpr size_t kColumns = 600;  // So many that threads share the sums.
  const std::vector<float> inputs = CorrelatedInputs(100, kColumns);
  const Weights weights(20, kColumns);
  const auto quantize = [&](WeightType type) {
    return ErrorFeedback(HessianOf(inputs, kColumns))
        .Quantize(type, weights.linear())
        .integers;
  };
  for (const auto& [type, least, most] :
       {std::tuple(WeightType::kInt4, -8, 7),
        std::tuple(WeightType::kInt6, -31, 31),
        std::tuple(WeightType::kInt8, -127, 127)}) {
    const std::vector<int8_t> integers = quantize(type);
    EXPECT_THAT(integers, Each(::testing::AllOf(::testing::Ge(least),
                                                ::testing::Le(most))));
    EXPECT_EQ(integers, quantize(type));
  }
}

}  // namespace latimer::error_feedback_test
