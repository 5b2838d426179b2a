// Greedy search: the most likely next token, until EOS or the limit.
#ifndef LATIMER_TRANSFORMER_GREEDY_SEARCH_H_
#define LATIMER_TRANSFORMER_GREEDY_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/run_context.h"

namespace latimer {

// The model's rules with the caller's choices. Spans are borrowed.
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
  // Sequences that may not be produced; see GenerationRules.
  std::span<const int32_t> banned_tokens;
  std::span<const uint32_t> banned_ends;
  // Tokens that may not be produced, within the vocabulary.
  std::span<const int32_t> suppressed;
  // Leave the scores of the tokens in workspace.token_scores, if the profile
  // has them.
  bool scores;
};

// Decodes the sentence whose cross_kv is filled. Writes the generated ids,
// without decoder_start, EOS included when it was produced, to
// workspace.target_tokens and returns their number. Follows the logits
// processors of Hugging Face's generate(), in its order: repetition penalty,
// repeated n-grams, banned sequences, minimum length, the forced first and the
// forced last token, suppressed tokens; among equal logits the lowest id wins.
size_t GreedySearch(RunContext& context, size_t source_tokens,
                    const SearchRules& rules);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GREEDY_SEARCH_H_
