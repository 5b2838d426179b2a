// The tokens that may follow the beams of a step.
//
// Log-probabilities need the sum over all logits, so the converter lays out no
// pruned argmax for a model that is searched with beams. If there is one, both
// planes are read, which takes about twice the time. The output matrix is read
// in windows, once for all beams.
#ifndef LATIMER_SEARCH_CHOOSE_BEAMS_H_
#define LATIMER_SEARCH_CHOOSE_BEAMS_H_

#include <cstdint>
#include <span>

#include "search/constraint.h"
#include "transformer/linear.h"

namespace latimer {

// Row i of `input` belongs to rows[i]. Writes its most likely next tokens, with
// their log-probabilities, to the candidates of its beam, and their number to
// counts[i]; among equal ones the lowest id comes first. As in generate(),
// logits become log-probabilities before they are processed as the sentence's
// options say. Works in workspace.logits.
void ChooseCandidates(const StepContext& step, const LinearInput& input,
                      std::span<const StepRow> rows, uint32_t* counts);

}  // namespace latimer

#endif  // LATIMER_SEARCH_CHOOSE_BEAMS_H_
