#include "transformer/gru_attention.h"

#include <algorithm>

#include "transformer/capture.h"
#include "transformer/linear.h"

namespace latimer {
namespace {

// Sixteen sums side by side, in an order that no instruction set changes.
float Dot(size_t n, const float* a, const float* b) {
  constexpr size_t kLanes = 16;
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += a[i + lane] * b[i + lane];
    }
  }
  for (size_t lane = 0; i < n; ++i, ++lane) sums[lane] += a[i] * b[i];
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

void ScoreAdditively(RunContext& context, const SentenceCaches& caches,
                     const float* query, float* scratch, float* scores) {
  const RecurrentTensors& t = context.model.tensors.recurrent;
  const size_t n = t.query.n;
  float* projected = scratch;
  float* energy = scratch + n;
  ApplyLinear(context, t.query, PrepareInput(context, query, 1, t.query.k),
              projected);
  for (size_t s = 0; s < caches.source_tokens; ++s) {
    context.vector->scale_add(n, projected, 1.0f, caches.gru_keys + s * n,
                              energy);
    context.vector->activate(Activation::kTanh, n, energy);
    scores[s] = Dot(n, t.energy, energy);
  }
}

}  // namespace

void FillGruKeys(RunContext& context, const SentenceCaches& caches) {
  const Recurrent& r = context.model.info.architecture.recurrent;
  if (r.attention_function == AttentionFunction::kDot) return;
  ApplyLinear(context, context.model.tensors.recurrent.keys,
              PrepareInput(context, caches.cross_kv, caches.source_tokens,
                           r.memory_width()),
              caches.gru_keys);
}

void AttendGruMemory(RunContext& context, const SentenceCaches& caches,
                     const float* query, size_t position, float* scratch,
                     float* attended) {
  const Recurrent& r = context.model.info.architecture.recurrent;
  const size_t source_tokens = caches.source_tokens;
  const float* memory = caches.cross_kv;
  const size_t width = r.memory_width();
  float* scores = context.workspace->attention_scratch;
  switch (r.attention_function) {
    case AttentionFunction::kAdditive:
      ScoreAdditively(context, caches, query, scratch, scores);
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
  context.vector->softmax(source_tokens, scores);
  CaptureRow(context, AttentionKind::kCross, 0, position, scores,
             source_tokens);
  std::fill_n(attended, width, 0.0f);
  for (size_t s = 0; s < source_tokens; ++s) {
    context.vector->scale_add(width, memory + s * width, scores[s], attended,
                              attended);
  }
}

}  // namespace latimer
