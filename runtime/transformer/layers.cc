#include "transformer/layers.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "transformer/capture.h"
#include "transformer/linear.h"

namespace latimer {
namespace {

// Attention of fewer query rows than this per thread is not split.
constexpr size_t kSmallestRowSplit = 16;

// Each part of a task has its own scores.
float* ScoresOf(Workspace& workspace, uint32_t part) {
  constexpr size_t kPerThread =
      Elements(Buffer::kAttentionScratch, sizeof(float)) / kProfile.threads;
  static_assert(kPerThread >= AttentionScratchSize(kProfile.heads,
                                                   kProfile.source_tokens) &&
                kPerThread >= AttentionScratchSize(kProfile.heads,
                                                   kProfile.target_tokens));
  return workspace.attention_scratch + part * kPerThread;
}

bool HasNorm(const RunContext& context, NormPosition position) {
  const Architecture& a = context.model.info.architecture;
  return a.norm_kind != NormKind::kNone && a.norm_position == position;
}

// out = Norm(x [+ residual]); there is one.
void AddNorm(RunContext& context, const Norm& norm, size_t rows, const float* x,
             const float* residual, float* out) {
  const Architecture& a = context.model.info.architecture;
  if constexpr (kProfile.rms_norm) {
    if (a.norm_kind == NormKind::kRms) {
      context.vector->add_rms_norm(rows, a.d_model, x, residual, norm.gamma,
                                   a.norm_epsilon, out);
      return;
    }
  }
  const auto add_norm = a.norm_kind == NormKind::kUnbiasedStd
                            ? context.vector->add_std_norm
                            : context.vector->add_layer_norm;
  add_norm(rows, a.d_model, x, residual, norm.gamma, norm.beta, a.norm_epsilon,
           out);
}

// Makes rows of activation(gate) * in, [rows, F], of rows of gate and in side
// by side, [rows, 2F], in their place. No row is written over before it is
// read.
[[maybe_unused]] void Gate(const RunContext& context, size_t rows, size_t f,
                           float* x) {
  const Activation activation = context.model.info.architecture.activation;
  for (size_t row = 0; row < rows; ++row) {
    float* gate = x + row * 2 * f;
    context.vector->activate(activation, f, gate);
    context.vector->multiply(f, gate, gate + f, x + row * f);
  }
}

void FeedForwardRows(RunContext& context, const Linear& in, const Linear& out,
                     const Norm& norm, size_t rows, float* x) {
  Workspace& workspace = *context.workspace;
  const Architecture& a = context.model.info.architecture;
  const float* input = SublayerInput(context, norm, rows, x);
  float* inside = workspace.projection;
  ApplyLinear(context, in, PrepareInput(context, input, rows, a.d_model),
              inside);
  if (kProfile.gated_ffn && a.gated_ffn) {
    Gate(context, rows, out.k, inside);
  } else {
    context.vector->activate(a.activation, rows * out.k, inside);
  }
  ApplyLinear(context, out, PrepareInput(context, inside, rows, out.k),
              workspace.sublayer);
  context.clock.Lap(Operation::kFeedForward);
  FinishSublayer(context, norm, rows, workspace.sublayer, x);
}

// The biases of an attention: row 0 of head 0, as AttentionArgs has it; null
// where it has none.
struct RelativeBias {
  const float* first = nullptr;
  size_t stride = 0;
};

RelativeBias BiasOf(const RunContext& context, const AttentionPlace& place) {
  const Architecture& a = context.model.info.architecture;
  const ModelTensors& t = context.model.tensors;
  if (!kProfile.relative_attention || !a.relative_attention) return {};
  // Each row of a table has the distance 0 at its stack's last position.
  switch (place.kind) {
    case AttentionKind::kEncoder:
      return {
          t.encoder_relative_bias + (a.source_positions - 1) - place.first_row,
          2 * size_t{a.source_positions} - 1};
    case AttentionKind::kDecoder:
      return {
          t.decoder_relative_bias + (a.target_positions - 1) - place.first_row,
          a.target_positions};
    case AttentionKind::kCross:
    case AttentionKind::kNone:
      break;
  }
  return {};
}

// Row by row: the kernel then leaves the weights of one row, head by head, in
// its scratch.
void AttendAndCapture(RunContext& context, const AttentionPlace& place,
                      const AttentionArgs& args) {
  for (size_t row = 0; row < args.query_rows; ++row) {
    AttentionArgs one = args;
    one.query_rows = 1;
    one.queries += row * args.query_stride;
    one.out += row * args.out_stride;
    if (one.bias != nullptr) one.bias -= row;
    context.vector->attend(one);
    CaptureRow(context, place.kind, place.layer, place.first_row + row,
               args.scratch, AttentionScoreStride(args.kv_count));
  }
}

}  // namespace

void Embed(RunContext& context, const Linear& embedding, const float* positions,
           const Norm& norm, const int32_t* tokens, size_t count,
           size_t first_position, float* x) {
  const Architecture& a = context.model.info.architecture;
  const size_t d = a.d_model;
  for (size_t i = 0; i < count; ++i) {
    float* row = x + i * d;
    if (tokens[i] < 0) {
      std::fill_n(row, d, 0.0f);
    } else {
      LookUpRow(context, embedding, static_cast<uint32_t>(tokens[i]), row);
    }
    if (positions != nullptr) {
      context.vector->scale_add(d, row, a.embedding_scale,
                                positions + (first_position + i) * d, row);
    } else {
      for (size_t j = 0; j < d; ++j) row[j] *= a.embedding_scale;
    }
  }
  context.clock.Lap(Operation::kEmbedding);
  if (a.embedding_norm) Normalize(context, norm, count, x);
}

const float* SublayerInput(RunContext& context, const Norm& norm, size_t rows,
                           const float* x) {
  if (!HasNorm(context, NormPosition::kPre)) return x;
  float* normalized = context.workspace->sublayer;
  AddNorm(context, norm, rows, x, nullptr, normalized);
  context.clock.Lap(Operation::kNorm);
  return normalized;
}

void FinishSublayer(RunContext& context, const Norm& norm, size_t rows,
                    const float* output, float* x) {
  const Architecture& a = context.model.info.architecture;
  if (HasNorm(context, NormPosition::kPost)) {
    AddNorm(context, norm, rows, output, a.residual ? x : nullptr, x);
  } else if (a.residual) {
    context.vector->add(rows * a.d_model, output, x);
  } else {
    std::memcpy(x, output, rows * a.d_model * sizeof(float));
  }
  context.clock.Lap(Operation::kNorm);
}

void Normalize(RunContext& context, const Norm& norm, size_t rows, float* x) {
  if (context.model.info.architecture.norm_kind == NormKind::kNone) return;
  AddNorm(context, norm, rows, x, nullptr, x);
  context.clock.Lap(Operation::kNorm);
}

void FeedForward(RunContext& context, const Linear& in, const Linear& out,
                 const Norm& norm, size_t rows, float* x) {
  size_t most = rows;
  if constexpr (kProfile.gated_ffn) {
    // The room is for [S, F]; a gated one is twice as wide inside.
    most = (sizeof(context.workspace->projection) - kReadSlackBytes) /
           sizeof(float) / in.n;
  }
  const size_t d = context.model.info.architecture.d_model;
  for (size_t begin = 0; begin < rows; begin += most) {
    FeedForwardRows(context, in, out, norm, std::min(rows - begin, most),
                    x + begin * d);
  }
}

Heads EncoderHeads(const Architecture& a) {
  return {a.encoder_heads, a.encoder_head_dim, a.encoder_attention_scale};
}

Heads DecoderHeads(const Architecture& a) {
  return {a.decoder_heads, a.decoder_head_dim, a.decoder_attention_scale};
}

void Attend(RunContext& context, const AttentionPlace& place,
            const Heads& heads, size_t rows, const float* queries,
            size_t query_stride, const KeyValueRows& kv, float* out) {
  const size_t width = heads.width();
  const RelativeBias bias = BiasOf(context, place);
  const AttentionArgs all = {
      .query_rows = rows,
      .heads = heads.count,
      .head_dim = heads.dim,
      .kv_count = kv.count,
      .queries = queries,
      .query_stride = query_stride,
      .keys = kv.keys,
      .values = kv.values,
      .kv_stride = kv.stride,
      .scale = heads.scale,
      .scratch = ScoresOf(*context.workspace, 0),
      .out = out,
      .out_stride = width,
      .bias = bias.first,
      .bias_stride = bias.stride,
      .packed = kv.packed,
  };
  if (Captures(context, place.kind)) {
    AttendAndCapture(context, place, all);
    return;
  }
  const uint32_t threads = context.threads.thread_count();
  if (threads == 1 || rows < kSmallestRowSplit * threads) {
    context.vector->attend(all);
    return;
  }
  // By heads, so that each is packed once.
  context.threads.ForEachShard([&](uint32_t part, uint32_t parts) {
    const size_t begin = all.heads * part / parts;
    const size_t end = all.heads * (part + 1) / parts;
    if (begin == end) return;
    const size_t column = begin * all.head_dim;
    AttentionArgs some = all;
    some.heads = end - begin;
    some.queries += column;
    some.keys += column;
    some.values += column;
    some.scratch = ScoresOf(*context.workspace, part);
    some.out += column;
    if (some.bias != nullptr) some.bias += begin * some.bias_stride;
    if (some.packed != nullptr) {
      some.packed += begin * AttentionPackedSize(some.head_dim, some.kv_count);
    }
    context.vector->attend(some);
  });
}

}  // namespace latimer
