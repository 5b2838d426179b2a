// The encoder of a model of GRUs: source tokens to memory and first states.
#ifndef LATIMER_TRANSFORMER_GRU_ENCODER_H_
#define LATIMER_TRANSFORMER_GRU_ENCODER_H_

#include <cstdint>
#include <span>

#include "latimer/memory.h"
#include "transformer/caches.h"
#include "transformer/engine.h"
#include "transformer/trace.h"

namespace latimer {

// Reads source ids [S]. Writes the memory [S, memory_width] to caches.cross_kv,
// which may be workspace.hidden, and the first state of each decoder layer to
// its GruState.
void RunGruEncoder(const Engine& engine, std::span<const int32_t> source,
                   const SentenceCaches& caches, Workspace& workspace,
                   Trace& trace);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_ENCODER_H_
