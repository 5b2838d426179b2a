// Greedy search: the most likely next token, until EOS or a limit, of several
// sentences side by side.
#ifndef LATIMER_SEARCH_GREEDY_H_
#define LATIMER_SEARCH_GREEDY_H_

#include "search/scheduler.h"
#include "transformer/engine.h"

namespace latimer {

// Makes one token of every sentence that has room in the caches: at least one
// token, or the end of a sentence, if any sentence is under way. A sentence
// gets the tokens that it would get alone, with int8 weights to the bit.
void StepGreedy(const Engine& engine, Scheduler& scheduler,
                Workspace& workspace);

}  // namespace latimer

#endif  // LATIMER_SEARCH_GREEDY_H_
