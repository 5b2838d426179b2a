#include "search/log_probability.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "latimer/internal/memory_plan.h"

namespace latimer {
namespace {

constexpr double kLn2 = 0.693147180559945309417;

// 2^n for a normal number.
double PowerOfTwo(int n) {
  return std::bit_cast<double>(static_cast<uint64_t>(n + 1023) << 52);
}

// |x| <= 700
double Exp(double x) {
  const int n = static_cast<int>(x / kLn2 + (x < 0 ? -0.5 : 0.5));
  const double r = x - n * kLn2;
  // Taylor's series; |r| <= 0.35.
  double sum = 1.0;
  for (int i = 17; i > 0; --i) sum = 1.0 + sum * r / i;
  return sum * PowerOfTwo(n);
}

}  // namespace

double Log(double x) {
  // x = m * 2^exponent, 0.7 <= m < 1.42
  const auto bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = x * PowerOfTwo(-exponent);
  if (m > 1.4142135623730951) {
    m /= 2;
    ++exponent;
  }
  // log(m) = 2 artanh(s)
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0.0;
  for (int i = 23; i > 0; i -= 2) sum = sum * square + 1.0 / i;
  return exponent * kLn2 + 2 * s * sum;
}

float Power(size_t base, float exponent) {
  if (exponent == 1.0f) return static_cast<float>(base);
  if (exponent == 0.0f || base == 1) return 1.0f;
  const double log = exponent * Log(static_cast<double>(base));
  if (log > 700) return std::numeric_limits<float>::infinity();
  return log < -700 ? 0.0f : static_cast<float>(Exp(log));
}

void LogSum::Add(const Engine& engine, std::span<const float> logits) {
  while (!logits.empty()) {
    const size_t size = std::min<size_t>(logits.size(), kLogitWindow);
    AddPiece(engine, logits.first(size));
    logits = logits.subspan(size);
  }
}

void LogSum::AddPiece(const Engine& engine, std::span<const float> piece) {
  const VectorKernels& kernels = *engine.vector;
  const float max = piece[kernels.argmax(piece.size(), piece.data())];
  // Also true of NaN.
  if (!(max > -std::numeric_limits<float>::infinity())) return;
  const float sum = kernels.sum_exp(piece.size(), piece.data(), max);
  if (sum_ == 0.0f) {
    max_ = max;
    sum_ = sum;
  } else if (max > max_) {
    sum_ = sum_ * kernels.sum_exp(1, &max_, max) + sum;
    max_ = max;
  } else {
    sum_ += sum * kernels.sum_exp(1, &max, max_);
  }
}

void LogSum::Finish() {
  log_ = sum_ > 0.0f ? static_cast<float>(Log(sum_)) : 0.0f;
}

}  // namespace latimer
