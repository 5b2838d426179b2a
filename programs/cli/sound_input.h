// Speech from a file or a pipe, at most a window at a time.
#ifndef LATIMER_CLI_SOUND_INPUT_H_
#define LATIMER_CLI_SOUND_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "audio/wav_reader.h"
#include "latimer/status.h"

namespace latimer::cli {

// Reads standard input: a WAV, or raw PCM.
class SoundInput {
 public:
  // Has room for `room` samples. `pcm_rate`: of raw PCM of 16 bits, mono; 0: a
  // WAV.
  SoundInput(size_t room, uint32_t pcm_rate);

  // The next samples: as many as there is room for, or fewer at the end; none
  // after it. They live until the next call. Errors: those of WavReader, and
  // kResourceUnavailable if standard input cannot be read.
  Result<std::span<const float>> Next();

  // Drops the first `count` of the samples that Next returned.
  void Use(size_t count) { used_ = count; }

 private:
  Status Fill();

  std::unique_ptr<WavReader> reader_;
  std::vector<float> samples_;
  size_t count_ = 0;  // Samples that were read.
  size_t used_ = 0;   // Of these, what the next call drops.
  std::vector<char> bytes_;
  std::span<const uint8_t> rest_;  // What of them is not read yet.
  bool ended_ = false;
  Status status_;  // Of the start.
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_SOUND_INPUT_H_
