// Greedy search: the most likely next token, until EOS or the limit.
#ifndef LATIMER_TRANSFORMER_GREEDY_SEARCH_H_
#define LATIMER_TRANSFORMER_GREEDY_SEARCH_H_

#include <cstddef>
#include <cstdint>

#include "transformer/run_context.h"

namespace latimer {

struct SearchLimits {
  // Generated tokens, EOS included; at least 1 and within the profile and the
  // model's position table.
  size_t max_tokens;
  // EOS is not allowed before this many tokens.
  size_t min_tokens;
  // Token forced as number max_tokens; -1: none.
  int32_t forced_last_token;
  // Leave the scores of the tokens in workspace.token_scores, if the profile
  // has them.
  bool scores;
};

// Decodes the sentence whose cross_kv is filled. Writes the generated ids,
// without decoder_start, EOS included when it was produced, to
// workspace.target_tokens and returns their number. Follows the logits
// processors of Hugging Face's generate(): banned sequences, minimum length,
// then the forced last token; among equal logits the lowest id wins.
size_t GreedySearch(RunContext& context, size_t source_tokens,
                    const SearchLimits& limits);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GREEDY_SEARCH_H_
