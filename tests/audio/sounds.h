// Sounds that tests/reference/make_audio.py makes in the same way.
#ifndef LATIMER_TESTS_AUDIO_SOUNDS_H_
#define LATIMER_TESTS_AUDIO_SOUNDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "audio/series.h"

namespace latimer {

// Silence of `size` samples at `rate` Hz, to which parts are added: [kind,
// begin, count, amplitude, Hz of a tone]. The same bits on every CPU.
inline std::vector<float> MakeSound(const nlohmann::json& parts, size_t size,
                                    uint64_t rate = 16000) {
  std::vector<double> sound(size);
  for (const nlohmann::json& part : parts) {
    const auto begin = part[1].get<size_t>(), count = part[2].get<size_t>();
    const auto amplitude = part[3].get<double>();
    uint32_t state = 1;
    for (size_t i = 0; i < count && begin + i < size; ++i) {
      double value = 1.0;
      if (part[0] == "tone") {
        const uint64_t phase = part[4].get<uint64_t>() * i % rate;
        value =
            SinPi(2.0 * static_cast<double>(phase) / static_cast<double>(rate));
      } else if (part[0] == "noise") {
        state = state * 1664525 + 1013904223;
        value = static_cast<double>(state >> 8) / 8388608 - 1;
      }
      sound[begin + i] += amplitude * value;
    }
  }
  return {sound.begin(), sound.end()};
}

inline nlohmann::json ReadAudioFixture(const std::string& name) {
  std::ifstream file(LATIMER_SOURCE_DIR "/tests/data/audio/" + name);
  return nlohmann::json::parse(file);
}

}  // namespace latimer

#endif  // LATIMER_TESTS_AUDIO_SOUNDS_H_
