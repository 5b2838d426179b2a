// WAV files and raw PCM, piece by piece, to mono samples at 16 kHz.
#ifndef LATIMER_AUDIO_WAV_READER_H_
#define LATIMER_AUDIO_WAV_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "audio/resampler.h"
#include "latimer/status.h"

namespace latimer {

// Reads a sound from bytes that come in pieces of any size, from a file or a
// pipe. It keeps none of them; all memory is in this object, 64 KB. Start a
// sound, feed its bytes, and finish it.
//
// A WAV is RIFF with PCM of 8, 16, 24 or 32 bits or 32-bit floats, also as
// WAVE_FORMAT_EXTENSIBLE, mono or stereo, at 8,000 to 48,000 Hz. Stereo becomes
// the mean of both channels. Samples are within 1; Resampler::kMostSample says
// which floats become 0. Chunks other than fmt and data are skipped, and so is
// what follows the data.
//
// A data chunk whose size is 0 or from 0x7fffff00 on was written to a pipe and
// ends with the stream. One that is shorter than it says has been cut off: what
// there is counts, without an incomplete sample at its end.
class WavReader {
 public:
  // Begins a WAV.
  void StartWav();

  // Begins raw PCM: 16 bits, signed, little-endian, mono. kInvalidArgument if
  // the rate is not from 8,000 to 48,000.
  Status StartPcm(uint32_t rate);

  // Takes bytes from the front of *bytes, and writes samples to `out`. Returns
  // how many: if less than out.size(), *bytes is empty. kInvalidArgument, with
  // what is wrong and how to convert the file, if it is not such a WAV; after
  // that only a Start function may be called.
  Result<size_t> Feed(std::span<const uint8_t>* bytes, std::span<float> out);

  // After the last byte: writes the rest, and returns how many. If that is
  // out.size(), there may be more. kInvalidArgument if the data has not begun.
  // Precondition: `out` is not empty.
  Result<size_t> Finish(std::span<float> out);

 private:
  // What the next bytes belong to; kAfter: they follow the data.
  enum class State : uint8_t {
    kRiff,
    kChunk,
    kFormat,
    kSkipped,
    kData,
    kAfter
  };

  bool Collect(std::span<const uint8_t>* bytes, size_t size);
  Status Read(std::span<const uint8_t>* bytes);
  Status BeginChunk();
  Status ReadFormat(size_t size);
  void Decode(std::span<const uint8_t>* bytes);
  size_t Resample(std::span<float> out);
  float SampleAt(const uint8_t* bytes) const;

  State state_;
  uint8_t coding_;
  bool has_format_;
  uint8_t channels_;
  uint8_t sample_bytes_;
  uint32_t rate_;
  uint64_t left_;     // Bytes of the chunk, with the one that pads it.
  size_t collected_;  // Bytes of a header, or of a sample of each channel.
  uint8_t bytes_[40];
  size_t begin_, end_;  // Samples that wait for the resampler.
  float samples_[128];
  Resampler resampler_;
};

}  // namespace latimer

#endif  // LATIMER_AUDIO_WAV_READER_H_
