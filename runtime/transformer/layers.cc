#include "transformer/layers.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// Each shard has its own scratch.
float* ScratchOf(const Buffers& workspace, uint32_t shard) {
  constexpr size_t kPerThread =
      Elements(Buffer::kAttentionScratch, sizeof(float)) / kProfile.threads;
  static_assert(kPerThread >= AttentionScratchSize(kProfile.heads,
                                                   kProfile.source_rows()) &&
                kPerThread >= AttentionScratchSize(kProfile.heads,
                                                   kProfile.target_tokens));
  return workspace.attention_scratch + shard * workspace.scratch_stride;
}

bool HasNorm(const Architecture& a, NormPosition position) {
  return a.norm_kind != NormKind::kNone && a.norm_position == position;
}

bool NormalizesInput(const Architecture& a) {
  return HasNorm(a, NormPosition::kPre) ||
         (kProfile.output_norms && HasNorm(a, NormPosition::kBoth));
}

// out = Norm(x), or Norm(x + residual) unless `residual` is null. Precondition:
// the model has norms.
void AddNorm(const Engine& engine, const Norm& norm, size_t rows,
             const float* x, const float* residual, float* out) {
  const Architecture& a = engine.architecture();
  if constexpr (kProfile.rms_norm) {
    if (a.norm_kind == NormKind::kRms) {
      engine.vector->add_rms_norm(rows, a.d_model, x, residual, norm.gamma,
                                  a.norm_epsilon, out);
      return;
    }
  }
  const auto add_norm = a.norm_kind == NormKind::kUnbiasedStd
                            ? engine.vector->add_std_norm
                            : engine.vector->add_layer_norm;
  add_norm(rows, a.d_model, x, residual, norm.gamma, norm.beta, a.norm_epsilon,
           out);
}

// Replaces rows of gate and input side by side, [rows, 2F], by rows of
// activation(gate) * input, [rows, F], in place. No row is overwritten before
// it is read.
[[maybe_unused]] void Gate(const Engine& engine, size_t rows, size_t f,
                           float* x) {
  const Activation activation = engine.architecture().activation;
  for (size_t row = 0; row < rows; ++row) {
    float* gate = x + row * 2 * f;
    engine.vector->activate(activation, f, gate);
    engine.vector->multiply(f, gate, gate + f, x + row * f);
  }
}

void FeedForwardRows(const StepContext& step, const FeedForwardLayer& layer,
                     size_t rows, float* x) {
  const Architecture& a = step.engine.architecture();
  const float* input = SublayerInput(step, layer.norm, rows, x);
  float* inside = step.workspace.projection;
  ApplyLinear(step, layer.in, input, rows, inside);
  if (kProfile.gated_ffn && a.gated_ffn) {
    Gate(step.engine, rows, layer.out.k, inside);
  } else {
    step.engine.vector->activate(a.activation, rows * layer.out.k, inside);
  }
  ProbeInner(inside, rows * layer.out.k);
  float* output = step.workspace.sublayer;
  ApplyLinear(step, layer.out, inside, rows, output);
  step.trace.Lap(Operation::kFeedForward);
  FinishSublayer(step, layer.norm, rows, output, x);
}

// The biases of an attention, as in AttentionArgs: those of row 0 and head 0,
// and the stride from head to head. Null if it has none.
struct RelativeBias {
  const float* first = nullptr;
  size_t stride = 0;
};

RelativeBias BiasOf(const Model& model, const Attention& attention) {
  const Architecture& a = model.info.architecture;
  const ModelTensors& t = model.tensors;
  if (!kProfile.relative_attention || !a.relative_attention) return {};
  const size_t row = a.relative_bias_per_layer
                         ? size_t{attention.layer} * attention.heads.count
                         : 0;
  // In each row of a table, distance 0 is at index positions - 1.
  switch (attention.kind) {
    case AttentionKind::kEncoder: {
      const size_t stride = 2 * size_t{a.source_positions} - 1;
      return {t.encoder_relative_bias + row * stride +
                  (a.source_positions - 1) - attention.first_row,
              stride};
    }
    case AttentionKind::kDecoder:
      return {t.decoder_relative_bias + row * a.target_positions +
                  (a.target_positions - 1) - attention.first_row,
              a.target_positions};
    case AttentionKind::kCross:
    case AttentionKind::kNone:
      break;
  }
  return {};
}

AttentionArgs ArgsOf(const StepContext& step, const Attention& attention,
                     float* out) {
  const RelativeBias bias = BiasOf(step.engine.model, attention);
  return {
      .query_rows = attention.rows,
      .heads = attention.heads.count,
      .head_dim = attention.heads.dim,
      .kv_count = attention.kv_count,
      .queries = attention.queries,
      .query_stride = attention.query_stride,
      .keys = attention.keys,
      .values = attention.values,
      .kv_stride = attention.kv_stride,
      .scale = attention.heads.scale,
      .scratch = ScratchOf(step.workspace, 0),
      .out = out,
      .out_stride = attention.heads.width(),
      .bias = bias.first,
      .bias_stride = bias.stride,
      .cap = step.engine.architecture().attention_cap,
      .packed = attention.packed,
      .f16_keys = attention.f16_keys,
      .f16_values = attention.f16_values,
      .ancestors = attention.ancestors,
      .beams = attention.beams,
  };
}

}  // namespace

