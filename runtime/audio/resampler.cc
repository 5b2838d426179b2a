#include "audio/resampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "audio/log_mel.h"
#include "audio/series.h"
#include "base/check.h"

namespace latimer {
namespace {

constexpr double kCutoff = 0.95;
constexpr double kBeta = 7.857;    // 80 dB: 0.1102 (80 - 8.7), by Kaiser
constexpr double kHalfWidth = 16;  // Samples of the lower rate.

// The filter, x samples of the lower rate from its middle, without its gain.
double Filter(double x) {
  const double r = x / kHalfWidth;
  if (r <= -1 || r >= 1) return 0;
  const double window = BesselI0(kBeta * kBeta / 4 * (1 - r * r));
  const double turn = kCutoff * x;
  return window * (x == 0 ? 1 : SinPi(turn) / (3.14159265358979323846 * turn));
}

// Eight sums, which the compiler keeps in vectors; n is a multiple of 8.
float Dot(size_t n, const float* x, const float* y) {
  float sums[8] = {};
  for (size_t i = 0; i < n; i += 8) {
    for (size_t j = 0; j < 8; ++j) sums[j] += x[i + j] * y[i + j];
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
         ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

void Resampler::Start(uint32_t rate) {
  LATIMER_CHECK(rate >= kLeastRate && rate <= kMostRate);
  constexpr auto kNewRate = static_cast<uint32_t>(kSampleRate);
  const uint32_t common = std::gcd(rate, kNewRate);
  rate_ = rate;
  places_ = kNewRate / common;
  step_ = rate / common;
  place_ = 0;
  // A multiple of 4, so that a row has one of 8.
  const auto width = static_cast<size_t>(kHalfWidth) * std::max(rate, kNewRate);
  side_ = (width + 4 * kNewRate - 1) / (4 * kNewRate) * 4;
  const size_t most_rows = kTableSize / (2 * side_);
  rows_ = places_ <= most_rows ? places_ : most_rows - 1;
  begin_ = 0;
  end_ = side_ - 1;
  silence_ = side_;
  std::fill_n(samples_, end_, 0.0f);
  if (rate_ != kSampleRate) MakeTable();
}

void Resampler::MakeTable() {
  const double scale =
      rate_ > kSampleRate ? static_cast<double>(kSampleRate) / rate_ : 1.0;
  const size_t rows = rows_ < places_ ? rows_ + 1 : rows_;
  for (size_t row = 0; row < rows; ++row) {
    const double place = static_cast<double>(row) / static_cast<double>(rows_);
    double filter[2 * kMostSide];
    double sum = 0;
    for (size_t i = 0; i < 2 * side_; ++i) {
      filter[i] = Filter(scale * (static_cast<double>(i) - place -
                                  static_cast<double>(side_ - 1)));
      sum += filter[i];
    }
    for (size_t i = 0; i < 2 * side_; ++i) {
      table_[row * 2 * side_ + i] = static_cast<float>(filter[i] / sum);
    }
  }
}

// Writes the new samples for which everything is there, as far as they fit.
size_t Resampler::Write(std::span<float> out) {
  const size_t taps = 2 * side_;
  size_t written = 0;
  for (; written < out.size() && begin_ + taps <= end_; ++written) {
    const float* const x = samples_ + begin_;
    if (rows_ == places_) {
      out[written] = Dot(taps, x, table_ + place_ * taps);
    } else {
      const size_t place = place_ * rows_;
      const float* const row = table_ + place / places_ * taps;
      const float part =
          static_cast<float>(place % places_) / static_cast<float>(places_);
      const float before = Dot(taps, x, row);
      out[written] = before + part * (Dot(taps, x, row + taps) - before);
    }
    place_ += step_;
    begin_ += place_ / places_;
    place_ %= places_;
  }
  return written;
}

size_t Resampler::Push(std::span<const float>* in, std::span<float> out) {
  size_t written = 0;
  for (;;) {
    const bool as_is = rate_ == kSampleRate;
    if (!as_is) written += Write(out.subspan(written));
    if (written == out.size() || in->empty()) return written;
    float* to = out.data() + written;
    size_t room = out.size() - written;
    if (!as_is) {
      // Write() used all but a row's length.
      end_ -= begin_;
      std::memmove(samples_, samples_ + begin_, end_ * sizeof(float));
      begin_ = 0;
      to = samples_ + end_;
      room = std::size(samples_) - end_;
    }
    const size_t count = std::min(room, in->size());
    for (size_t i = 0; i < count; ++i) {
      const float x = (*in)[i];
      to[i] = x >= -kMostSample && x <= kMostSample ? x : 0.0f;
    }
    *in = in->subspan(count);
    (as_is ? written : end_) += count;
  }
}

size_t Resampler::Finish(std::span<float> out) {
  if (rate_ == kSampleRate) return 0;
  static constexpr float kSilence[kMostSide] = {};
  std::span<const float> silence(kSilence, silence_);
  const size_t written = Push(&silence, out);
  silence_ = silence.size();
  return written;
}

}  // namespace latimer
