// A sound to test and measure with, the same to the bit on every machine.
#ifndef LATIMER_REPORT_TEST_SOUND_H_
#define LATIMER_REPORT_TEST_SOUND_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latimer {

// Samples at 16 kHz of so many positions of an encoder, 20 ms each: sawtooths
// that rise from 60 to 600 Hz, twice a second, every other one softer.
inline std::vector<float> TestSound(size_t positions) {
  constexpr uint32_t kSamplesPerPosition = 320, kSweep = 8000;
  std::vector<float> samples(positions * kSamplesPerPosition);
  uint32_t phase = 0;  // 65,536 is a period.
  for (uint32_t i = 0; i < samples.size(); ++i) {
    phase += 256 + i % kSweep * 2200 / kSweep;
    const auto level = static_cast<float>(phase % 65536) / 65536 - 0.5f;
    samples[i] = i / kSweep % 2 == 0 ? level : level / 4;
  }
  return samples;
}

}  // namespace latimer

#endif  // LATIMER_REPORT_TEST_SOUND_H_
