// The encoder: source tokens to encoder_out.
#ifndef LATIMER_TRANSFORMER_ENCODER_H_
#define LATIMER_TRANSFORMER_ENCODER_H_

#include <cstdint>
#include <span>

#include "transformer/run_context.h"

namespace latimer {

// Reads source ids [S], 1 <= S <= the profile's and the model's limit, all
// within the vocabulary. Leaves encoder_out [S, D] in workspace.hidden; a model
// of GRUs its memory in the caches, see RunGruEncoder.
void RunEncoder(RunContext& context, std::span<const int32_t> source,
                const SentenceCaches& caches);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_ENCODER_H_
