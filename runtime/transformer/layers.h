// The sublayers that encoder and decoder share. Each works in place on the
// residual stream x [rows, D]:
//   post-norm: x = Norm(x + f(x))
//   pre-norm:  x = x + f(Norm(x))
// as in "Attention Is All You Need" (Vaswani et al., 2017) and its successors.
// Without residual, "x +" is left out; without norms, Norm(x) = x.
#ifndef LATIMER_TRANSFORMER_LAYERS_H_
#define LATIMER_TRANSFORMER_LAYERS_H_

#include <cstddef>
#include <cstdint>

#include "transformer/buffers.h"
#include "transformer/engine.h"
#include "transformer/linear.h"
#include "transformer/trace.h"

namespace latimer {

// x [count, D] = embedding[token] * embedding_scale + positions[first + i],
// then the embedding norm if the model has one. The embedding of token -1 is
// zero; `positions` is null if the model has none.
void Embed(const Engine& engine, const Linear& embedding,
           const float* positions, const Norm& norm, const int32_t* tokens,
           size_t count, size_t first_position, float* x, Trace& trace);

// What a sublayer reads: x itself, or, with pre-norm, its norm, which is
// written to workspace.sublayer.
const float* SublayerInput(const Engine& engine, const Norm& norm, size_t rows,
                           const float* x, const Buffers& workspace,
                           Trace& trace);

// Adds the sublayer's output to x and, with post-norm, normalizes.
void FinishSublayer(const Engine& engine, const Norm& norm, size_t rows,
                    const float* output, float* x, Trace& trace);

// x = Norm(x).
void Normalize(const Engine& engine, const Norm& norm, size_t rows, float* x,
               Trace& trace);

// One feed-forward sublayer. Works in workspace.projection and
// workspace.sublayer.
void FeedForward(const Engine& engine, const Linear& in, const Linear& out,
                 const Norm& norm, size_t rows, float* x,
                 const Buffers& workspace, Trace& trace);

// The weights of one attention sublayer.
struct AttentionLayer {
  const Linear& in;   // [3A, D]: query, key, value; cross-attention [A, D]
  const Linear& out;  // [D, A]
  const Norm& norm;
};

// One attention sublayer. attend(projected, out) receives the projection [rows,
// in.n] and writes out [rows, A]; its time counts as `operation`. Works in
// workspace.projection and workspace.sublayer.
template <typename Attend>
void AttentionSublayer(const Engine& engine, const AttentionLayer& layer,
                       Operation operation, size_t rows, float* x,
                       const Buffers& workspace, Trace& trace,
                       const Attend& attend) {
  const float* input =
      SublayerInput(engine, layer.norm, rows, x, workspace, trace);
  float* projected = workspace.projection;
  ApplyLinear(engine, layer.in, input, rows, workspace, projected);
  trace.Lap(Operation::kQkv);
  float* attended = workspace.sublayer;
  attend(projected, attended);
  trace.Lap(operation);
  float* output = workspace.projection;
  ApplyLinear(engine, layer.out, attended, rows, workspace, output);
  trace.Lap(Operation::kAttentionOut);
  FinishSublayer(engine, layer.norm, rows, output, x, trace);
}

struct Heads {
  uint32_t count;
  uint32_t dim;
  float scale;

  size_t width() const { return size_t{count} * dim; }
};
Heads EncoderHeads(const Architecture& a);
Heads DecoderHeads(const Architecture& a);

// The attention of some query rows of one layer.
struct Attention {
  AttentionKind kind;
  uint32_t layer;
  Heads heads;
  size_t first_row;  // Number of the first query row in its sentence.
  size_t rows;
  const float* queries;  // [rows, A], `query_stride` floats apart.
  size_t query_stride;
  // [kv_count, A], both `kv_stride` numbers apart: as f32, or as f16.
  const float* keys = nullptr;
  const float* values = nullptr;
  const uint16_t* f16_keys = nullptr;
  const uint16_t* f16_values = nullptr;
  size_t kv_stride = 0;
  size_t kv_count;
  // Scratch for several query rows: AttentionPackedSize() floats per head, or
  // null.
  float* packed = nullptr;
};

// out [rows, A] = multi-head attention, heads split among the threads. Works in
// workspace.attention_scratch.
void Attend(const Engine& engine, const Attention& attention, float* out,
            const Buffers& workspace, Trace& trace);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_LAYERS_H_
