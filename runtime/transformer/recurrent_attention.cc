#include <algorithm>
#include <cstring>

#include "transformer/linear.h"
#include "transformer/recurrent.h"
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

// scores [S] = v . f(query + key), of `keys` [S, n].
void ScoreAdditively(const Engine& engine, size_t source_tokens, size_t n,
                     const float* query, const float* keys, float* energy,
                     float* scores) {
  const float* v = engine.model.tensors.recurrent.energy;
  const Activation f = engine.architecture().recurrent.attention_activation;
  for (size_t s = 0; s < source_tokens; ++s) {
    engine.vector->scale_add(n, query, 1.0f, keys + s * n, energy);
    engine.vector->activate(f, n, energy);
    scores[s] = Dot(n, v, energy);
  }
  if constexpr (kProfile.recurrent_extras) {
    const LayerActivation of_energy =
        engine.architecture().recurrent.energy_activation;
    if (of_energy == LayerActivation::kNone) return;
    for (size_t s = 0; s < source_tokens; ++s) scores[s] += v[n];
    ActivateLayer(engine, of_energy, source_tokens, scores);
  }
}

}  // namespace

void FillRecurrentKeys(const StepContext& step, const SentenceCaches& caches) {
  if (RecurrentKeyWidth(step.engine.architecture().recurrent) == 0) return;
  ApplyLinear(step, step.engine.model.tensors.recurrent.keys, caches.cross_kv,
              caches.source_tokens, caches.recurrent_keys);
}

void AttendRecurrentMemory(const StepContext& step, const DecoderRow& row,
                           const float* query, float* scratch,
                           float* attended) {
  const Recurrent& r = step.engine.architecture().recurrent;
  const SentenceCaches& caches = *row.caches;
  const size_t source_tokens = caches.source_tokens;
  const float* memory = caches.cross_kv;
  const size_t width = r.memory_width();
  if (!step.engine.architecture().attends()) {
    std::memcpy(attended, memory, width * sizeof(float));
    if (row.aligned.active()) *row.aligned.source = kNotAligned;
    return;
  }
  float* scores = step.workspace.attention_scratch;
  const float* keys = r.keys_layer ? caches.recurrent_keys : memory;
  const size_t n = r.attention_hidden;
  if (r.query_layer) {
    ApplyLinear(step, step.engine.model.tensors.recurrent.query, query, 1,
                scratch);
    query = scratch;
  }
  if (r.attention_function == AttentionFunction::kAdditive) {
    ScoreAdditively(step.engine, source_tokens, n, query, keys, scratch + n,
                    scores);
  } else {
    for (size_t s = 0; s < source_tokens; ++s) {
      scores[s] = Dot(n, query, keys + s * n);
    }
  }
  step.engine.vector->softmax(source_tokens, scores);
  step.trace.attention.AddRow(AttentionKind::kCross, 0, row.position, scores,
                              source_tokens);
  if (row.aligned.active())
    row.aligned.RecordArgmax(0, 1, scores, source_tokens);
  std::fill_n(attended, width, 0.0f);
  for (size_t s = 0; s < source_tokens; ++s) {
    step.engine.vector->scale_add(width, memory + s * width, scores[s],
                                  attended, attended);
  }
}

}  // namespace latimer
