#include "transformer/decoder.h"

#include <cstring>

#include "base/check.h"
#include "transformer/gru_attention.h"
#include "transformer/gru_decoder.h"
#include "transformer/layers.h"
#include "transformer/linear.h"
#include "transformer/ssru.h"

namespace latimer {
namespace {

// Both caches are packed by the sizes of the model and sentence at hand, not
// by the profile's, so that only what is used is touched.
float* CrossKv(RunContext& context, uint32_t layer, size_t source_tokens) {
  const Architecture& a = context.model.info.architecture;
  const size_t row = 2 * size_t{a.decoder_attention_width()};
  return context.workspace->cross_kv + layer * source_tokens * row;
}

float* SelfKv(RunContext& context, uint32_t layer) {
  const Architecture& a = context.model.info.architecture;
  const size_t row = 2 * size_t{a.decoder_attention_width()};
  return context.workspace->self_kv + layer * kProfile.target_tokens * row;
}

[[maybe_unused]] void SelfAttention(RunContext& context, uint32_t index,
                                    size_t position, float* x) {
  Workspace& workspace = *context.workspace;
  const Architecture& a = context.model.info.architecture;
  const DecoderLayer& layer = context.model.tensors.decoder[index];
  const size_t d = a.d_model;
  const Heads heads = DecoderHeads(a);
  const size_t width = heads.width();
  const float* input = SublayerInput(context, layer.self_norm, 1, x);
  float* qkv = workspace.projection;
  ApplyLinear(context, layer.self_qkv, PrepareInput(context, input, 1, d), qkv);
  float* cache = SelfKv(context, index);
  std::memcpy(cache + position * 2 * width, qkv + width,
              2 * width * sizeof(float));
  Attend(context, {AttentionKind::kDecoder, index, position}, heads, 1, qkv,
         3 * width,
         {.keys = cache,
          .values = cache + width,
          .stride = 2 * width,
          .count = position + 1},
         workspace.sublayer);
  float* output = workspace.projection;
  ApplyLinear(context, layer.self_out,
              PrepareInput(context, workspace.sublayer, 1, width), output);
  FinishSublayer(context, layer.self_norm, 1, output, x);
}

[[maybe_unused]] void CrossAttention(RunContext& context, uint32_t index,
                                     size_t position, size_t source_tokens,
                                     float* x) {
  Workspace& workspace = *context.workspace;
  const Architecture& a = context.model.info.architecture;
  const DecoderLayer& layer = context.model.tensors.decoder[index];
  const size_t d = a.d_model;
  const Heads heads = DecoderHeads(a);
  const size_t width = heads.width();
  const float* input = SublayerInput(context, layer.cross_norm, 1, x);
  float* query = workspace.projection;
  ApplyLinear(context, layer.cross_query, PrepareInput(context, input, 1, d),
              query);
  const float* cache = CrossKv(context, index, source_tokens);
  Attend(context, {AttentionKind::kCross, index, position}, heads, 1, query,
         width,
         {.keys = cache,
          .values = cache + width,
          .stride = 2 * width,
          .count = source_tokens},
         workspace.sublayer);
  float* output = workspace.projection;
  ApplyLinear(context, layer.cross_out,
              PrepareInput(context, workspace.sublayer, 1, width), output);
  FinishSublayer(context, layer.cross_norm, 1, output, x);
}

// What stands before the cross-attention. What the profile leaves out is not
// compiled in; Load has refused models that need it.
void SelfSublayer(RunContext& context, uint32_t index, size_t position,
                  float* x) {
  switch (context.model.info.architecture.decoder_kind) {
    case DecoderKind::kSelfAttention:
      if constexpr (kProfile.decoder_self_attention) {
        SelfAttention(context, index, position, x);
      }
      return;
    case DecoderKind::kSsru:
      if constexpr (kProfile.decoder_ssru) {
        SsruSublayer(context, index, position, x);
      }
      return;
    case DecoderKind::kGru:  // Has no sublayers.
      return;
  }
}

[[maybe_unused]] void FillTransformerCrossKv(RunContext& context,
                                             size_t source_tokens) {
  const Architecture& a = context.model.info.architecture;
  const LinearInput encoder_out = PrepareInput(
      context, context.workspace->hidden, source_tokens, a.d_model);
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    ApplyLinear(context, context.model.tensors.decoder[i].cross_kv, encoder_out,
                CrossKv(context, i, source_tokens));
  }
}

[[maybe_unused]] void StepTransformerDecoder(RunContext& context, int32_t token,
                                             size_t position,
                                             size_t source_tokens,
                                             StepOutput output) {
  const Architecture& a = context.model.info.architecture;
  const ModelTensors& t = context.model.tensors;
  float* x = context.workspace->hidden;
  Embed(context, t.target_embedding, t.target_positions,
        t.target_embedding_norm, &token, 1, position, x);
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    const DecoderLayer& layer = t.decoder[i];
    SelfSublayer(context, i, position, x);
    CrossAttention(context, i, position, source_tokens, x);
    FeedForward(context, layer.ffn_in, layer.ffn_out, layer.ffn_norm, 1, x);
  }
  if (a.final_norm) Normalize(context, t.decoder_norm, 1, x);
  ComputeOutput(context, x, a.d_model, output);
}

}  // namespace

void FillCrossKv(RunContext& context, size_t source_tokens) {
  switch (context.model.info.architecture.decoder_kind) {
    case DecoderKind::kSelfAttention:
    case DecoderKind::kSsru:
      if constexpr (kProfile.transformer()) {
        FillTransformerCrossKv(context, source_tokens);
      }
      return;
    case DecoderKind::kGru:
      if constexpr (kProfile.decoder_gru) FillGruKeys(context, source_tokens);
      return;
  }
}

void StepDecoder(RunContext& context, int32_t token, size_t position,
                 size_t source_tokens, StepOutput output) {
  const Architecture& a = context.model.info.architecture;
  LATIMER_DCHECK(position < kProfile.target_tokens &&
                 position < a.target_positions);
  switch (a.decoder_kind) {
    case DecoderKind::kSelfAttention:
    case DecoderKind::kSsru:
      if constexpr (kProfile.transformer()) {
        StepTransformerDecoder(context, token, position, source_tokens, output);
      }
      return;
    case DecoderKind::kGru:
      if constexpr (kProfile.decoder_gru) {
        StepGruDecoder(context, token, position, source_tokens, output);
      }
      return;
  }
}

}  // namespace latimer
