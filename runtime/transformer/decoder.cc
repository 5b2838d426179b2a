#include "transformer/decoder.h"

#include <algorithm>
#include <cstring>

#include "transformer/cache_numbers.h"
#include "transformer/int8_attention.h"
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

[[maybe_unused]] void SelfAttention(const StepContext& step, uint32_t index,
                                    Rows rows, float* x) {
  const DecoderLayer& layer = step.engine.model.tensors.decoder[index];
  const Heads heads = DecoderHeads(step.engine.architecture());
  const size_t width = heads.width();
  AttentionSublayer(
      step, {layer.self_qkv, layer.self_out, layer.self_norm},
      Operation::kSelfAttention, rows.size(), x, [&](float* qkv, float* out) {
        for (size_t i = 0; i < rows.size(); ++i) {
          if constexpr (kProfile.rotary_positions) {
            const float* rotations = step.engine.model.tensors.target_rotations;
            if (rotations != nullptr) {
              Rotate(heads, rotations + size_t{rows[i].position} * heads.dim,
                     qkv + 3 * i * width);
            }
          }
          StoreInCache(step.engine, 2 * width, qkv + (3 * i + 1) * width,
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
        Attend(step, rows.size(), attention_of, out);
      });
}

// Where the trace wants them.
[[maybe_unused]] void KeepQueries(const StepContext& step, uint32_t layer,
                                  Rows rows, const float* queries) {
  if (step.trace.queries.queries == nullptr) return;
  const Heads heads = DecoderHeads(step.engine.architecture());
  const std::span<const uint32_t> kept = step.engine.model.info.speech_heads;
  for (size_t h = 0; h < kept.size(); ++h) {
    if (kept[h] / heads.count != layer) continue;
    const float* query = queries + kept[h] % heads.count * heads.dim;
    for (size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(step.trace.queries.At(h, rows[i].position, heads.dim),
                  query + i * heads.width(), heads.dim * sizeof(float));
    }
  }
}

void CrossAttention(const StepContext& step, uint32_t index, Rows rows,
                    float* x) {
  const DecoderLayer& layer = step.engine.model.tensors.decoder[index];
  const Heads heads = DecoderHeads(step.engine.architecture());
  const size_t width = heads.width();
  AttentionSublayer(
      step, {layer.cross_query, layer.cross_out, layer.cross_norm},
      Operation::kCrossAttention, rows.size(), x,
      [&](float* queries, float* out) {
        if constexpr (kProfile.speech()) {
          KeepQueries(step, index, rows, queries);
        }
        if constexpr (kProfile.speech() && kProfile.int8_weights) {
          // All rows hear the same window.
          if (AttendsInInt8(step.engine, heads,
                            rows[0].caches->source_tokens)) {
            for (size_t i = 0; i < rows.size(); ++i) {
              AttendInt8Row(step, heads, *rows[i].caches, index,
                            queries + i * width, out + i * width);
            }
            return;
          }
        }
        const auto attention_of = [&](size_t i) {
          Attention attention = {.kind = AttentionKind::kCross,
                                 .layer = index,
                                 .heads = heads,
                                 .first_row = rows[i].position,
                                 .rows = 1,
                                 .queries = queries + i * width,
                                 .query_stride = width,
                                 .kv_count = rows[i].caches->source_tokens};
          if (index == step.engine.model.info.alignment.layer) {
            attention.aligned = rows[i].aligned;
          }
          ReadCache(CrossKv(*rows[i].caches, width, index), width, &attention);
          return attention;
        };
        Attend(step, rows.size(), attention_of, out);
      });
}

// The sublayer before the cross-attention. Kinds that the profile leaves out
// are not compiled in.
void FirstSublayer(const StepContext& step, uint32_t index, Rows rows,
                   float* x) {
  if constexpr (kProfile.decoder_ssru) {
    if (step.engine.architecture().network_kind ==
        NetworkKind::kTransformerSsru) {
      return SsruSublayer(step, index, rows, x);
    }
  }
  if constexpr (kProfile.decoder_self_attention) {
    SelfAttention(step, index, rows, x);
  }
}

}  // namespace

void FillCrossKv(const StepContext& step, const float* encoder_out,
                 const SentenceCaches& caches) {
  const Architecture& a = step.engine.architecture();
  const LinearInput input =
      MakeLinearInput(step, encoder_out, caches.source_tokens, a.d_model);
  const Heads heads = DecoderHeads(a);
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    const Linear& linear = step.engine.model.tensors.decoder[i].cross_kv;
    if constexpr (kProfile.speech() && kProfile.int8_weights) {
      if (AttendsInInt8(step.engine, heads, caches.source_tokens)) {
        ApplyLinear(step.engine, linear, input, step.workspace.projection);
        FillInt8Cache(step, heads, step.workspace.projection, caches, i);
        continue;
      }
    }
    FillCache(step, linear, input, CrossKv(caches, heads.width(), i));
  }
}

void WeighSpeech(const StepContext& step, const SentenceCaches& caches,
                 uint32_t head, float* query, std::span<float> weights) {
  if constexpr (kProfile.speech()) {
    const Heads heads = DecoderHeads(step.engine.architecture());
    const uint32_t layer = head / heads.count;
    const uint32_t h = head % heads.count;
    float* const scores = step.workspace.attention_scratch;
    if constexpr (kProfile.int8_weights) {
      if (AttendsInInt8(step.engine, heads, caches.source_tokens)) {
        ScoreInt8Row(step, heads, caches, layer, h, query, scores);
        std::copy_n(scores, weights.size(), weights.begin());
        step.engine.vector->softmax(weights.size(), weights.data());
        return;
      }
    }
    Attention attention = {.kind = AttentionKind::kCross,
                           .layer = layer,
                           .heads = {1, heads.dim, heads.scale},
                           .first_row = 0,
                           .rows = 1,
                           .queries = query,
                           .query_stride = heads.dim,
                           .kv_count = weights.size()};
    ReadCache(CrossKv(caches, heads.width(), layer) + h * heads.dim,
              heads.width(), &attention);
    // Leaves the weights in its scratch.
    AttendHeads(step, attention, 0, 1, step.workspace.sublayer);
    std::copy_n(scores, weights.size(), weights.begin());
  }
}

DecoderOutput StepTransformerDecoder(const StepContext& step, Rows rows) {
  const Architecture& a = step.engine.architecture();
  const ModelTensors& t = step.engine.model.tensors;
  float* x = step.workspace.hidden;
  const EmbeddingLayer embedding = {t.target_embedding, t.target_positions,
                                    t.target_embedding_norm,
                                    a.decoder_norm_before_positions};
  for (size_t i = 0; i < rows.size(); ++i) {
    Embed(step, embedding, {&rows[i].token, 1}, rows[i].position,
          x + i * a.d_model);
  }
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    const DecoderLayer& layer = t.decoder[i];
    FirstSublayer(step, i, rows, x);
    CrossAttention(step, i, rows, x);
    FeedForward(step, {layer.ffn_in, layer.ffn_out, layer.ffn_norm},
                rows.size(), x);
    ProbeOutput(ProbePoint::kDecoderLayer, i, x, rows.size() * a.d_model);
  }
  if (a.final_norm) {
    Normalize(step, t.decoder_norm, rows.size(), x);
  }
  return {x, a.d_model};
}

}  // namespace latimer
