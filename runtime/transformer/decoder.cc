#include "transformer/decoder.h"

#include "transformer/cache_numbers.h"
#include "transformer/layers.h"
#include "transformer/probe.h"
#include "transformer/ssru.h"

namespace latimer {
namespace {

using Rows = std::span<const DecoderRow>;

// Keys and values of one layer: [source_tokens, 2A], [self_rows, 2A].
CacheNumber* CrossKv(const SentenceCaches& caches, size_t width,
                     uint32_t layer) {
  return reinterpret_cast<CacheNumber*>(caches.cross_kv) +
         layer * caches.source_tokens * 2 * width;
}
CacheNumber* SelfKv(const SentenceCaches& caches, size_t width,
                    uint32_t layer) {
  return reinterpret_cast<CacheNumber*>(caches.self_kv) +
         layer * caches.self_rows * 2 * width;
}

[[maybe_unused]] void SelfAttention(const Engine& engine, uint32_t index,
                                    Rows rows, float* x,
                                    const Buffers& workspace, Trace& trace) {
  const DecoderLayer& layer = engine.model.tensors.decoder[index];
  const Heads heads = DecoderHeads(engine.architecture());
  const size_t width = heads.width();
  AttentionSublayer(
      engine, {layer.self_qkv, layer.self_out, layer.self_norm},
      Operation::kSelfAttention, rows.size(), x, workspace, trace,
      [&](const float* qkv, float* out) {
        for (size_t i = 0; i < rows.size(); ++i) {
          StoreInCache(engine, 2 * width, qkv + (3 * i + 1) * width,
                       SelfKv(*rows[i].caches, width, index) +
                           rows[i].self_row() * 2 * width);
        }
        const auto attention_of = [&](size_t i) {
          Attention attention = {.kind = AttentionKind::kDecoder,
                                 .layer = index,
                                 .heads = heads,
                                 .first_row = rows[i].position,
                                 .rows = 1,
                                 .queries = qkv + 3 * i * width,
                                 .query_stride = 3 * width,
                                 .kv_count = rows[i].position + size_t{1},
                                 .ancestors = rows[i].ancestors,
                                 .beams = rows[i].caches->beams};
          ReadCache(SelfKv(*rows[i].caches, width, index), width, &attention);
          return attention;
        };
        Attend(engine, rows.size(), attention_of, out, workspace, trace);
      });
}

void CrossAttention(const Engine& engine, uint32_t index, Rows rows, float* x,
                    const Buffers& workspace, Trace& trace) {
  const DecoderLayer& layer = engine.model.tensors.decoder[index];
  const Heads heads = DecoderHeads(engine.architecture());
  const size_t width = heads.width();
  AttentionSublayer(
      engine, {layer.cross_query, layer.cross_out, layer.cross_norm},
      Operation::kCrossAttention, rows.size(), x, workspace, trace,
      [&](const float* queries, float* out) {
        const auto attention_of = [&](size_t i) {
          Attention attention = {.kind = AttentionKind::kCross,
                                 .layer = index,
                                 .heads = heads,
                                 .first_row = rows[i].position,
                                 .rows = 1,
                                 .queries = queries + i * width,
                                 .query_stride = width,
                                 .kv_count = rows[i].caches->source_tokens};
          if (index == engine.model.info.alignment.layer) {
            attention.aligned = rows[i].aligned;
          }
          ReadCache(CrossKv(*rows[i].caches, width, index), width, &attention);
          return attention;
        };
        Attend(engine, rows.size(), attention_of, out, workspace, trace);
      });
}

// The sublayer before the cross-attention. Kinds that the profile leaves out
// are not compiled in.
void FirstSublayer(const Engine& engine, uint32_t index, Rows rows, float* x,
                   const Buffers& workspace, Trace& trace) {
  if constexpr (kProfile.decoder_ssru) {
    if (engine.architecture().network_kind == NetworkKind::kTransformerSsru) {
      return SsruSublayer(engine, index, rows, x, workspace, trace);
    }
  }
  if constexpr (kProfile.decoder_self_attention) {
    SelfAttention(engine, index, rows, x, workspace, trace);
  }
}

}  // namespace

void FillCrossKv(const Engine& engine, const float* encoder_out,
                 const SentenceCaches& caches, const Buffers& workspace) {
  const Architecture& a = engine.architecture();
  const LinearInput input = MakeLinearInput(
      engine, encoder_out, caches.source_tokens, a.d_model, workspace);
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    FillCache(engine, engine.model.tensors.decoder[i].cross_kv, input,
              workspace, CrossKv(caches, a.decoder_attention_width(), i));
  }
}

DecoderOutput StepTransformerDecoder(const Engine& engine, Rows rows,
                                     const Buffers& workspace, Trace& trace) {
  const Architecture& a = engine.architecture();
  const ModelTensors& t = engine.model.tensors;
  float* x = workspace.hidden;
  for (size_t i = 0; i < rows.size(); ++i) {
    Embed(engine, t.target_embedding, t.target_positions,
          t.target_embedding_norm, &rows[i].token, 1, rows[i].position,
          x + i * a.d_model, trace);
  }
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    const DecoderLayer& layer = t.decoder[i];
    FirstSublayer(engine, i, rows, x, workspace, trace);
    CrossAttention(engine, i, rows, x, workspace, trace);
    FeedForward(engine, layer.ffn_in, layer.ffn_out, layer.ffn_norm,
                rows.size(), x, workspace, trace);
    ProbeOutput(ProbePoint::kDecoderLayer, i, x, rows.size() * a.d_model);
  }
  if (a.final_norm) {
    Normalize(engine, t.decoder_norm, rows.size(), x, trace);
  }
  return {x, a.d_model};
}

}  // namespace latimer
