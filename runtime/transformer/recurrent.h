// A network of Gated Recurrent Units (Cho et al., 2014), as PyTorch's nn.GRU
// computes them:
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
//   z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
//   n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
//   h' = (1 - z) * n + z * h
// or of Long Short-Term Memory (Hochreiter and Schmidhuber, 1997), as nn.LSTM
// does, where each of i, f, g and o has such sums inside:
//   c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
//   h' = sigmoid(o) * tanh(c')
// S source tokens, H columns of a hidden state. The encoder's output, or a
// projection of it, is the memory [S, memory_width], in caches.cross_kv; the
// decoder attends to it, before or after its step. If the model has a layer for
// the keys [S, K], they are computed from the memory once per sentence. Without
// attention the memory is [1, memory_width], the encoder's last state.
//
// In the workspace, `hidden` is [S, max(D, A)], D the widest embedding or state
// and A the width of the encoder's directions, of the memory or of the keys.
// `projection` holds the gates of the encoder, then the projected memory, and
// then the keys; `sublayer` is scratch (RecurrentScratchFloats). With one lane,
// memory and keys stay in `hidden` and `projection`; with several lanes they
// are in `cross_kv`.
#ifndef LATIMER_TRANSFORMER_RECURRENT_H_
#define LATIMER_TRANSFORMER_RECURRENT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/decoder.h"

namespace latimer {

// x [n] = f(x), of Recurrent::negative_slope. For the activations of
// Recurrent::has_extras.
void ActivateLayer(const Engine& engine, LayerActivation f, size_t n, float* x);

// Columns of a key in caches.recurrent_keys; 0: the memory is the keys.
constexpr size_t RecurrentKeyWidth(const Recurrent& r) {
  return r.keys_layer ? r.attention_hidden : 0;
}

// State [decoder_state] of a decoder layer among `states` [L, decoder_state]: a
// hidden state [H] and, of an LSTM, a cell [H]. Those of a sentence are at the
// beginning of caches.self_kv before its first step.
inline float* RecurrentState(const Recurrent& r, float* states,
                             uint32_t layer) {
  return states + size_t{layer} * r.decoder_state();
}

// A state of one layer and direction: [H] each.
struct CellState {
  float* hidden;
  float* cell;  // LSTM
};
inline CellState StateAt(float* state, size_t h) { return {state, state + h}; }

// after = (h', c') for before = (h, c). `input` [gates * H] is W_i x + b_i,
// `hidden` are W_h and b_h, `gates` [gates * H] is scratch. `after` may be
// `before`, or have one of its members.
void StepCell(const StepContext& step, const Linear& hidden, const float* input,
              const CellState& before, float* gates, const CellState& after);

// Reads source ids [S]. Writes the memory to caches.cross_kv, which may be
// workspace.hidden, and the first state of each decoder layer to its
// RecurrentState.
void RunRecurrentEncoder(const StepContext& step,
                         std::span<const int32_t> source,
                         const SentenceCaches& caches);

// recurrent_keys [S, attention_hidden] = the keys of the memory, unless it is
// the keys itself. Once per sentence.
void FillRecurrentKeys(const StepContext& step, const SentenceCaches& caches);

// attended [memory_width] = the mean of the memory's rows, weighted by the
// softmax of their attention for `query` [decoder_hidden], in the step of
// `row`. `scratch` has 2 attention_hidden floats.
void AttendRecurrentMemory(const StepContext& step, const DecoderRow& row,
                           const float* query, float* scratch, float* attended);

// StepDecoder (network.h) of a recurrent network: changes each
// RecurrentState.
DecoderOutput StepRecurrentDecoder(const StepContext& step,
                                   std::span<const DecoderRow> rows);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_RECURRENT_H_
