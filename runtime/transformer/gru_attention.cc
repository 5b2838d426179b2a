#include <algorithm>

#include "transformer/gru.h"
#include "transformer/linear.h"
#include "transformer/trace.h"

namespace latimer {
namespace {

// Sixteen sums side by side, in the same order for every instruction set.
float Dot(size_t n, const float* a, const float* b) {
  constexpr size_t kSums = 16;
  float sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (size_t j = 0; j < kSums; ++j) {
      sums[j] += a[i + j] * b[i + j];
    }
  }
  for (size_t j = 0; i < n; ++i, ++j) sums[j] += a[i] * b[i];
  for (size_t half = kSums / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

void ScoreAdditively(const Engine& engine, const SentenceCaches& caches,
                     const float* query, float* scratch, float* scores,
                     const Buffers& workspace) {
  const RecurrentTensors& t = engine.model.tensors.recurrent;
  const size_t n = t.query.n;
  float* projected = scratch;
  float* energy = scratch + n;
  ApplyLinear(engine, t.query, query, 1, workspace, projected);
  for (size_t s = 0; s < caches.source_tokens; ++s) {
    engine.vector->scale_add(n, projected, 1.0f, caches.gru_keys + s * n,
                             energy);
    engine.vector->activate(Activation::kTanh, n, energy);
    scores[s] = Dot(n, t.energy, energy);
  }
}

}  // namespace

void FillGruKeys(const Engine& engine, const SentenceCaches& caches,
                 const Buffers& workspace) {
  if (GruKeyWidth(engine.architecture().recurrent) == 0) return;
  ApplyLinear(engine, engine.model.tensors.recurrent.keys, caches.cross_kv,
              caches.source_tokens, workspace, caches.gru_keys);
}

void AttendGruMemory(const Engine& engine, const DecoderRow& row,
                     const float* query, float* scratch, float* attended,
                     const Buffers& workspace, Trace& trace) {
  const Recurrent& r = engine.architecture().recurrent;
  const SentenceCaches& caches = *row.caches;
  const size_t source_tokens = caches.source_tokens;
  const float* memory = caches.cross_kv;
  const size_t width = r.memory_width();
  float* scores = workspace.attention_scratch;
  switch (r.attention_function) {
    case AttentionFunction::kAdditive:
      ScoreAdditively(engine, caches, query, scratch, scores, workspace);
      break;
    case AttentionFunction::kDot:
    case AttentionFunction::kGeneral: {
      const float* keys = r.attention_function == AttentionFunction::kDot
                              ? memory
                              : caches.gru_keys;
      const size_t n = r.attention_hidden;
      for (size_t s = 0; s < source_tokens; ++s) {
        scores[s] = Dot(n, query, keys + s * n);
      }
      break;
    }
  }
  engine.vector->softmax(source_tokens, scores);
  trace.attention.AddRow(AttentionKind::kCross, 0, row.position, scores,
                         source_tokens);
  if (row.aligned.active())
    row.aligned.RecordArgmax(0, 1, scores, source_tokens);
  std::fill_n(attended, width, 0.0f);
  for (size_t s = 0; s < source_tokens; ++s) {
    engine.vector->scale_add(width, memory + s * width, scores[s], attended,
                             attended);
  }
}

}  // namespace latimer
