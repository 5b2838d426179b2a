// The decoder of a model of GRUs: one target token in, logits of the next out.
#ifndef LATIMER_TRANSFORMER_GRU_DECODER_H_
#define LATIMER_TRANSFORMER_GRU_DECODER_H_

#include <cstddef>
#include <cstdint>

#include "transformer/linear.h"
#include "transformer/run_context.h"

namespace latimer {

// Feeds target token number `position`; -1: its embedding is zero. Changes each
// layer's GruState and leaves the logits [V] of the token that follows in
// workspace.logits, or what `output` says. The memory and its keys must be
// there; see FillGruKeys.
void StepGruDecoder(RunContext& context, int32_t token, size_t position,
                    size_t source_tokens, StepOutput output);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_DECODER_H_
