// The Simpler Simple Recurrent Unit that Marian's fast students have in place
// of the decoder's self-attention: DecoderKind::kSsru.
#ifndef LATIMER_TRANSFORMER_SSRU_H_
#define LATIMER_TRANSFORMER_SSRU_H_

#include <cstddef>
#include <cstdint>

#include "transformer/run_context.h"

namespace latimer {

// The sublayer of decoder layer `layer` on x [D], for target token number
// `position`; these come in order from 0. The state of each layer, [D], is in
// workspace.self_kv.
void SsruSublayer(RunContext& context, uint32_t layer, size_t position,
                  float* x);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_SSRU_H_
