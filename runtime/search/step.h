// One step of all sentences side by side.
#ifndef LATIMER_SEARCH_STEP_H_
#define LATIMER_SEARCH_STEP_H_

#include "search/scheduler.h"
#include "transformer/engine.h"

namespace latimer {

// Generates one token for every sentence, or for each of its beams, that has
// room in the caches. If any sentence is under way, at least one gets a token
// or ends. A sentence gets the tokens that it would get alone; with int8
// weights the logits are the same, too.
void StepSentences(const Engine& engine, Scheduler& scheduler,
                   const Buffers& workspace);

}  // namespace latimer

#endif  // LATIMER_SEARCH_STEP_H_
