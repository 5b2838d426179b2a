// Chooses the most likely next token of each sentence. Among equal logits the
// lowest id wins, as in Hugging Face's generate().
#ifndef LATIMER_SEARCH_CHOOSE_H_
#define LATIMER_SEARCH_CHOOSE_H_

#include <cstdint>
#include <span>

#include "search/sentence.h"
#include "transformer/linear.h"

namespace latimer {

// logits [V, rounded up to a multiple of 16] = the output projection of the
// only row of `input`; with a shortlist -inf outside of it. Null: no shortlist.
void ComputeLogits(const Engine& engine, const LinearInput& input,
                   const uint16_t* shortlist, float* logits);

// tokens[i] = the best next token of sentences[i], which row i of `input` is
// of; a token that is 0 or more is forced and stays. Logits are processed as
// each sentence's options say, and the score is recorded if the sentence wants
// one. Works in workspace.logits; the time goes to `trace`.
void ChooseTokens(const Engine& engine, const LinearInput& input,
                  std::span<Sentence* const> sentences, Workspace& workspace,
                  Trace& trace, int32_t* tokens);

}  // namespace latimer

#endif  // LATIMER_SEARCH_CHOOSE_H_
