// Speech from a file or a pipe, in windows that a model hears at once.
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
  // Windows have up to `window` samples. `pcm_rate`: of raw PCM of 16 bits,
  // mono; 0: a WAV.
  SoundInput(size_t window, uint32_t pcm_rate);

  // The next window; empty at the end. If more follows, it ends in the quietest
  // place of its last third, so that no word is cut if there is a pause. The
  // samples live until the next call. Errors: those of WavReader, and
  // kResourceUnavailable if standard input cannot be read.
  Result<std::span<const float>> Next();

  // Seconds from the beginning to the window that Next returned.
  double seconds() const;

 private:
  Status Fill();

  std::unique_ptr<WavReader> reader_;
  std::vector<float> samples_;  // A window.
  size_t count_ = 0;            // Of them that are there.
  size_t given_ = 0;            // Of them that Next returned.
  uint64_t before_ = 0;         // Samples before them.
  std::vector<char> bytes_;
  std::span<const uint8_t> rest_;  // What of them is not read yet.
  bool ended_ = false;
  Status status_;  // Of the start.
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_SOUND_INPUT_H_
