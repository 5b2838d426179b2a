// Chooses the most likely next token of each sentence, or draws it. Among equal
// logits the lowest id wins, as in Hugging Face's generate().
#ifndef LATIMER_SEARCH_CHOOSE_H_
#define LATIMER_SEARCH_CHOOSE_H_

#include <cstdint>
#include <span>

#include "search/constraint.h"
#include "search/shortlist.h"
#include "transformer/linear.h"

namespace latimer {

// logits [V] = the output projection of the only row of `input`. Tokens that
// are not allowed get -inf.
void ComputeLogits(const Engine& engine, const LinearInput& input,
                   const AllowedTokens& allowed, float* logits);

// Caps `count` logits, if the model has a cap for them.
inline void CapLogits([[maybe_unused]] const Engine& engine,
                      [[maybe_unused]] size_t count,
                      [[maybe_unused]] float* logits) {
  if constexpr (kProfile.logit_caps) {
    const float cap = engine.architecture().logit_cap;
    if (cap > 0) engine.vector->cap(count, cap, logits);
  }
}

// Whether the allowed rows of the output matrix are gathered for all sentences.
bool AllGathered(std::span<const StepRow> rows);

// Row i of `input` belongs to rows[i], a sentence without beams. Sets tokens[i]
// to the best next token of that sentence, unless it is forced. Logits are
// processed as each sentence's options say, and scores are recorded for a
// sentence that keeps them. Works in workspace.logits.
void ChooseTokens(const StepContext& step, const LinearInput& input,
                  std::span<const StepRow> rows, int32_t* tokens);

// Records the score of the next token of a replay: of the only row of `input`.
// A token that is forced by the model's rules or as a target prefix has
// probability 1; those of a prefix that ends with EOS, a whole translation,
// have that of the model. Which tokens of phrases were forced is not known any
// more, so all have it, too.
void ScoreReplayedToken(const StepContext& step, const LinearInput& input,
                        Sentence& sentence);

}  // namespace latimer

#endif  // LATIMER_SEARCH_CHOOSE_H_
