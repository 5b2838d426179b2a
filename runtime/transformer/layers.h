// The sublayers that encoder and decoder share. Each works in place on the
// residual stream x [rows, D]:
//   post-norm: x = Norm(x + f(x))
//   pre-norm:  x = x + f(Norm(x))
//   both:      x = x + Norm(f(Norm(x)))
// as in "Attention Is All You Need" (Vaswani et al., 2017) and its successors.
// Without residual, "x +" is left out; without norms, Norm(x) = x.
#ifndef LATIMER_TRANSFORMER_LAYERS_H_
#define LATIMER_TRANSFORMER_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/linear.h"
#include "transformer/step_context.h"

namespace latimer {

// What a token's row is made of.
struct EmbeddingLayer {
  const Linear& matrix;    // [V, D]
  const float* positions;  // [positions, D]; null if the model has none
  const Norm& norm;
  bool norm_first;  // Whether the norm comes before the positions.
};

// x [tokens.size(), D] = matrix[token] * embedding_scale + positions[first +
// i], then the embedding norm if the model has one; with norm_first, before the
// positions. The row of token -1 is zero.
void Embed(const StepContext& step, const EmbeddingLayer& layer,
           std::span<const int32_t> tokens, size_t first_position, float* x);

// What a sublayer reads: x itself, or, with pre-norm, its norm, which is
// written to workspace.sublayer.
const float* SublayerInput(const StepContext& step, const Norm& norm,
                           size_t rows, const float* x);

// Adds the sublayer's output to x and, with post-norm, normalizes. With norms
// of both, the output is normalized in place before.
void FinishSublayer(const StepContext& step, const SublayerNorm& norm,
                    size_t rows, float* output, float* x);

// x = Norm(x).
void Normalize(const StepContext& step, const Norm& norm, size_t rows,
               float* x);

// The weights of one feed-forward sublayer.
struct FeedForwardLayer {
  const Linear& in;   // [F, D]; with gates [2F, D]
  const Linear& out;  // [D, F]
  const SublayerNorm& norm;
};

// One feed-forward sublayer. Works in workspace.projection and
// workspace.sublayer.
void FeedForward(const StepContext& step, const FeedForwardLayer& layer,
                 size_t rows, float* x);

// The weights of one attention sublayer.
struct AttentionLayer {
  const Linear& in;   // [3A, D]: query, key, value; cross-attention [A, D]
  const Linear& out;  // [D, A]
  const SublayerNorm& norm;
};

// One attention sublayer. attend(projected, out) receives the projection [rows,
// in.n], which it may change, and writes out [rows, A]; its time counts as
// `operation`. Works in workspace.projection and workspace.sublayer.
template <typename Attend>
void AttentionSublayer(const StepContext& step, const AttentionLayer& layer,
                       Operation operation, size_t rows, float* x,
                       const Attend& attend) {
  const float* input = SublayerInput(step, layer.norm, rows, x);
  float* projected = step.workspace.projection;
  ApplyLinear(step, layer.in, input, rows, projected);
  step.trace.Lap(Operation::kQkv);
  float* attended = step.workspace.sublayer;
  attend(projected, attended);
  step.trace.Lap(operation);
  float* output = step.workspace.projection;
  ApplyLinear(step, layer.out, attended, rows, output);
  step.trace.Lap(Operation::kAttentionOut);
  FinishSublayer(step, layer.norm, rows, output, x);
}

struct Heads {
  uint32_t count;
  uint32_t dim;
  float scale;

  size_t width() const { return size_t{count} * dim; }
};
Heads EncoderHeads(const Architecture& a);
Heads DecoderHeads(const Architecture& a);

// Turns queries and keys side by side, 2 * heads.width() floats, to the angles
// of their position: `rotation` [heads.dim] has the cosines, then the sines.
void Rotate(const Heads& heads, const float* rotation, float* x);

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
  // With beams, key and value t are in row t * beams + ancestors[t]. Null: in
  // row t.
  const uint8_t* ancestors = nullptr;
  size_t beams = 1;
  // Scratch for several query rows: AttentionPackedSize() floats per head, or
  // null.
  float* packed = nullptr;
  // Where to note what the row, of which there is one, attends to most.
  AlignedRow aligned = {};
};

// out [rows, A] = multi-head attention of the heads of one of `shards` equal
// shares; the columns of the others are left. Works in the shard's part of
// workspace.attention_scratch.
void AttendHeads(const StepContext& step, const Attention& attention,
                 uint32_t shard, uint32_t shards, float* out);

// Of all heads, row by row, for what is recorded: the kernel then leaves the
// weights of one row, head by head, in its scratch.
void AttendAndTrace(const StepContext& step, const Attention& attention,
                    float* out);

// Attention of fewer multiplications than this, scores and weighted sum
// together, is not split: a microsecond or two on one core.
constexpr uint64_t kSmallestAttentionSplit = 1 << 17;

// The attention of `count` sentences, one after another in `out`:
// attention_of(i) tells that of sentence i. All have the same heads, which are
// split among the threads, so that each head is packed once.
template <typename AttentionOf>
void Attend(const StepContext& step, size_t count,
            const AttentionOf& attention_of, float* out) {
  uint64_t multiplications = 0;
  for (size_t i = 0; i < count; ++i) {
    const Attention attention = attention_of(i);
    const size_t floats = attention.rows * attention.heads.width();
    if (step.trace.attention.Records(attention.kind) ||
        attention.aligned.active()) {
      AttendAndTrace(step, attention, out + i * floats);
      continue;
    }
    multiplications += 2 * uint64_t{floats} * attention.kv_count;
  }
  if (multiplications == 0) return;
  const auto attend = [&](uint32_t shard, uint32_t shards) {
    for (size_t i = 0; i < count; ++i) {
      const Attention attention = attention_of(i);
      if (attention.aligned.active()) continue;
      AttendHeads(step, attention, shard, shards,
                  out + i * attention.rows * attention.heads.width());
    }
  };
  if (multiplications < kSmallestAttentionSplit) return attend(0, 1);
  step.engine.threads.ForEachShard(
      [&](uint32_t shard, uint32_t shards) { attend(shard, shards); });
}

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_LAYERS_H_
