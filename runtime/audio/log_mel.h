// The features that Whisper hears: the logarithm of the energy in 80 or 128
// bands, 100 frames a second. They equal those of Hugging Face's
// WhisperFeatureExtractor to 1e-4, and have the same bits on every CPU.
#ifndef LATIMER_AUDIO_LOG_MEL_H_
#define LATIMER_AUDIO_LOG_MEL_H_

#include <cstddef>
#include <span>

#include "audio/fft400.h"

namespace latimer {

inline constexpr size_t kSampleRate = 16000;
// From the middle of one frame to that of the next: 10 ms.
inline constexpr size_t kSamplesPerFrame = 160;
// The window that Whisper was trained with: 30 s.
inline constexpr size_t kMaxMelFrames = 3000;
inline constexpr size_t kMaxMelBins = 128;

// What LogMel() writes to while it runs. No call relies on what another left.
struct LogMelScratch {
  static constexpr size_t kFrames = 4;  // At a time: a SIMD element each.

  float samples[(kFrames - 1) * kSamplesPerFrame + fft400::kSize];
  fft400::Complex frames[fft400::kHalf];
  fft400::Complex transformed[fft400::kHalf];
  fft400::F32x4 power[fft400::kSpectrum];
};

// Computes features [frames, bins], frames = features.size() / bins, of a
// window of frames * kSamplesPerFrame samples at 16 kHz: `samples`, of which
// those after the window are ignored, and silence. Whisper's window has
// kMaxMelFrames. A shorter one costs less, here and in the encoder; if it holds
// the whole sound and a frame of silence, its features are those of the longer.
//
// A frame is multiplied with Hann's periodic window; before its beginning and
// after its end the window continues as its mirror image. The power spectrum
// goes through `bins` triangular filters that are evenly spaced on Slaney's mel
// scale and have his norm. With x = log10(max(power, 1e-10)), a feature is
// (max(x, m - 8) + 4) / 4, where m is the largest x of all frames.
//
// Preconditions: bins is 80 or 128, features.size() a multiple of it, and
// frames is from 2 to kMaxMelFrames. Features are finite, even if samples are
// not.
void LogMel(std::span<const float> samples, size_t bins,
            std::span<float> features, LogMelScratch* scratch);

}  // namespace latimer

#endif  // LATIMER_AUDIO_LOG_MEL_H_
