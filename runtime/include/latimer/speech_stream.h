// Speech of any length, in constant memory, from the bytes of a WAV or of raw
// PCM: transcribed window by window.
//
//   latimer::SpeechStream stream(translator, {}, &Print, nullptr);
//   while (more) status = stream.Push(bytes);
//   status = stream.Finish();
#ifndef LATIMER_SPEECH_STREAM_H_
#define LATIMER_SPEECH_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/profile_config.h"
#include "latimer/status.h"
#include "latimer/transcriber.h"

namespace latimer {

// A recording is a WAV with PCM of 8, 16, 24 or 32 bits or 32-bit floats, mono
// or stereo, at 8 to 48 kHz; or it is raw PCM of 16 bits, little-endian, mono.
// This object has 2 MB, in which it keeps a window of samples.
class SpeechStream {
 public:
  // Receives what is said, window by window. May not use the translator.
  using Receiver = void (*)(void* context, const Transcription& said);

  // Borrows the translator, which has loaded a model, and what `options` view.
  // While options.cancel is true, speech is dropped. `pcm_rate`: samples per
  // second of raw PCM; 0: recordings are WAVs.
  SpeechStream(Translator& translator, const TranscribeOptions& options,
               Receiver receiver, void* context, uint32_t pcm_rate = 0);
  SpeechStream(const SpeechStream&) = delete;
  SpeechStream& operator=(const SpeechStream&) = delete;

  // Takes more of the recording, and transcribes the windows that are now
  // complete. Errors: those of Transcriber::Transcribe, and kInvalidArgument if
  // it is no such recording. The next Push then begins another one.
  Status Push(std::span<const std::byte> bytes);

  // Transcribes what is left. The next Push begins another recording.
  Status Finish();

 private:
  // A sample more than the longest window shows that speech goes on.
  static constexpr size_t kRoom =
      kProfile.speech() ? Transcriber::kMostSamples + 1 : 1;
  static constexpr size_t kReaderBytes = kProfile.speech() ? 66 * 1024 : 1;

  // The samples that are taken before a window is transcribed.
  std::span<float> room() {
    return {samples_ + count_, transcriber_.window_samples() + 1 - count_};
  }
  Status Begin();
  Status TranscribeWindow();

  Translator& translator_;
  Transcriber transcriber_;
  TranscribeOptions options_;
  Receiver receiver_;
  void* context_;
  uint32_t pcm_rate_;
  bool has_begun_ = false;
  size_t count_ = 0;  // Samples that wait.
  alignas(8) std::byte reader_[kReaderBytes];
  float samples_[kRoom];
};

}  // namespace latimer

#endif  // LATIMER_SPEECH_STREAM_H_