void Embed(const StepContext& step, const EmbeddingLayer& layer,
           std::span<const int32_t> tokens, size_t first_position, float* x) {
  const Architecture& a = step.engine.architecture();
  const size_t d = a.d_model;
  const bool norm_first = kProfile.norm_before_positions && layer.norm_first;
  for (size_t i = 0; i < tokens.size(); ++i) {
    float* row = x + i * d;
    if (tokens[i] < 0) {
      std::fill_n(row, d, 0.0f);
    } else {
      LookUpRow(step.engine.model, layer.matrix,
                static_cast<uint32_t>(tokens[i]), row);
    }
    if (layer.positions != nullptr && !norm_first) {
      step.engine.vector->scale_add(d, row, a.embedding_scale,
                                    layer.positions + (first_position + i) * d,
                                    row);
    } else {
      for (size_t j = 0; j < d; ++j) row[j] *= a.embedding_scale;
    }
  }
  step.trace.Lap(Operation::kEmbedding);
  if (a.embedding_norm) Normalize(step, layer.norm, tokens.size(), x);
  if (!norm_first) return;
  for (size_t i = 0; i < tokens.size(); ++i) {
    step.engine.vector->add(d, layer.positions + (first_position + i) * d,
                            x + i * d);
  }
}

const float* SublayerInput(const StepContext& step, const Norm& norm,
                           size_t rows, const float* x) {
  if (!NormalizesInput(step.engine.architecture())) return x;
  float* normalized = step.workspace.sublayer;
  AddNorm(step.engine, norm, rows, x, nullptr, normalized);
  step.trace.Lap(Operation::kNorm);
  return normalized;
}

void FinishSublayer(const StepContext& step, const SublayerNorm& norm,
                    size_t rows, float* output, float* x) {
  const Architecture& a = step.engine.architecture();
  if constexpr (kProfile.output_norms) {
    if (HasNorm(a, NormPosition::kBoth)) {
      AddNorm(step.engine, norm.output, rows, output, nullptr, output);
    }
  }
  if (HasNorm(a, NormPosition::kPost)) {
    AddNorm(step.engine, norm, rows, output, a.residual ? x : nullptr, x);
  } else if (a.residual) {
    step.engine.vector->add(rows * a.d_model, output, x);
  } else {
    std::memcpy(x, output, rows * a.d_model * sizeof(float));
  }
  step.trace.Lap(Operation::kNorm);
}

void Normalize(const StepContext& step, const Norm& norm, size_t rows,
               float* x) {
  if (step.engine.architecture().norm_kind == NormKind::kNone) return;
  AddNorm(step.engine, norm, rows, x, nullptr, x);
  step.trace.Lap(Operation::kNorm);
}

void FeedForward(const StepContext& step, const FeedForwardLayer& layer,
                 size_t rows, float* x) {
  // The inside may be wider than anything else that the buffer holds [S] of.
  const size_t most = step.workspace.projection_floats / layer.in.n;
  const size_t d = step.engine.architecture().d_model;
  for (size_t begin = 0; begin < rows; begin += most) {
    FeedForwardRows(step, layer, std::min(rows - begin, most), x + begin * d);
  }
}

Heads EncoderHeads(const Architecture& a) {
  return {a.encoder_heads, a.encoder_head_dim, a.encoder_attention_scale};
}

Heads DecoderHeads(const Architecture& a) {
  return {a.decoder_heads, a.decoder_head_dim, a.decoder_attention_scale};
}

void Rotate(const Heads& heads, const float* rotation, float* x) {
  const size_t half = heads.dim / 2;
  const float* cosines = rotation;
  const float* sines = rotation + half;
  for (size_t h = 0; h < 2 * size_t{heads.count}; ++h) {
    float* first = x + h * heads.dim;
    float* second = first + half;
    for (size_t i = 0; i < half; ++i) {
      const float a = first[i], b = second[i];
      first[i] = a * cosines[i] - b * sines[i];
      second[i] = b * cosines[i] + a * sines[i];
    }
  }
}

void AttendHeads(const StepContext& step, const Attention& attention,
                 uint32_t shard, uint32_t shards, float* out) {
  AttentionArgs args = ArgsOf(step, attention, out);
  const size_t begin = args.heads * shard / shards;
  const size_t end = args.heads * (shard + 1) / shards;
  if (begin == end) return;
  const size_t column = begin * args.head_dim;
  const auto skip = [](auto& values, size_t count) {
    if (values != nullptr) values += count;
  };
  args.heads = end - begin;
  args.scratch = ScratchOf(step.workspace, shard);
  skip(args.queries, column);
  skip(args.keys, column);
  skip(args.values, column);
  skip(args.f16_keys, column);
  skip(args.f16_values, column);
  skip(args.out, column);
  skip(args.bias, begin * args.bias_stride);
  skip(args.packed, begin * AttentionPackedSize(args.head_dim, args.kv_count));
  step.engine.vector->attend(args);
}

void AttendAndTrace(const StepContext& step, const Attention& attention,
                    float* out) {
  AttentionArgs one = ArgsOf(step, attention, out);
  one.query_rows = 1;
  for (size_t row = 0; row < attention.rows; ++row) {
    step.engine.vector->attend(one);
    step.trace.attention.AddRow(attention.kind, attention.layer,
                                attention.first_row + row, one.scratch,
                                AttentionScoreStride(one.kv_count));
    if (attention.aligned.active()) {
      attention.aligned.RecordArgmax(step.engine.model.info.alignment.head,
                                     one.heads, one.scratch,
                                     AttentionScoreStride(one.kv_count));
    }
    one.queries += one.query_stride;
    one.out += one.out_stride;
    if (one.bias != nullptr) --one.bias;
  }
}

}  // namespace latimer
