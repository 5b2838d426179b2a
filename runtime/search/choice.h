// The ways to choose the next tokens of a step's sentences: parts of
// choose.cc, whose table says when which of them is taken.
#ifndef LATIMER_SEARCH_CHOICE_H_
#define LATIMER_SEARCH_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/constraint.h"
#include "transformer/linear.h"

namespace latimer {

// What a way works with: the arguments of ChooseTokens.
struct Choice {
  const StepContext& step;
  const LinearInput& input;
  std::span<const StepRow> rows;
  int32_t* tokens;

  bool forced(size_t i) const { return rows[i].forced >= 0; }
  Sentence& sentence(size_t i) const { return *rows[i].sentence; }
  const Engine& engine() const { return step.engine; }
  const Linear& output() const { return step.engine.model.tensors.output; }
  float* logits() const {  // [Elements(Buffer::kLogits)]
    return step.workspace.logits;
  }
};

// Each way sets the tokens of all rows that are not forced. They differ in how
// often they read the output matrix, and in how much of it.
//
// One sentence after another.
void ChooseOneByOne(const Choice& choice);
// Reads the output matrix once for all rows, one window of channels at a time.
// The logits of a window fit into the first-level cache. Only in profiles with
// several lanes, which have room for a window of each.
void ChooseFromWindows(const Choice& choice);
// The pruned argmax (pruned_argmax.h).
void ChooseFromBounds(const Choice& choice);

// ---- What they share ----

// Whether the sentence's token depends on all logits, so that only
// ChooseFromAll or windows choose it.
inline bool NeedsAllLogits(const Sentence& sentence) {
  return sentence.scores != nullptr ||
         sentence.options.repetition_penalty != 1.0f || sentence.draws();
}

// The token of row i, by all logits.
int32_t ChooseFromAll(const Choice& choice, size_t i);

struct BestLogit {
  size_t token = 0;
  float logit = kBannedLogit;
};

// The best token of a window, or `best` if none is better.
inline BestLogit Better(const Engine& engine, const LogitWindow& window,
                        const BestLogit& best) {
  const size_t i = engine.vector->argmax(window.size, window.logits);
  if (window.logits[i] > best.logit) {
    return {window.token(i), window.logits[i]};
  }
  return best;
}

}  // namespace latimer

#endif  // LATIMER_SEARCH_CHOICE_H_
