#include "converter/error_feedback.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "converter/all_cores.h"

namespace latimer {
namespace {

// GPTQ has 0.01, which fits short texts too closely.
constexpr double kDamping = 0.1;
// A smaller matrix is done before more threads have started.
constexpr size_t kLeastInputsToShare = 512;

// Where row i of a triangle begins.
constexpr size_t Triangle(size_t i) { return i * (i + 1) / 2; }

double Dot(const double* a, const double* b, size_t count) {
  double sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (size_t j = 0; j < 8; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
         ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

// Replaces the lower triangle of a positive definite matrix by its Cholesky
// factor.
void Factorize(size_t size, double* triangle) {
  // Each row is read from memory once for this many others.
  constexpr size_t kRows = 16;
  for (size_t begin = 0; begin < size; begin += kRows) {
    const size_t end = std::min(begin + kRows, size);
    for (size_t column = 0; column < end; ++column) {
      const double* const above = triangle + Triangle(column);
      for (size_t i = std::max(begin, column); i < end; ++i) {
        double* const row = triangle + Triangle(i);
        const double left = row[column] - Dot(row, above, column);
        if (i > column) {
          row[column] = left / above[column];
          continue;
        }
        // Not zero or less but by rounding.
        row[column] = std::sqrt(std::max(left, row[column] * 1e-12));
      }
    }
  }
}

}  // namespace

Hessian::Hessian(size_t inputs)
    : inputs_(inputs),
      waits_(blocks() * kRowsAtOnce * kSide),
      sums_(Triangle(blocks()) * kSide * kSide) {}

uint64_t Hessian::BytesFor(size_t inputs) {
  const uint64_t blocks = (inputs + kSide - 1) / kSide;
  return (Triangle(blocks) * kSide + blocks * kRowsAtOnce) * kSide *
         sizeof(double);
}

void Hessian::Add(std::span<const float> rows) {
  LATIMER_CHECK(rows.size() % inputs_ == 0);
  for (; !rows.empty(); rows = rows.subspan(inputs_)) {
    for (size_t i = 0; i < inputs_; ++i) {
      waits_[(i / kSide * kRowsAtOnce + waiting_) * kSide + i % kSide] =
          rows[i];
    }
    ++rows_;
    if (++waiting_ == kRowsAtOnce) Finish();
  }
}

void Hessian::Finish() {
  if (waiting_ == 0) return;
  RunOnAllCores(blocks(), inputs_ < kLeastInputsToShare ? 1 : blocks(), [&] {
    return [&](size_t block_row) { AddBlocks(block_row); };
  });
  waiting_ = 0;
}

void Hessian::AddBlocks(size_t block_row) {
  constexpr size_t kPanel = kRowsAtOnce * kSide;
  const double* const left = waits_.data() + block_row * kPanel;
  double* block = sums_.data() + Triangle(block_row) * kSide * kSide;
  for (size_t column = 0; column <= block_row; ++column) {
    const double* const right = waits_.data() + column * kPanel;
    for (size_t i = 0; i < kSide; i += 2, block += 2 * kSide) {
      double sums[2 * kSide];
      std::copy_n(block, 2 * kSide, sums);
      for (size_t row = 0; row < waiting_; ++row) {
        const double* const x = left + row * kSide + i;
        const double* const y = right + row * kSide;
        for (size_t j = 0; j < kSide; ++j) sums[j] += x[0] * y[j];
        for (size_t j = 0; j < kSide; ++j) sums[kSide + j] += x[1] * y[j];
      }
      std::copy_n(sums, 2 * kSide, block);
    }
  }
}

double Hessian::At(size_t i, size_t j) const {
  if (i < j) std::swap(i, j);
  return sums_[((Triangle(i / kSide) + j / kSide) * kSide + i % kSide) * kSide +
               j % kSide];
}

ErrorFeedback::ErrorFeedback(const Hessian& hessian)
    : order_(hessian.inputs()), factor_(Triangle(hessian.inputs())) {
  const size_t size = order_.size();
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, [&](uint32_t i, uint32_t j) {
    return hessian.At(i, i) < hessian.At(j, j);
  });
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += hessian.At(i, i);
  const double damping =
      sum > 0 ? kDamping * sum / static_cast<double>(size) : 1.0;
  for (size_t i = 0; i < size; ++i) {
    double* const row = factor_.data() + Triangle(i);
    for (size_t j = 0; j <= i; ++j) row[j] = hessian.At(order_[i], order_[j]);
    row[i] += damping;
  }
  Factorize(size, factor_.data());
}

// Chooses the errors of all inputs of some channels, the last row of the factor
// first: choose(i, fed, errors), where `fed` is what the errors before it add
// to the weight of input i. `lost` becomes the sums of squares of the products.
template <typename Choose>
void ErrorFeedback::Walk(const Choose& choose, std::vector<double>* fed,
                         Channels& lost) const {
  fed->assign(order_.size() * kChannels, 0.0);
  std::fill_n(lost, kChannels, 0.0);
  for (size_t i = order_.size(); i-- > 0;) {
    const double* const row = factor_.data() + Triangle(i);
    const double* const here = fed->data() + i * kChannels;
    Channels added, errors;
    for (size_t c = 0; c < kChannels; ++c) added[c] = here[c] / row[i];
    choose(i, added, errors);
    for (size_t c = 0; c < kChannels; ++c) {
      const double product = here[c] + errors[c] * row[i];
      lost[c] += product * product;
    }
    double* sum = fed->data();
    for (size_t j = 0; j < i; ++j, sum += kChannels) {
      const double factor = row[j];
      for (size_t c = 0; c < kChannels; ++c) sum[c] += factor * errors[c];
    }
  }
}

void ErrorFeedback::QuantizeChannels(WeightType type,
                                     const CanonicalLinear& linear,
                                     uint64_t begin, QuantizedMatrix* matrix,
                                     Sums* sums) const {
  const size_t k = order_.size();
  const size_t count =
      std::min<uint64_t>(kChannels, matrix->scales.size() - begin);
  std::vector<float> weights(kChannels * k);
  std::vector<int8_t> fed_back(kChannels * k);
  int8_t* const nearest = matrix->integers.data() + begin * k;
  float scales[kChannels];
  std::fill_n(scales, kChannels, 1.0f);
  for (size_t c = 0; c < count; ++c) {
    const auto row = std::span(weights).subspan(c * k, k);
    linear.ReadRow(begin + c, row);
    scales[c] = QuantizeChannelTo(type, row, {nearest + c * k, k});
    matrix->scales[begin + c] = scales[c];
  }
  // Channels beyond the last one are zero.
  const auto error = [&](size_t c, size_t at, int8_t integer) {
    return double{weights[c * k + at]} - double{scales[c]} * integer;
  };
  std::vector<double> fed;
  Walk(
      [&](size_t i, const Channels&, Channels& errors) {
        for (size_t c = 0; c < kChannels; ++c) {
          errors[c] = weights[c * k + order_[i]];
        }
      },
      &fed, sums->whole);
  Walk(
      [&](size_t i, const Channels&, Channels& errors) {
        for (size_t c = 0; c < kChannels; ++c) {
          const size_t at = order_[i];
          errors[c] = c < count ? error(c, at, nearest[c * k + at]) : 0.0;
        }
      },
      &fed, sums->nearest);
  Walk(
      [&](size_t i, const Channels& added, Channels& errors) {
        for (size_t c = 0; c < kChannels; ++c) {
          const size_t at = order_[i];
          const double wanted = weights[c * k + at] + added[c];
          int8_t& integer = fed_back[c * k + at];
          integer = NearestInteger(type, static_cast<float>(wanted), scales[c]);
          errors[c] = error(c, at, integer);
        }
      },
      &fed, sums->chosen);
  for (size_t c = 0; c < count; ++c) {
    // Clipping may cost more than feedback gains.
    if (sums->chosen[c] < sums->nearest[c]) {
      std::copy_n(fed_back.data() + c * k, k, nearest + c * k);
    } else {
      sums->chosen[c] = sums->nearest[c];
    }
  }
}

QuantizedMatrix ErrorFeedback::Quantize(WeightType type,
                                        const CanonicalLinear& linear) const {
  const uint64_t n = linear.outputs(), k = order_.size();
  LATIMER_CHECK(linear.inputs() == k);
  QuantizedMatrix matrix{std::vector<int8_t>(n * k), std::vector<float>(n)};
  std::vector<Sums> sums((n + kChannels - 1) / kChannels);
  RunOnAllCores(sums.size(), sums.size(), [&] {
    return [&](size_t i) {
      QuantizeChannels(type, linear, i * kChannels, &matrix, &sums[i]);
    };
  });
  SetError(linear, &matrix);
  double whole = 0, nearest = 0, chosen = 0;
  for (const Sums& channels : sums) {
    for (size_t c = 0; c < kChannels; ++c) {
      whole += channels.whole[c];
      nearest += channels.nearest[c];
      chosen += channels.chosen[c];
    }
  }
  matrix.product = ProductError();
  if (whole > 0) {
    matrix.product = {std::sqrt(nearest / whole), std::sqrt(chosen / whole)};
  }
  return matrix;
}

}  // namespace latimer
