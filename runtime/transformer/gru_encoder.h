// The encoder of a model of GRUs: source tokens to memory and first states.
#ifndef LATIMER_TRANSFORMER_GRU_ENCODER_H_
#define LATIMER_TRANSFORMER_GRU_ENCODER_H_

#include <cstdint>
#include <span>

#include "transformer/run_context.h"

namespace latimer {

// Reads source ids as RunEncoder does. Leaves the memory [S, memory_width] in
// cross_kv, and what each decoder layer starts from in its GruState.
void RunGruEncoder(RunContext& context, std::span<const int32_t> source,
                   const SentenceCaches& caches);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_ENCODER_H_
