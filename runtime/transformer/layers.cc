#include "transformer/layers.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "transformer/capture.h"
#include "transformer/linear.h"

namespace latimer {
namespace {

// Encoders with fewer query rows than this per thread are not split.
constexpr size_t kSmallestRowSplit = 16;

// Each part of a task has its own scores.
float* ScoresOf(Workspace& workspace, uint32_t part) {
  constexpr size_t kPerThread =
      Elements(Buffer::kScores, sizeof(float)) / kProfile.threads;
  static_assert(kPerThread >= AttentionScratchSize(kProfile.heads,
                                                   kProfile.source_tokens) &&
                kPerThread >= AttentionScratchSize(kProfile.heads,
                                                   kProfile.target_tokens));
  return workspace.scores + part * kPerThread;
}

bool HasNorm(const RunContext& context, NormPosition position) {
  const Architecture& a = context.model.info.architecture;
  return a.norm_kind != NormKind::kNone && a.norm_position == position;
}

// out = Norm(x [+ residual]); there is one.
void AddNorm(RunContext& context, const Norm& norm, size_t rows, const float* x,
             const float* residual, float* out) {
  const Architecture& a = context.model.info.architecture;
  const auto add_norm = a.norm_kind == NormKind::kUnbiasedStd
                            ? context.vector->add_std_norm
                            : context.vector->add_layer_norm;
  add_norm(rows, a.d_model, x, residual, norm.gamma, norm.beta, a.norm_epsilon,
           out);
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
  if (a.embedding_norm) Normalize(context, norm, count, x);
}

const float* SublayerInput(RunContext& context, const Norm& norm, size_t rows,
                           const float* x) {
  if (!HasNorm(context, NormPosition::kPre)) return x;
  float* normalized = context.workspace->sublayer;
  AddNorm(context, norm, rows, x, nullptr, normalized);
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
}

void Normalize(RunContext& context, const Norm& norm, size_t rows, float* x) {
  if (context.model.info.architecture.norm_kind == NormKind::kNone) return;
  AddNorm(context, norm, rows, x, nullptr, x);
}

void FeedForward(RunContext& context, const Linear& in, const Linear& out,
                 const Norm& norm, size_t rows, float* x) {
  Workspace& workspace = *context.workspace;
  const size_t d = context.model.info.architecture.d_model;
  const float* input = SublayerInput(context, norm, rows, x);
  ApplyLinear(context, in, PrepareInput(context, input, rows, d),
              workspace.projection);
  context.vector->activate(context.model.info.architecture.activation,
                           rows * in.n, workspace.projection);
  ApplyLinear(context, out,
              PrepareInput(context, workspace.projection, rows, in.n),
              workspace.sublayer);
  FinishSublayer(context, norm, rows, workspace.sublayer, x);
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
  const auto attend_rows = [&](size_t begin, size_t end, uint32_t part) {
    if (begin >= end) return;
    const AttentionArgs args = {
        .query_rows = end - begin,
        .heads = heads.count,
        .head_dim = heads.dim,
        .kv_count = kv.count,
        .queries = queries + begin * query_stride,
        .query_stride = query_stride,
        .keys = kv.keys,
        .values = kv.values,
        .kv_stride = kv.stride,
        .scale = heads.scale,
        .scratch = ScoresOf(*context.workspace, part),
        .out = out + begin * width,
        .out_stride = width,
    };
    context.vector->attend(args);
  };
  if (Captures(context, place.kind)) {
    // Row by row: the kernel leaves the weights of one row, head by head, in
    // its scratch.
    const size_t stride = AttentionScratchSize(1, kv.count) / kQueryRows;
    for (size_t row = 0; row < rows; ++row) {
      attend_rows(row, row + 1, 0);
      CaptureRow(context, place.kind, place.layer, place.first_row + row,
                 ScoresOf(*context.workspace, 0), stride);
    }
    return;
  }
  if (rows < kSmallestRowSplit * context.threads.thread_count() ||
      context.threads.thread_count() == 1) {
    attend_rows(0, rows, 0);
    return;
  }
  context.threads.ForEachPart([&](uint32_t part, uint32_t parts) {
    const size_t blocks = (rows + kQueryRows - 1) / kQueryRows;
    const auto bound = [&](size_t i) {
      const size_t row = blocks * i / parts * kQueryRows;
      return row < rows ? row : rows;
    };
    attend_rows(bound(part), bound(part + 1), part);
  });
}

}  // namespace latimer
