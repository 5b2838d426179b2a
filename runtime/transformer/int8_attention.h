// Attention over the positions of speech in int8 and int6 models. The kernels
// for int8 weights compute both products, Q K^T and P V; keys and values become
// matrices in the model's tile. A window has up to 1,500 positions, which in
// f32 would take most of its time and of the decoder's memory.
//
// Queries, keys and values have 8 bits. Queries have a scale for each row, like
// the inputs of a Linear; keys, too, after their mean has been subtracted,
// which changes no softmax. Values have a scale for each column. P has 16 bits:
// the values are multiplied by its upper 8 bits, and by its lower ones. All
// sums are exact, so every CPU gives the same bits.
#ifndef LATIMER_TRANSFORMER_INT8_ATTENTION_H_
#define LATIMER_TRANSFORMER_INT8_ATTENTION_H_

#include <cstddef>
#include <cstdint>

#include "transformer/caches.h"
#include "transformer/layers.h"

namespace latimer {

// Whether attention to `positions` is computed in int8: the model reads speech,
// its weights are integers, and the matrices need no more memory than keys and
// values, as they would with few positions.
bool AttendsInInt8(const Engine& engine, const Heads& heads, size_t positions);

// Whether an integer model keeps what its decoder attends to in
// PackedCrossBytes, whatever the window's length up to `positions`. Those that
// AttendsInInt8 does not hold for are so short that their floats, of
// `number_bytes`, fit, too.
bool KeepsInt8(const Architecture& architecture, size_t positions,
               size_t number_bytes);

// All of these work in workspace.attention_scratch, and those that attend in
// workspace.quantized.

// out [rows, A] = attention of the encoder's qkv [rows, 3A], whose queries are
// overwritten. `packed` has room for keys and values of a layer.
void AttendInt8(const StepContext& step, const Heads& heads, size_t rows,
                float* qkv, float* packed, float* out);

// Writes kv [source_tokens, 2A] of a decoder's layer to caches.cross_kv.
void FillInt8Cache(const StepContext& step, const Heads& heads, const float* kv,
                   const SentenceCaches& caches, uint32_t layer);

// out [A] = attention of one query [A], which is overwritten, to what
// FillInt8Cache wrote.
void AttendInt8Row(const StepContext& step, const Heads& heads,
                   const SentenceCaches& caches, uint32_t layer, float* query,
                   float* out);

// scores [source_tokens] = those of a query [head_dim] of one head, but for a
// number that all have in common. The query stays.
void ScoreInt8Row(const StepContext& step, const Heads& heads,
                  const SentenceCaches& caches, uint32_t layer, uint32_t head,
                  float* query, float* scores);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_INT8_ATTENTION_H_
