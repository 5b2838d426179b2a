// The times that Whisper writes among the tokens of a text: a token for each
// 0.02 seconds of the window. As in OpenAI's ApplyTimestampRules and
// transcribe().
#ifndef LATIMER_SPEECH_TIMESTAMPS_H_
#define LATIMER_SPEECH_TIMESTAMPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/model_description.h"

namespace latimer {

// Bans tokens from the logits of what follows `tokens`, which are those of the
// window so far. The text of a segment is between two timestamps, none of which
// is before another; a window begins with one of its first second. `eos` ends
// the text.
void BanByTimestamps(const SpeechTokens& speech, int32_t eos,
                     std::span<const int32_t> tokens, std::span<float> logits);

// A part of the tokens of a window.
struct TokenSegment {
  std::span<const int32_t> tokens;
  std::span<const int32_t> text;  // Without timestamps at the ends.
  // In steps of 0.02 seconds; nothing: the end of the window.
  uint32_t start_time = 0;
  std::optional<uint32_t> end_time = {};
};

// Finds the segments of a window, one after the other.
class SegmentReader {
 public:
  // Of models without timestamps `first_timestamp` is -1.
  SegmentReader(int32_t first_timestamp, std::span<const int32_t> tokens);

  // The next segment; nothing: there are no more.
  std::optional<TokenSegment> Next();

  // After that: where the next window begins. Nothing: where this one ends.
  std::optional<uint32_t> used_time() const;

 private:
  bool IsTime(size_t i) const { return first_ >= 0 && tokens_[i] >= first_; }
  uint32_t TimeAt(size_t i) const {
    return static_cast<uint32_t>(tokens_[i] - first_);
  }
  // Where the segment that begins at `begin` ends; 0: nowhere.
  size_t FindEnd(size_t begin) const;

  int32_t first_;
  std::span<const int32_t> tokens_;
  bool in_pairs_ = false;  // A timestamp follows another.
  size_t next_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_SPEECH_TIMESTAMPS_H_
