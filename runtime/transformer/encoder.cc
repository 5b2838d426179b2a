#include "transformer/encoder.h"

#include "transformer/caches.h"
#include "transformer/layers.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

void SelfAttention(const Engine& engine, uint32_t index, size_t rows,
                   float* packed, float* x, const Buffers& workspace,
                   Trace& trace) {
  const EncoderLayer& layer = engine.model.tensors.encoder[index];
  const Heads heads = EncoderHeads(engine.architecture());
  const size_t width = heads.width();
  AttentionSublayer(engine, {layer.self_qkv, layer.self_out, layer.self_norm},
                    Operation::kSelfAttention, rows, x, workspace, trace,
                    [&](const float* qkv, float* out) {
                      const Attention attention = {
                          .kind = AttentionKind::kEncoder,
                          .layer = index,
                          .heads = heads,
                          .first_row = 0,
                          .rows = rows,
                          .queries = qkv,
                          .query_stride = 3 * width,
                          .keys = qkv + width,
                          .values = qkv + 2 * width,
                          .kv_stride = 3 * width,
                          .kv_count = rows,
                          .packed = packed};
                      Attend(
                          engine, 1, [&](size_t) { return attention; }, out,
                          workspace, trace);
                    });
}

}  // namespace

const float* RunEncoder(const Engine& engine, std::span<const int32_t> source,
                        float* scratch, const Buffers& workspace,
                        Trace& trace) {
  const Architecture& a = engine.architecture();
  const ModelTensors& t = engine.model.tensors;
  const size_t rows = source.size();
  // The decoder determines the size of `scratch`. In a few models that is too
  // little for the encoder's packed keys and values, which are then read in
  // place.
  const size_t room =
      CacheFloats(size_t{a.decoder_layers} * a.decoder_attention_width());
  float* packed = a.encoder_attention_width() <= room ? scratch : nullptr;
  float* x = workspace.hidden;
  Embed(engine, t.source_embedding, t.source_positions, t.source_embedding_norm,
        source.data(), rows, 0, x, trace);
  for (uint32_t i = 0; i < a.encoder_layers; ++i) {
    const EncoderLayer& layer = t.encoder[i];
    SelfAttention(engine, i, rows, packed, x, workspace, trace);
    FeedForward(engine, layer.ffn_in, layer.ffn_out, layer.ffn_norm, rows, x,
                workspace, trace);
    ProbeOutput(ProbePoint::kEncoderLayer, i, x, rows * a.d_model);
  }
  if (a.final_norm) Normalize(engine, t.encoder_norm, rows, x, trace);
  return x;
}

}  // namespace latimer
