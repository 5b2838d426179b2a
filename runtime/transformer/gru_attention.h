// The attention of a GRU decoder on the memory; see AttentionFunction.
#ifndef LATIMER_TRANSFORMER_GRU_ATTENTION_H_
#define LATIMER_TRANSFORMER_GRU_ATTENTION_H_

#include <cstddef>

#include "transformer/run_context.h"

namespace latimer {

// Projects the memory in cross_kv to gru_keys [S, attention_hidden]; with kDot
// the memory is the keys. Once per sentence, after RunGruEncoder.
void FillGruKeys(RunContext& context, const SentenceCaches& caches);

// attended [memory_width] = the mean of the memory's rows, weighted by the
// softmax of their scores for `query` [decoder_hidden], in the step of target
// token number `position`. `scratch` has 2 attention_hidden floats.
void AttendGruMemory(RunContext& context, const SentenceCaches& caches,
                     const float* query, size_t position, float* scratch,
                     float* attended);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_ATTENTION_H_
