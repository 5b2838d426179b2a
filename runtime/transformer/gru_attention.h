// The attention of a GRU decoder on the memory; see AttentionFunction.
#ifndef LATIMER_TRANSFORMER_GRU_ATTENTION_H_
#define LATIMER_TRANSFORMER_GRU_ATTENTION_H_

#include <cstddef>

#include "latimer/memory.h"
#include "transformer/caches.h"
#include "transformer/engine.h"
#include "transformer/trace.h"

namespace latimer {

// Projects the memory in cross_kv to gru_keys [S, attention_hidden]; with kDot
// the memory is the keys. Once per sentence, after RunGruEncoder.
void FillGruKeys(const Engine& engine, const SentenceCaches& caches,
                 Workspace& workspace);

// Columns of a key in gru_keys; 0: the memory is the keys.
constexpr size_t GruKeyWidth(const Recurrent& r) {
  return r.attention_function == AttentionFunction::kDot ? 0
                                                         : r.attention_hidden;
}

// attended [memory_width] = the mean of the memory's rows, weighted by the
// softmax of their scores for `query` [decoder_hidden], in the step of target
// token number `position`. `scratch` has 2 attention_hidden floats.
void AttendGruMemory(const Engine& engine, const SentenceCaches& caches,
                     const float* query, size_t position, float* scratch,
                     float* attended, Workspace& workspace, Trace& trace);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_ATTENTION_H_
