// Speech to text, with a model that reads speech, such as Whisper.
//
//   latimer::Transcriber transcriber(translator);  // That has loaded one.
//   auto transcription = transcriber.Transcribe(samples);
//   if (transcription.ok()) Write(transcription->text);
#ifndef LATIMER_TRANSCRIBER_H_
#define LATIMER_TRANSCRIBER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "latimer/status.h"
#include "latimer/translation.h"
#include "latimer/translator.h"

namespace latimer {

struct TranscribeOptions {
  // What is spoken, by a code of ModelInfo::languages, such as "en". Empty: the
  // most likely language. A model of English alone takes only "en".
  std::string_view language = {};
  // Whether to write English, whatever is spoken, which a model of several
  // languages can do.
  bool translate = false;
  // Whether to encode no more than what was spoken, instead of silence up to
  // the end of the window: the time follows the length of the speech. The model
  // was not trained so, and the text may differ.
  bool short_window = false;
  // Generated tokens; absent: as many as half of the positions that the model
  // has room for, as in the original.
  std::optional<uint32_t> max_tokens = {};
  // As in TranslateOptions.
  const std::atomic<bool>* cancel = nullptr;
  TokenCallback on_token = nullptr;
  void* token_context = nullptr;
};

// Views the workspace and the image, until the next call of the translator or
// the transcriber.
struct Transcription {
  // Without space at its ends. Empty if nothing is said: if no_speech is above
  // 0.6 and the mean log-probability of the tokens below -1.
  std::string_view text;
  // A code of ModelInfo::languages; empty if the model is of English alone.
  std::string_view language;
  // That of the language, among all languages; 1 if it was given.
  float language_probability = 1.0f;
  // The probability that the window has no speech, as the model sees it.
  float no_speech = 0.0f;
  // Without those that the model was steered with.
  std::span<const int32_t> tokens;
  StopReason stop_reason = StopReason::kEos;
};

// Transcribes with a translator that has loaded a model that reads speech. Not
// thread-safe. The translator must outlive it.
class Transcriber {
 public:
  // Of the samples that the model hears, per second.
  static constexpr uint32_t kSampleRate = 16000;
  // The longest window that any model hears at once: 30 seconds.
  static constexpr size_t kMostSamples = size_t{30} * kSampleRate;

  // Borrows the translator.
  explicit Transcriber(Translator& translator) : translator_(translator) {}

  // The samples of the longest window that this model hears at once. 0: no
  // model is loaded, or it does not read speech.
  size_t window_samples() const;

  // Transcribes one window: one channel of samples from -1 to 1 at kSampleRate.
  // Errors: kFailedPrecondition (no model that reads speech, or sentences are
  // under way), kInvalidArgument (no samples or more than a window, or what the
  // options name is not in the model), kTextTooLong.
  Result<Transcription> Transcribe(std::span<const float> samples,
                                   const TranscribeOptions& options = {});

 private:
  Translator& translator_;
};

}  // namespace latimer

#endif  // LATIMER_TRANSCRIBER_H_
