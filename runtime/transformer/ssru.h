// The Simpler Simple Recurrent Unit that Marian's fast students have in place
// of the decoder's self-attention: NetworkKind::kTransformerSsru.
#ifndef LATIMER_TRANSFORMER_SSRU_H_
#define LATIMER_TRANSFORMER_SSRU_H_

#include <cstdint>
#include <span>

#include "transformer/decoder.h"

namespace latimer {

// The sublayer of decoder layer `layer` on x [rows, D]. The state of each
// layer, [D], is in self_kv of the row's caches.
void SsruSublayer(const StepContext& step, uint32_t layer,
                  std::span<const DecoderRow> rows, float* x);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_SSRU_H_
