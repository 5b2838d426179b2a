#include "transformer/encoder.h"

#include "transformer/caches.h"
#include "transformer/frames.h"
#include "transformer/int8_attention.h"
#include "transformer/layers.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

void SelfAttention(const StepContext& step, uint32_t index, size_t rows,
                   float* packed, float* x) {
  const EncoderLayer& layer = step.engine.model.tensors.encoder[index];
  const Heads heads = EncoderHeads(step.engine.architecture());
  const size_t width = heads.width();
  AttentionSublayer(
      step, {layer.self_qkv, layer.self_out, layer.self_norm},
      Operation::kSelfAttention, rows, x, [&](float* qkv, float* out) {
        if constexpr (kProfile.rotary_positions) {
          const float* rotations = step.engine.model.tensors.source_rotations;
          for (size_t i = 0; rotations != nullptr && i < rows; ++i) {
            Rotate(heads, rotations + i * heads.dim, qkv + 3 * i * width);
          }
        }
        if constexpr (kProfile.speech() && kProfile.int8_weights) {
          if (packed != nullptr && AttendsInInt8(step.engine, heads, rows)) {
            return AttendInt8(step, heads, rows, qkv, packed, out);
          }
        }
        const Attention attention = {.kind = AttentionKind::kEncoder,
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
            step, 1, [&](size_t) { return attention; }, out);
      });
}

}  // namespace

const float* RunEncoder(const StepContext& step,
                        std::span<const int32_t> source, float* scratch) {
  const Architecture& a = step.engine.architecture();
  const ModelTensors& t = step.engine.model.tensors;
  const size_t rows = source.size();
  // The decoder determines the size of `scratch`. In a few models that is too
  // little for the encoder's packed keys and values, which are then read in
  // place.
  const size_t room =
      CacheFloats(size_t{a.decoder_layers} * a.decoder_attention_width());
  float* packed = a.encoder_attention_width() <= room ? scratch : nullptr;
  float* x = step.workspace.hidden;
  if (kProfile.speech() && a.reads_speech()) {
    EmbedFrames(step, rows, x);
  } else {
    Embed(step,
          {t.source_embedding, t.source_positions, t.source_embedding_norm,
           a.encoder_norm_before_positions},
          source, 0, x);
  }
  for (uint32_t i = 0; i < a.encoder_layers; ++i) {
    const EncoderLayer& layer = t.encoder[i];
    SelfAttention(step, i, rows, packed, x);
    FeedForward(step, {layer.ffn_in, layer.ffn_out, layer.ffn_norm}, rows, x);
    ProbeOutput(ProbePoint::kEncoderLayer, i, x, rows * a.d_model);
  }
  if (a.final_norm) Normalize(step, t.encoder_norm, rows, x);
  return x;
}

}  // namespace latimer
