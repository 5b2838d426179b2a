// A network of Gated Recurrent Units (Cho et al., 2014), as PyTorch's nn.GRU
// computes them:
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
//   z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
//   n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
//   h' = (1 - z) * n + z * h
// S source tokens, H columns of a state. The encoder's output is the memory
// [S, memory_width], in caches.cross_kv; the decoder attends to it, before or
// after its step. Except with dot attention, keys [S, K] are computed from the
// memory once per sentence.
//
// In the workspace, `hidden` is [S, max(D, A)], D the widest embedding or state
// and A the width of the encoder's directions or of the keys. `projection`
// holds the gates of the encoder and then the keys, `sublayer` is scratch
// (GruScratchFloats). With one lane, memory and keys stay in `hidden` and
// `projection`; with several lanes they are in `cross_kv`.
#ifndef LATIMER_TRANSFORMER_GRU_H_
#define LATIMER_TRANSFORMER_GRU_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/decoder.h"

namespace latimer {

// Columns of r, z and n side by side.
constexpr size_t GruGates(size_t hidden) { return 3 * hidden; }

// Columns of a key in caches.gru_keys; 0: the memory is the keys.
constexpr size_t GruKeyWidth(const Recurrent& r) {
  return r.attention_function == AttentionFunction::kDot ? 0
                                                         : r.attention_hidden;
}

// State [H] of a decoder layer among `states` [L, H]. Those of a sentence are
// at the beginning of caches.self_kv before its first step.
inline float* GruState(const Recurrent& r, float* states, uint32_t layer) {
  return states + size_t{layer} * r.decoder_hidden;
}

// after [H] = h' for before [H] = h. `input` [3H] is W_i x + b_i, `hidden` are
// W_h and b_h, `gates` [3H] is scratch. `after` may be `before`.
void StepGru(const Engine& engine, const Linear& hidden, const float* input,
             const float* before, float* gates, float* after,
             const Buffers& workspace);

// Reads source ids [S]. Writes the memory to caches.cross_kv, which may be
// workspace.hidden, and the first state of each decoder layer to its GruState.
void RunGruEncoder(const Engine& engine, std::span<const int32_t> source,
                   const SentenceCaches& caches, const Buffers& workspace,
                   Trace& trace);

// gru_keys [S, attention_hidden] = the keys of the memory, unless it is the
// keys itself. Once per sentence.
void FillGruKeys(const Engine& engine, const SentenceCaches& caches,
                 const Buffers& workspace);

// attended [memory_width] = the mean of the memory's rows, weighted by the
// softmax of their attention for `query` [decoder_hidden], in the step of
// `row`. `scratch` has 2 attention_hidden floats.
void AttendGruMemory(const Engine& engine, const DecoderRow& row,
                     const float* query, float* scratch, float* attended,
                     const Buffers& workspace, Trace& trace);

// StepDecoder (network.h) of a network of GRUs: changes each GruState.
DecoderOutput StepGruDecoder(const Engine& engine,
                             std::span<const DecoderRow> rows,
                             const Buffers& workspace, Trace& trace);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_H_
