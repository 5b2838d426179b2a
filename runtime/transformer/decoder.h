// The decoder: one target token in, logits of the next one out.
#ifndef LATIMER_TRANSFORMER_DECODER_H_
#define LATIMER_TRANSFORMER_DECODER_H_

#include <cstddef>
#include <cstdint>

#include "transformer/linear.h"
#include "transformer/run_context.h"

namespace latimer {

// Projects encoder_out [S, D] in workspace.hidden to the keys and values that
// every decoder layer attends to, workspace.cross_kv [L, S, 2D]. Once per
// sentence, after RunEncoder; encoder_out is not needed after it. A model of
// GRUs keeps its memory and adds keys, see FillGruKeys.
void FillCrossKv(RunContext& context, size_t source_tokens);

// Feeds target token number `position` (the first is decoder_start at 0).
// Appends a row to workspace.self_kv [L, T, 2D]. Leaves the logits [V] of the
// token that follows in workspace.logits, -inf where workspace.shortlist does
// not allow a token; or what `output` says. Positions come in order from 0.
void StepDecoder(RunContext& context, int32_t token, size_t position,
                 size_t source_tokens, StepOutput output = StepOutput::kLogits);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_DECODER_H_
