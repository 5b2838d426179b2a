// Sound of any rate to 16 kHz, piece by piece.
#ifndef LATIMER_AUDIO_RESAMPLER_H_
#define LATIMER_AUDIO_RESAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

// A low-pass filter, evaluated where the new samples are. With R the lower of
// the two rates, it is a sinc whose cutoff (-6 dB) is 0.95 R / 2, in a Kaiser
// window of 32 samples of R with beta = 7.857. It passes up to 0.80 R / 2
// within 0.01 dB, and attenuates from 1.11 R / 2 on by 80 dB. So of sound at 48
// kHz the band to 6.4 kHz is unchanged, and what comes from above 8.9 kHz is
// gone.
//
// The sound is not delayed: new sample n is at the time of n / 16000 s, and
// there are as many as lie before the end, with silence before the first sample
// and after the last. The same samples in any pieces give the same bits, on
// every CPU. At 16 kHz nothing is changed but what kMostSample says.
//
// The filter is tabulated for as many places between two samples as the new
// ones need, or else, such as for 11,025 Hz, for 160 or more, and interpolated
// linearly, which costs up to 1e-5 of the loudest sample.
class Resampler {
 public:
  static constexpr uint32_t kLeastRate = 8000;
  static constexpr uint32_t kMostRate = 48000;
  // A sample that is not a number, or larger than this, becomes 0. Samples are
  // usually within 1.
  static constexpr float kMostSample = 65536.0f;

  // Begins a sound. Precondition: kLeastRate <= rate <= kMostRate.
  void Start(uint32_t rate);

  // Takes samples from the front of *in, and writes new ones to `out`. Returns
  // how many: if less than out.size(), *in is empty.
  size_t Push(std::span<const float>* in, std::span<float> out);

  // After the last sample: writes the rest, and returns how many. If that is
  // out.size(), there may be more. Precondition: `out` is not empty.
  size_t Finish(std::span<float> out);

 private:
  // On each side of a new sample, at 48 kHz.
  static constexpr size_t kMostSide = 48;
  // 160 places between two samples at 44.1 kHz.
  static constexpr size_t kTableSize = 160 * 96;

  void MakeTable();
  size_t Write(std::span<float> out);

  uint32_t rate_;
  uint32_t places_;  // New samples lie at multiples of 1 / places_.
  uint32_t step_;    // From one to the next, in such multiples.
  uint32_t place_;   // Of the next one, after the sample before it.
  size_t side_;      // Samples that count, on either side.
  size_t rows_;      // Places that the table has.
  size_t begin_;     // Of what the next new sample needs.
  size_t end_;       // Of the samples.
  size_t silence_;   // Samples of silence that are still to come.
  float samples_[2 * kMostSide + 256];
  float table_[kTableSize];  // [rows_, 2 * side_], one more if rows_ < places_
};

}  // namespace latimer

#endif  // LATIMER_AUDIO_RESAMPLER_H_
