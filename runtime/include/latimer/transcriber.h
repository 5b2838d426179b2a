// Speech to text, with a model that reads speech, such as Whisper.
//
//   latimer::Transcriber transcriber(translator);  // That has loaded one.
//   while (!samples.empty()) {                     // Of one recording.
//     auto transcription = transcriber.Transcribe(samples);
//     if (!transcription.ok()) break;
//     for (const latimer::TranscriptionSegment& s : transcription->segments)
//       Write(s.start, s.end, s.text);
//     samples = samples.subspan(transcription->used_samples);
//   }
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
  // Whether to encode what was spoken and 3 seconds of silence, instead of
  // silence up to the end of the window: the time follows the length of the
  // speech. The model was not trained so, and the text may differ.
  bool short_window = false;
  // Whether the model also writes times: a window has several segments, and the
  // next one begins where the last whole segment ends. Otherwise a window is a
  // segment, and speech that goes on is cut in a pause.
  bool timestamps = true;
  // What the recording is about, or words as they are to be spelled: the first
  // window is read as if this text came before it.
  std::string_view prompt = {};
  // Whether later windows are read as a continuation of the text before them,
  // as the original does, of which the last 223 tokens count.
  bool condition_on_previous_text = true;
  // Whether a text that repeats itself (compression_ratio above 2.4) or that is
  // unlikely (avg_logprob below -1) is replaced by one that is drawn at
  // temperature 0.2, and so on up to 1.0, as in the original; one that is
  // unlikely even then is left out.
  bool fallback = true;
  // Whether segments have words, by the attention of heads that the model
  // names, as in the original; ends of segments move to those of their words.
  // The decoder reads a window's text once more for them.
  bool word_timestamps = false;
  // Generated tokens; absent: as many as half of the positions that the model
  // has room for, as in the original.
  std::optional<uint32_t> max_tokens = {};
  // As in TranslateOptions.
  const std::atomic<bool>* cancel = nullptr;
};

// A word, as it is said, with the marks beside it.
struct TranscriptionWord {
  // Seconds from the beginning of the recording.
  double start = 0.0;
  double end = 0.0;
  // With the space that it begins with: the words of a segment in a row are its
  // text. In languages without spaces, such as Chinese, a character.
  std::string_view text;
  float probability = 0.0f;  // The mean of its tokens'.
};

// What is said from one time to another. The last four numbers are those of the
// window that it is in, as in the original.
struct TranscriptionSegment {
  // Seconds from the beginning of the recording.
  double start = 0.0;
  double end = 0.0;
  // With the space that it begins with: the texts of all segments in a row are
  // the text.
  std::string_view text;
  // Of the text, and with TranscribeOptions::timestamps those of the times.
  std::span<const int32_t> tokens;
  float temperature = 0.0f;  // That they were drawn at; 0: none was drawn.
  // The mean log-probability of the tokens.
  float avg_logprob = 0.0f;
  // The bytes of the window's text, divided by what they compress to.
  float compression_ratio = 0.0f;
  // The probability that the window has no speech, as the model sees it.
  float no_speech_prob = 0.0f;
  // With TranscribeOptions::word_timestamps; of a window, at most
  // Transcriber::kMostWords.
  std::span<const TranscriptionWord> words = {};
};

// Views the workspace and the image, until the next call of the translator or
// the transcriber.
struct Transcription {
  // Of a window, in the order of their times. None if nothing is said: if no
  // sample is louder than 0.0001, or if no_speech_prob is above 0.6 and
  // avg_logprob below -1, as in the original. Segments without letters or
  // digits are left out.
  std::span<const TranscriptionSegment> segments;
  // The samples that have been transcribed: what follows them comes next.
  size_t used_samples = 0;
  // Of all segments, without space at its ends.
  std::string_view text;
  // A code of ModelInfo::languages; empty if the model is of English alone, or
  // if no sample is louder than that.
  std::string_view language;
  // That of the language, among all languages; 1 if it was given.
  float language_probability = 1.0f;
  float no_speech_prob = 0.0f;  // As in the segments.
  // Without those that the model was steered with.
  std::span<const int32_t> tokens;
  StopReason stop_reason = StopReason::kEos;
};

// Transcribes one recording, window by window, with a translator that has
// loaded a model that reads speech. Not thread-safe. The translator must
// outlive it.
class Transcriber {
 public:
  // Of the samples that the model hears, per second.
  static constexpr uint32_t kSampleRate = 16000;
  // The longest window that any model hears at once: 30 seconds.
  static constexpr size_t kMostSamples = size_t{30} * kSampleRate;
  // Of a window; Whisper writes half as many tokens.
  static constexpr size_t kMostWords = 448;

  // Borrows the translator.
  explicit Transcriber(Translator& translator) : translator_(translator) {}

  // The samples of the longest window that this model hears at once. 0: no
  // model is loaded, or it does not read speech.
  size_t window_samples() const;

  // Transcribes the next window: as many of `samples` as the model hears at
  // once. They are what is left of the recording, or at least one sample more
  // than a window, so that it is known whether the recording ends with it: one
  // channel from -1 to 1 at kSampleRate. Errors: kFailedPrecondition (no model
  // that reads speech, or whose words have no times, or sentences are under
  // way), kInvalidArgument (no samples, or what the options name is not in the
  // model), kTextTooLong.
  Result<Transcription> Transcribe(std::span<const float> samples,
                                   const TranscribeOptions& options = {});

 private:
  static constexpr size_t kMostPrevious = 223;

  Translator& translator_;
  uint64_t used_samples_ = 0;  // Of the recording.
  // The last tokens that were written, which the next window continues.
  int32_t previous_[kMostPrevious] = {};
  size_t previous_count_ = 0;
  double last_speech_ = 0.0;  // Where the last words end, in 0.01 seconds.
};

}  // namespace latimer

#endif  // LATIMER_TRANSCRIBER_H_
