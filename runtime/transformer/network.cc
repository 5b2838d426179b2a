#include "transformer/network.h"

#include "base/check.h"
#include "transformer/encoder.h"
#include "transformer/recurrent.h"

namespace latimer {

// What the profile leaves out is not compiled in; Load has refused models that
// need it.

CacheShape CacheShapeOf(const Architecture& a) {
  const size_t layers = a.decoder_layers;
  const size_t key_and_value =
      CacheFloats(2 * size_t{a.decoder_attention_width()});
  const Recurrent& r = a.recurrent;
  switch (a.network_kind) {
    case NetworkKind::kTransformer:
      return {layers, key_and_value, layers, key_and_value, 0};
    case NetworkKind::kTransformerSsru:
      return {layers, key_and_value, 0, 0, layers * a.d_model};
    case NetworkKind::kGru:
    case NetworkKind::kLstm:
      return {1, r.memory_width() + RecurrentKeyWidth(r), 0, 0,
              layers * r.decoder_state()};
  }
  return {};
}

void EncodeSource(const Engine& engine, std::span<const int32_t> source,
                  const SentenceCaches& caches, const Buffers& workspace,
                  Trace& trace) {
  trace.StartPhase(Phase::kEncoder);
  switch (engine.architecture().network_kind) {
    case NetworkKind::kTransformer:
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.transformer()) {
        // cross_kv is written after the encoder, so the encoder may use it.
        const float* encoder_out =
            RunEncoder(engine, source, caches.cross_kv, workspace, trace);
        trace.StartPhase(Phase::kCrossKv);
        FillCrossKv(engine, encoder_out, caches, workspace);
      }
      break;
    case NetworkKind::kGru:
    case NetworkKind::kLstm:
      if constexpr (kProfile.recurrent()) {
        RunRecurrentEncoder(engine, source, caches, workspace, trace);
        trace.StartPhase(Phase::kCrossKv);
        FillRecurrentKeys(engine, caches, workspace);
      }
      break;
  }
  trace.Lap(Operation::kQkv);
}

DecoderOutput StepDecoder(const Engine& engine,
                          std::span<const DecoderRow> rows,
                          const Buffers& workspace, Trace& trace) {
  LATIMER_DCHECK(!rows.empty() && rows.size() <= kProfile.lanes);
  trace.StartPhase(Phase::kDecoder);
  switch (engine.architecture().network_kind) {
    case NetworkKind::kTransformer:
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.transformer()) {
        return StepTransformerDecoder(engine, rows, workspace, trace);
      }
      break;
    case NetworkKind::kGru:
    case NetworkKind::kLstm:
      if constexpr (kProfile.recurrent()) {
        return StepRecurrentDecoder(engine, rows, workspace, trace);
      }
      break;
  }
  return {};
}

}  // namespace latimer
