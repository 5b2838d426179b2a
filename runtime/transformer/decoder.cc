#include "transformer/decoder.h"

#include <cstring>

#include "base/check.h"
#include "transformer/gru_attention.h"
#include "transformer/gru_decoder.h"
#include "transformer/layers.h"
#include "transformer/linear.h"
#include "transformer/probe.h"
#include "transformer/ssru.h"

namespace latimer {
namespace {

// Both caches are packed by the sizes of the model and sentence at hand, not
// by the profile's, so that only what is used is touched.
float* CrossKv(RunContext& context, const SentenceCaches& caches,
               uint32_t layer) {
  const Architecture& a = context.model.info.architecture;
  const size_t row = 2 * size_t{a.decoder_attention_width()};
  return caches.cross_kv + layer * caches.source_tokens * row;
}

float* SelfKv(RunContext& context, const SentenceCaches& caches,
              uint32_t layer) {
  const Architecture& a = context.model.info.architecture;
  const size_t row = 2 * size_t{a.decoder_attention_width()};
  return caches.self_kv + layer * caches.self_rows * row;
}

using Rows = std::span<const DecoderRow>;

[[maybe_unused]] void SelfAttention(RunContext& context, uint32_t index,
                                    Rows rows, float* x) {
  Workspace& workspace = *context.workspace;
  const Architecture& a = context.model.info.architecture;
  const DecoderLayer& layer = context.model.tensors.decoder[index];
  const size_t d = a.d_model;
  const size_t m = rows.size();
  const Heads heads = DecoderHeads(a);
  const size_t width = heads.width();
  const float* input = SublayerInput(context, layer.self_norm, m, x);
  float* qkv = workspace.projection;
  ApplyLinear(context, layer.self_qkv, PrepareInput(context, input, m, d), qkv);
  context.clock.Lap(Operation::kQkv);
  for (size_t i = 0; i < m; ++i) {
    const size_t position = rows[i].position;
    const float* row = qkv + i * 3 * width;
    float* cache = SelfKv(context, *rows[i].caches, index);
    std::memcpy(cache + position * 2 * width, row + width,
                2 * width * sizeof(float));
    Attend(context, {AttentionKind::kDecoder, index, position}, heads, 1, row,
           3 * width,
           {.keys = cache,
            .values = cache + width,
            .stride = 2 * width,
            .count = position + 1},
           workspace.sublayer + i * width);
  }
  context.clock.Lap(Operation::kSelfAttention);
  float* output = workspace.projection;
  ApplyLinear(context, layer.self_out,
              PrepareInput(context, workspace.sublayer, m, width), output);
  context.clock.Lap(Operation::kAttentionOut);
  FinishSublayer(context, layer.self_norm, m, output, x);
}

[[maybe_unused]] void CrossAttention(RunContext& context, uint32_t index,
                                     Rows rows, float* x) {
  Workspace& workspace = *context.workspace;
  const Architecture& a = context.model.info.architecture;
  const DecoderLayer& layer = context.model.tensors.decoder[index];
  const size_t d = a.d_model;
  const size_t m = rows.size();
  const Heads heads = DecoderHeads(a);
  const size_t width = heads.width();
  const float* input = SublayerInput(context, layer.cross_norm, m, x);
  float* queries = workspace.projection;
  ApplyLinear(context, layer.cross_query, PrepareInput(context, input, m, d),
              queries);
  context.clock.Lap(Operation::kQkv);
  for (size_t i = 0; i < m; ++i) {
    const float* cache = CrossKv(context, *rows[i].caches, index);
    Attend(context, {AttentionKind::kCross, index, rows[i].position}, heads, 1,
           queries + i * width, width,
           {.keys = cache,
            .values = cache + width,
            .stride = 2 * width,
            .count = rows[i].caches->source_tokens},
           workspace.sublayer + i * width);
  }
  context.clock.Lap(Operation::kCrossAttention);
  float* output = workspace.projection;
  ApplyLinear(context, layer.cross_out,
              PrepareInput(context, workspace.sublayer, m, width), output);
  context.clock.Lap(Operation::kAttentionOut);
  FinishSublayer(context, layer.cross_norm, m, output, x);
}

// What stands before the cross-attention. What the profile leaves out is not
// compiled in; Load has refused models that need it.
void SelfSublayer(RunContext& context, uint32_t index, Rows rows, float* x) {
  switch (context.model.info.architecture.network_kind) {
    case NetworkKind::kTransformer:
      if constexpr (kProfile.decoder_self_attention) {
        SelfAttention(context, index, rows, x);
      }
      return;
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.decoder_ssru) {
        SsruSublayer(context, index, rows, x);
      }
      return;
    case NetworkKind::kGru:  // Has no sublayers.
      return;
  }
}

[[maybe_unused]] void FillTransformerCrossKv(RunContext& context,
                                             const SentenceCaches& caches) {
  const Architecture& a = context.model.info.architecture;
  const LinearInput encoder_out = PrepareInput(
      context, context.workspace->hidden, caches.source_tokens, a.d_model);
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    ApplyLinear(context, context.model.tensors.decoder[i].cross_kv, encoder_out,
                CrossKv(context, caches, i));
  }
}

[[maybe_unused]] DecoderOutput StepTransformerDecoder(RunContext& context,
                                                      Rows rows) {
  const Architecture& a = context.model.info.architecture;
  const ModelTensors& t = context.model.tensors;
  float* x = context.workspace->hidden;
  for (size_t i = 0; i < rows.size(); ++i) {
    Embed(context, t.target_embedding, t.target_positions,
          t.target_embedding_norm, &rows[i].token, 1, rows[i].position,
          x + i * a.d_model);
  }
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    const DecoderLayer& layer = t.decoder[i];
    SelfSublayer(context, i, rows, x);
    CrossAttention(context, i, rows, x);
    FeedForward(context, layer.ffn_in, layer.ffn_out, layer.ffn_norm,
                rows.size(), x);
    ProbeOutput(ProbePoint::kDecoderLayer, i, x, rows.size() * a.d_model);
  }
  if (a.final_norm) Normalize(context, t.decoder_norm, rows.size(), x);
  return {x, a.d_model};
}

}  // namespace

void FillCrossKv(RunContext& context, const SentenceCaches& caches) {
  switch (context.model.info.architecture.network_kind) {
    case NetworkKind::kTransformer:
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.transformer()) {
        FillTransformerCrossKv(context, caches);
      }
      return;
    case NetworkKind::kGru:
      if constexpr (kProfile.decoder_gru) FillGruKeys(context, caches);
      return;
  }
}

DecoderOutput StepDecoder(RunContext& context, Rows rows) {
  LATIMER_DCHECK(!rows.empty() && rows.size() <= kProfile.lanes);
  switch (context.model.info.architecture.network_kind) {
    case NetworkKind::kTransformer:
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.transformer()) {
        return StepTransformerDecoder(context, rows);
      }
      break;
    case NetworkKind::kGru:
      if constexpr (kProfile.decoder_gru) return StepGruDecoder(context, rows);
      break;
  }
  return {};
}

}  // namespace latimer
