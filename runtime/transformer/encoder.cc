#include "transformer/encoder.h"

#include "transformer/gru_encoder.h"
#include "transformer/layers.h"
#include "transformer/linear.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

void SelfAttention(RunContext& context, uint32_t index, size_t rows,
                   const SentenceCaches& caches, float* x) {
  Workspace& workspace = *context.workspace;
  const Architecture& a = context.model.info.architecture;
  const EncoderLayer& layer = context.model.tensors.encoder[index];
  const size_t d = a.d_model;
  const Heads heads = EncoderHeads(a);
  const size_t width = heads.width();
  const float* input = SublayerInput(context, layer.self_norm, rows, x);
  // [rows, 3A]: query, key, value side by side.
  float* qkv = workspace.projection;
  ApplyLinear(context, layer.self_qkv, PrepareInput(context, input, rows, d),
              qkv);
  context.clock.Lap(Operation::kQkv);
  // The sentence's cross_kv, [layers, rows, 2A], is written later. A decoder
  // that is too narrow for it is a rarity.
  const size_t room = size_t{a.decoder_layers} * a.decoder_attention_width();
  Attend(context, {AttentionKind::kEncoder, index, 0}, heads, rows, qkv,
         3 * width,
         {.keys = qkv + width,
          .values = qkv + 2 * width,
          .stride = 3 * width,
          .count = rows,
          .packed = width <= room ? caches.cross_kv : nullptr},
         workspace.sublayer);
  context.clock.Lap(Operation::kSelfAttention);
  float* output = workspace.projection;
  ApplyLinear(context, layer.self_out,
              PrepareInput(context, workspace.sublayer, rows, width), output);
  context.clock.Lap(Operation::kAttentionOut);
  FinishSublayer(context, layer.self_norm, rows, output, x);
}

[[maybe_unused]] void RunTransformerEncoder(RunContext& context,
                                            std::span<const int32_t> source,
                                            const SentenceCaches& caches) {
  const Architecture& a = context.model.info.architecture;
  const ModelTensors& t = context.model.tensors;
  const size_t rows = source.size();
  float* x = context.workspace->hidden;
  Embed(context, t.source_embedding, t.source_positions,
        t.source_embedding_norm, source.data(), rows, 0, x);
  for (uint32_t i = 0; i < a.encoder_layers; ++i) {
    const EncoderLayer& layer = t.encoder[i];
    SelfAttention(context, i, rows, caches, x);
    FeedForward(context, layer.ffn_in, layer.ffn_out, layer.ffn_norm, rows, x);
    ProbeOutput(ProbePoint::kEncoderLayer, i, x, rows * a.d_model);
  }
  if (a.final_norm) Normalize(context, t.encoder_norm, rows, x);
}

}  // namespace

void RunEncoder(RunContext& context, std::span<const int32_t> source,
                const SentenceCaches& caches) {
  switch (context.model.info.architecture.network_kind) {
    case NetworkKind::kTransformer:
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.transformer()) {
        RunTransformerEncoder(context, source, caches);
      }
      return;
    case NetworkKind::kGru:
      if constexpr (kProfile.decoder_gru) {
        RunGruEncoder(context, source, caches);
      }
      return;
  }
}

}  // namespace latimer
