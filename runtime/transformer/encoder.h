// The Transformer's encoder: source tokens to encoder_out.
#ifndef LATIMER_TRANSFORMER_ENCODER_H_
#define LATIMER_TRANSFORMER_ENCODER_H_

#include <cstdint>
#include <span>

#include "transformer/step_context.h"

namespace latimer {

// Returns encoder_out [S, D] of source ids [S], in workspace.hidden. `scratch`
// has L * S * 2A floats, L and A being the decoder's layers and attention
// width; its contents after the call are unspecified.
const float* RunEncoder(const StepContext& step,
                        std::span<const int32_t> source, float* scratch);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_ENCODER_H_
