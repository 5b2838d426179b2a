// Writes the tokens of a window of speech: the greedy search and the sampling
// of OpenAI's DecodingTask.
#ifndef LATIMER_SPEECH_DECODER_H_
#define LATIMER_SPEECH_DECODER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/translation.h"
#include "search/search_options.h"
#include "speech/alignment.h"
#include "transformer/caches.h"
#include "transformer/decoder.h"
#include "transformer/step_context.h"

namespace latimer {

// Of one try.
struct SpeechSearch {
  size_t most_tokens = 0;  // EOS included.
  bool timestamps = false;
  float temperature = 0.0f;  // 0: the most likely tokens.
  uint64_t stream = 0;       // Of random numbers.
  const std::atomic<bool>* cancel = nullptr;
};

struct SpeechTokensFound {
  std::span<const int32_t> tokens;    // Without EOS.
  float mean_log_probability = 0.0f;  // EOS included.
  StopReason stop_reason = StopReason::kLengthLimit;
};

// The decoder of one window. Works in workspace.target_tokens.
class SpeechDecoder {
 public:
  // `ids` count the positions that the encoder has.
  SpeechDecoder(const StepContext& step, std::span<const int32_t> ids,
                uint32_t most_tokens);

  // Encodes the window in workspace.features.
  void Encode() const;

  // Reads what the text is to follow: prompt()[first, size), before which all
  // was read. Returns the probabilities [V] of what comes next.
  std::span<float> Read(size_t first, size_t size);
  // [most_tokens], of which the first are to be written.
  std::span<int32_t> prompt() const { return tokens_; }

  // Continues prompt()[0, prompt_size), of which `read` were read.
  SpeechTokensFound Decode(size_t read, size_t prompt_size,
                           const SpeechSearch& search);

  // Reads `tokens`, [start, text, EOS], and aligns those of the text with the
  // first `positions` of the window: `aligned` has one for each, and a last one
  // for where the text ends. Precondition: the model has speech_heads, and
  // there are at least 2 tokens after `start`, and no more than most_tokens in
  // all. What Decode found stays.
  void Align(std::span<const int32_t> tokens, size_t start, size_t positions,
             std::span<AlignedToken> aligned);

 private:
  // What a search chooses, and its log-probability.
  struct Choice {
    int32_t token;
    double log_probability;
  };

  // Reads tokens[first, tokens.size()); returns the output of as many as were
  // read at once, the last ones.
  DecoderOutput Step(std::span<const int32_t> tokens, size_t first);
  std::span<float> Logits() const;
  std::span<float> Logits(std::span<const int32_t> tokens,
                          bool timestamps) const;
  Choice Choose(std::span<const int32_t> tokens,
                const SpeechSearch& search) const;

  const StepContext& step_;
  std::span<const int32_t> ids_;
  std::span<int32_t> tokens_;
  SentenceCaches caches_;
  const float* read_ = nullptr;  // What the output matrix multiplies.
};

}  // namespace latimer

#endif  // LATIMER_SPEECH_DECODER_H_
