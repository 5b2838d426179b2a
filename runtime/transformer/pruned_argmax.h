// The best token without all logits: upper bounds from half of the output
// matrix, then the logits that may be the best; see ops/nibble/planes.h.
#ifndef LATIMER_TRANSFORMER_PRUNED_ARGMAX_H_
#define LATIMER_TRANSFORMER_PRUNED_ARGMAX_H_

#include <cstddef>

#include "transformer/run_context.h"

namespace latimer {

// All for a model with a pruned argmax, after PrepareInput of the row that the
// output matrix multiplies, which must stay until FindBestToken.

// workspace.logits [V] = a bound of each logit from above, and behind them the
// largest of each group of bounds.
void BoundLogits(RunContext& context);

// workspace.logits [V] = the logits.
void UnprunedLogits(RunContext& context);

struct BestToken {
  size_t token;
  float logit;
  size_t computed;  // Logits that were computed to find it.
};

// What argmax of the logits would give, the same token of equal ones and the
// same bits, once BoundLogits was called and the bounds of tokens that may not
// come were set to -inf. All of them: 0 with -inf.
BestToken FindBestToken(RunContext& context);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_PRUNED_ARGMAX_H_
