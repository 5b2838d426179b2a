#include "audio/log_mel.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "audio/fft400.h"
#include "audio/series.h"
#include "base/check.h"

namespace latimer {
namespace {

using fft400::F32x4;
using fft400::I32x4;

constexpr size_t kFrames = LogMelScratch::kFrames;
constexpr size_t kFrameSize = fft400::kSize;  // 25 ms
constexpr size_t kSpectrum = fft400::kSpectrum;

F32x4 LoadFour(const float* p) {
  F32x4 v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
void StoreFour(F32x4 v, float* p) { std::memcpy(p, &v, sizeof(v)); }

void Transpose(F32x4 (&v)[4]) {
  const F32x4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  const F32x4 b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
  const F32x4 c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  const F32x4 d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// b where either is NaN.
F32x4 Larger(F32x4 a, F32x4 b) { return a > b ? a : b; }

// log10(x) of normal, positive x; absolute error below 3e-6. Infinity counts as
// 2^128.
F32x4 Log10(F32x4 x) {
  // x = m 2^exponent, m from the root of 1/2 to that of 2
  const I32x4 bits = (I32x4)x;
  const I32x4 exponent = (bits - 0x3f3504f3) >> 23;
  const F32x4 m = (F32x4)(bits - (exponent << 23));
  // ln(m) = 2 artanh(s) = 2 (s + s^3 / 3 + s^5 / 5 + ...), |s| < 0.172
  const F32x4 s = (m - 1.0f) / (m + 1.0f);
  const F32x4 square = s * s;
  constexpr double kTwoByLn10 = 0.86858896380650365530;
  constexpr float kC0 = kTwoByLn10, kC1 = kTwoByLn10 / 3, kC2 = kTwoByLn10 / 5,
                  kC3 = kTwoByLn10 / 7, kC4 = kTwoByLn10 / 9;
  const F32x4 sum =
      kC0 + square * (kC1 + square * (kC2 + square * (kC3 + square * kC4)));
  return __builtin_convertvector(exponent, F32x4) * 0.301029995663981195f +
         s * sum;
}

// Hann's periodic window, halved for PowerSpectrum().
struct HalvedWindow {
  alignas(16) float at[kFrameSize] = {};
  constexpr HalvedWindow() {
    for (size_t n = 0; n < kFrameSize; ++n) {
      at[n] = static_cast<float>(
          0.25 - 0.25 * CosPi(2.0 * static_cast<double>(n) / kFrameSize));
    }
  }
};
constexpr HalvedWindow kWindow;

// Hz of a point of Slaney's mel scale: linear below 1,000 Hz, then 27 mel for
// each factor of 6.4.
constexpr double kLn6_4 = 1.85629799036562614;
constexpr double kLn8 = 2.07944154167983593;
constexpr double HzOfMel(double mel) {
  return mel < 15 ? mel * 200 / 3 : 1000 * ExpOf(kLn6_4 / 27 * (mel - 15));
}

// The filters: filter b multiplies `count` numbers of the spectrum, from
// `first` on. Each number is in two filters at most.
struct MelFilters {
  uint8_t first[kMaxMelBins] = {};
  uint8_t count[kMaxMelBins] = {};
  float weights[2 * kSpectrum] = {};

  explicit constexpr MelFilters(size_t bins) {
    const double most = 15 + 27 * kLn8 / kLn6_4;  // of 8,000 Hz
    const double step = most / static_cast<double>(bins + 1);
    constexpr double kHz = static_cast<double>(kSampleRate) / kFrameSize;
    size_t used = 0;
    for (size_t b = 0; b < bins; ++b) {
      const double from = HzOfMel(static_cast<double>(b) * step);
      const double peak = HzOfMel(static_cast<double>(b + 1) * step);
      const double to = HzOfMel(static_cast<double>(b + 2) * step);
      for (size_t k = 0; k < kSpectrum; ++k) {
        const double hz = static_cast<double>(k) * kHz;
        const double up = (hz - from) / (peak - from);
        const double down = (to - hz) / (to - peak);
        const double weight = up < down ? up : down;
        if (weight <= 0) continue;
        if (count[b] == 0) first[b] = static_cast<uint8_t>(k);
        ++count[b];
        weights[used++] = static_cast<float>(weight * 2 / (to - from));
      }
    }
  }
};
constexpr MelFilters kFilters80(80);
constexpr MelFilters kFilters128(128);

// A window of samples: `samples`, then silence up to `size`, with its mirror
// image on either side.
struct Window {
  std::span<const float> samples;
  size_t size;

  float At(ptrdiff_t i) const {
    const auto end = static_cast<ptrdiff_t>(size);
    const auto index = static_cast<size_t>(i < 0     ? -i
                                           : i < end ? i
                                                     : 2 * (end - 1) - i);
    return index < samples.size() ? samples[index] : 0.0f;
  }
};

// Writes log10 of the energies [count, bins] of `count` <= kFrames frames from
// `frame` on.
void LogEnergies(const Window& window, size_t frame, size_t count, size_t bins,
                 float* out, LogMelScratch* scratch) {
  const ptrdiff_t begin = static_cast<ptrdiff_t>(frame * kSamplesPerFrame) -
                          static_cast<ptrdiff_t>(kFrameSize / 2);
  const size_t needed = (count - 1) * kSamplesPerFrame + kFrameSize;
  const float* samples;
  if (begin >= 0 &&
      static_cast<size_t>(begin) + needed <= window.samples.size()) {
    samples = window.samples.data() + begin;
  } else {
    for (size_t i = 0; i < needed; ++i) {
      scratch->samples[i] = window.At(begin + static_cast<ptrdiff_t>(i));
    }
    samples = scratch->samples;
  }
  // If there are fewer than four frames, the last one stands in for the others.
  const float* frames[kFrames];
  for (size_t i = 0; i < kFrames; ++i) {
    frames[i] = samples + std::min(i, count - 1) * kSamplesPerFrame;
  }
  for (size_t n = 0; n < kFrameSize; n += 4) {
    const F32x4 weights = LoadFour(kWindow.at + n);
    F32x4 v[kFrames];
    for (size_t i = 0; i < kFrames; ++i) {
      v[i] = LoadFour(frames[i] + n) * weights;
    }
    Transpose(v);
    scratch->frames[n / 2] = {v[0], v[1]};
    scratch->frames[n / 2 + 1] = {v[2], v[3]};
  }
  F32x4* const power = scratch->power;
  fft400::PowerSpectrum(scratch->frames, scratch->transformed, power);

  const MelFilters& filters = bins == 80 ? kFilters80 : kFilters128;
  const float* weights = filters.weights;
  for (size_t b = 0; b < bins; b += 4) {
    F32x4 v[4];
    for (size_t i = 0; i < 4; ++i) {
      F32x4 sum = {};
      const F32x4* const p = power + filters.first[b + i];
      for (size_t k = 0; k < filters.count[b + i]; ++k)
        sum += p[k] * *weights++;
      v[i] = Log10(Larger(sum, F32x4{} + 1e-10f));
    }
    Transpose(v);
    for (size_t i = 0; i < count; ++i) StoreFour(v[i], out + i * bins + b);
  }
}

}  // namespace

void LogMel(std::span<const float> samples, size_t bins,
            std::span<float> features, LogMelScratch* scratch) {
  LATIMER_CHECK(bins == 80 || bins == 128);
  const size_t frames = features.size() / bins;
  LATIMER_CHECK(features.size() % bins == 0 && frames >= 2 &&
                frames <= kMaxMelFrames);
  const size_t size = frames * kSamplesPerFrame;
  const Window window = {samples.first(std::min(samples.size(), size)), size};
  // Frames that begin after the last sample are silent, and so is what a mirror
  // would show them.
  const size_t heard = std::min(
      frames, (window.samples.size() + kFrameSize / 2 + kSamplesPerFrame - 1) /
                  kSamplesPerFrame);
  float* const out = features.data();
  for (size_t frame = 0; frame < heard; frame += kFrames) {
    LogEnergies(window, frame, std::min(kFrames, heard - frame), bins,
                out + frame * bins, scratch);
  }
  const F32x4 silence = Log10(F32x4{} + 1e-10f);
  for (size_t i = heard * bins; i < features.size(); i += 4) {
    StoreFour(silence, out + i);
  }

  F32x4 largest = silence;
  for (size_t i = 0; i < features.size(); i += 4) {
    largest = Larger(LoadFour(out + i), largest);
  }
  const float peak = std::max(std::max(largest[0], largest[1]),
                              std::max(largest[2], largest[3]));
  const F32x4 least = F32x4{} + (peak - 8.0f);
  for (size_t i = 0; i < features.size(); i += 4) {
    StoreFour((Larger(LoadFour(out + i), least) + 4.0f) * 0.25f, out + i);
  }
}

}  // namespace latimer
