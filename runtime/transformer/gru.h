// The Gated Recurrent Unit (Cho et al., 2014) as PyTorch's nn.GRU computes it:
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
//   z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
//   n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
//   h' = (1 - z) * n + z * h
// Shape letters of models of GRUs: S source tokens, H the columns of a state.
#ifndef LATIMER_TRANSFORMER_GRU_H_
#define LATIMER_TRANSFORMER_GRU_H_

#include <cstdint>

#include "latimer/memory.h"
#include "transformer/caches.h"
#include "transformer/engine.h"

namespace latimer {

// Columns of r, z and n side by side.
constexpr size_t GruGates(size_t hidden) { return 3 * hidden; }

// after [H] = h' for before [H] = h. `input` [3H] is W_i x + b_i, `hidden` are
// W_h and b_h, `gates` [3H] is scratch. `after` may be `before`.
void StepGru(const Engine& engine, const Linear& hidden, const float* input,
             const float* before, float* gates, float* after,
             Workspace& workspace);

// State [H] of a decoder layer, in self_kv.
inline float* GruState(const Recurrent& r, const SentenceCaches& caches,
                       uint32_t layer) {
  return caches.self_kv + size_t{layer} * r.decoder_hidden;
}

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_H_
