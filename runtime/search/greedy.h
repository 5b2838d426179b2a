// Greedy search: the most likely next token, until EOS or a limit, of several
// sentences side by side.
#ifndef LATIMER_SEARCH_GREEDY_H_
#define LATIMER_SEARCH_GREEDY_H_

#include "search/scheduler.h"
#include "transformer/engine.h"

namespace latimer {

// Generates one token for every sentence that has room in the caches. If any
// sentence is under way, at least one gets a token or ends. A sentence gets the
// tokens that it would get alone; with int8 weights the logits are the same,
// too.
void StepGreedy(const Engine& engine, Scheduler& scheduler,
                const Buffers& workspace);

}  // namespace latimer

#endif  // LATIMER_SEARCH_GREEDY_H_
