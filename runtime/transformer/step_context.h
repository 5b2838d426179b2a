// What the encoder and each step of the decoder work with.
#ifndef LATIMER_TRANSFORMER_STEP_CONTEXT_H_
#define LATIMER_TRANSFORMER_STEP_CONTEXT_H_

#include "transformer/buffers.h"
#include "transformer/engine.h"
#include "transformer/trace.h"

namespace latimer {

// Made where a step begins, and passed on down to the projections.
struct StepContext {
  const Engine& engine;      // The weights, and the kernels that read them.
  const Buffers& workspace;  // Where the numbers are written.
  Trace& trace;              // What is recorded meanwhile.
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_STEP_CONTEXT_H_
