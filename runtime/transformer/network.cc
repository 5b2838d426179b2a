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

void EncodeSource(const StepContext& step, std::span<const int32_t> source,
                  const SentenceCaches& caches) {
  if constexpr (kProfile.speech()) {
    if (step.engine.architecture().reads_speech()) {
      SpeechWindow& window = *step.workspace.window;
      if (window.encoded == caches.cross_kv) return;
      window.encoded = caches.cross_kv;
    }
  }
  step.trace.StartPhase(Phase::kEncoder);
  switch (step.engine.architecture().network_kind) {
    case NetworkKind::kTransformer:
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.transformer()) {
        // cross_kv is written after the encoder, so the encoder may use it.
        const float* encoder_out = RunEncoder(step, source, caches.cross_kv);
        step.trace.StartPhase(Phase::kCrossKv);
        FillCrossKv(step, encoder_out, caches);
      }
      break;
    case NetworkKind::kGru:
    case NetworkKind::kLstm:
      if constexpr (kProfile.recurrent()) {
        RunRecurrentEncoder(step, source, caches);
        step.trace.StartPhase(Phase::kCrossKv);
        FillRecurrentKeys(step, caches);
      }
      break;
  }
  step.trace.Lap(Operation::kQkv);
}

DecoderOutput StepDecoder(const StepContext& step,
                          std::span<const DecoderRow> rows) {
  LATIMER_DCHECK(!rows.empty() && rows.size() <= kProfile.lanes);
  step.trace.StartPhase(Phase::kDecoder);
  switch (step.engine.architecture().network_kind) {
    case NetworkKind::kTransformer:
    case NetworkKind::kTransformerSsru:
      if constexpr (kProfile.transformer()) {
        return StepTransformerDecoder(step, rows);
      }
      break;
    case NetworkKind::kGru:
    case NetworkKind::kLstm:
      if constexpr (kProfile.recurrent()) {
        return StepRecurrentDecoder(step, rows);
      }
      break;
  }
  return {};
}

}  // namespace latimer
