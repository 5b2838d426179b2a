// A lane: one of the sentences that are decoded side by side.
#ifndef LATIMER_TRANSFORMER_LANE_H_
#define LATIMER_TRANSFORMER_LANE_H_

#include <cstddef>
#include <cstdint>

#include "transformer/loop_detector.h"
#include "transformer/run_context.h"
#include "transformer/search_rules.h"

namespace latimer {

// Tokens of a cache that all lanes share: [begin, begin + tokens).
struct CacheRegion {
  size_t begin = 0;
  size_t tokens = 0;  // 0: none.

  size_t end() const { return begin + tokens; }
};

struct Lane {
  enum class State : uint8_t {
    kFree,
    kQueued,    // Has a source, but nothing in the caches.
    kDecoding,  // The encoder has run.
    kDone,
  };

  State state = State::kFree;
  uint32_t number = 0;  // Its place among the lanes.
  uint64_t age = 0;     // Sentences begun before it.
  SearchRules rules = {};
  size_t source_tokens = 0;
  size_t count = 0;  // Target tokens so far.
  // Of them, and of those before it had to begin anew, the callback knows.
  size_t reported = 0;
  LoopDetector loops;
  // When it is done: why, and how many tokens it had before a loop was cut.
  StopReason stop_reason = StopReason::kEos;
  size_t generated = 0;
  // Steps until bounds of the logits are tried again, and how many that were
  // after the last try; see LearnFromStep.
  uint32_t unpruned_steps = 0;
  uint32_t flat_steps = 0;
  CacheRegion cross;
  CacheRegion self;
  SentenceCaches caches;

  int32_t* source(const RunContext& context) const {
    return context.workspace->source_tokens + number * kProfile.source_tokens;
  }
  int32_t* target(const RunContext& context) const {
    return context.workspace->target_tokens + number * kProfile.target_tokens;
  }
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_LANE_H_
