// The sublayers that encoder and decoder share. Each works on the residual
// stream x [rows, D] in place:
//   post-norm: x = Norm(x + f(x))
//   pre-norm:  x = x + f(Norm(x))
// as in "Attention Is All You Need" (Vaswani et al., 2017) and its successors.
// Without residual, "x +" is left out; without norms, Norm(x) = x.
#ifndef LATIMER_TRANSFORMER_LAYERS_H_
#define LATIMER_TRANSFORMER_LAYERS_H_

#include <cstddef>
#include <cstdint>

#include "transformer/run_context.h"

namespace latimer {

// x [tokens, D] = embedding[token] * embedding_scale + positions[first + i],
// then the embedding norm where the model has one. The embedding of token -1 is
// zero; `positions` is null where the model has none.
void Embed(RunContext& context, const Linear& embedding, const float* positions,
           const Norm& norm, const int32_t* tokens, size_t count,
           size_t first_position, float* x);

// What the sublayer reads: x itself, or, pre-norm, its norm, in `sublayer`.
const float* SublayerInput(RunContext& context, const Norm& norm, size_t rows,
                           const float* x);

// Adds what the sublayer gave and, post-norm, normalizes.
void FinishSublayer(RunContext& context, const Norm& norm, size_t rows,
                    const float* output, float* x);

// x = Norm(x).
void Normalize(RunContext& context, const Norm& norm, size_t rows, float* x);

// One feed-forward sublayer.
void FeedForward(RunContext& context, const Linear& in, const Linear& out,
                 const Norm& norm, size_t rows, float* x);

// Rows of keys and values, `stride` floats apart.
struct KeyValueRows {
  const float* keys;
  const float* values;
  size_t stride;
  size_t count;
  // For several query rows AttentionPackedSize() floats per head, or null.
  float* packed = nullptr;
};

struct Heads {
  uint32_t count;
  uint32_t dim;
  float scale;

  size_t width() const { return size_t{count} * dim; }
};
Heads EncoderHeads(const Architecture& a);
Heads DecoderHeads(const Architecture& a);

// Which attention of the network it is, and the number of its first query row.
struct AttentionPlace {
  AttentionKind kind;
  uint32_t layer;
  size_t first_row;
};

// out [rows, A] = multi-head attention of queries [rows, `query_stride`] over
// kv, heads split among the threads.
void Attend(RunContext& context, const AttentionPlace& place,
            const Heads& heads, size_t rows, const float* queries,
            size_t query_stride, const KeyValueRows& kv, float* out);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_LAYERS_H_
