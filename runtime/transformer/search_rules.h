// What greedy search obeys: the model's rules with the caller's choices.
#ifndef LATIMER_TRANSFORMER_SEARCH_RULES_H_
#define LATIMER_TRANSFORMER_SEARCH_RULES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/operation_times.h"
#include "latimer/stop.h"

namespace latimer {

// Spans are borrowed.
struct SearchRules {
  int32_t decoder_start;
  int32_t eos;
  // Token forced as the first; -1: none.
  int32_t forced_first_token;
  // Generated tokens, EOS included; at least 1 and within the profile and the
  // model's position table.
  size_t max_tokens;
  // EOS is not allowed before this many tokens.
  size_t min_tokens;
  // Token forced as number max_tokens; -1: none.
  int32_t forced_last_token;
  // 0: off.
  size_t no_repeat_ngram;
  // 1: off.
  float repetition_penalty;
  // Sequences that may not be produced; see GenerationConfig.
  std::span<const int32_t> banned_tokens;
  std::span<const uint32_t> banned_ends;
  // Tokens that may not be produced, within the vocabulary.
  std::span<const int32_t> suppressed;
  // Leave the scores of the tokens in workspace.token_scores, if the profile
  // has them.
  bool scores;
  // Where the work's times are added; null: no clock is read.
  OperationTimes* times = nullptr;
  // A loop ends the sentence, when it has so many tokens more than usual.
  bool guards_loops = false;
  size_t loop_allowance = 0;
  // What the caller allows: tokens, and the time by MonotonicNanoseconds; 0:
  // as many, as long as it takes.
  size_t budget_tokens = 0;
  uint64_t deadline = 0;
  // Asked before each token; null: nobody ends the sentence.
  const std::atomic<bool>* cancel = nullptr;
  // Told each token; null: nobody is.
  TokenCallback on_token = nullptr;
  void* token_context = nullptr;
};

// What the decoder has read: decoder_start, then the tokens generated.
struct Prefix {
  int32_t start;
  const int32_t* target;
  size_t size;  // decoder_start included

  int32_t operator[](size_t i) const { return i == 0 ? start : target[i - 1]; }
};

// The logits of tokens [first, first + size).
struct LogitWindow {
  float* logits;
  size_t first;
  size_t size;

  // That of a token; null where it is not among them. Of -1 too.
  float* Find(int32_t token) const {
    const size_t i = static_cast<size_t>(token) - first;
    return token >= 0 && i < size ? logits + i : nullptr;
  }
};

// Changes the logits of the token that follows the prefix as the logits
// processors of Hugging Face's generate() do, in its order: repetition penalty,
// repeated n-grams, banned sequences, minimum length, suppressed tokens.
void ApplyRules(const SearchRules& rules, const Prefix& prefix,
                const LogitWindow& window);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_SEARCH_RULES_H_
