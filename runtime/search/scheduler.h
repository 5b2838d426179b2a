// Decides which sentences run: admits them to the caches, grows, preempts and
// stops them. Runs no network; step.cc does.
//
// The oldest sentence comes first. If no sentence has room for its next token,
// the youngest gives up its caches and begins anew once another has ended, so
// long texts cost time, not memory. When a pass ends that is not the last one
// of its sentence (see Pass), the sentence is queued again.
#ifndef LATIMER_SEARCH_SCHEDULER_H_
#define LATIMER_SEARCH_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/cache_pool.h"
#include "search/constraint.h"
#include "search/length_limit.h"
#include "search/sentence.h"
#include "transformer/buffers.h"
#include "transformer/decoder.h"

namespace latimer {

// As many sentences as the workspace has lanes are under way at a time. A
// sentence that is done leaves its lane to the next.
class Scheduler {
 public:
  // Frees all lanes and gives each its slots of the workspace.
  void Reset(const CachePools& pools, const Buffers& workspace);

  // Tokens that the caches hold for one sentence, of all its beams.
  uint64_t cached_tokens() const {
    return pools_.self.row == 0 ? kNoLimit : pools_.self.tokens;
  }
  // Whether a sentence may begin: a lane is free, and no sentence has the
  // workspace to itself.
  bool CanBegin() const;
  // A free lane for a new sentence, whose request may be filled in; null: all
  // are taken.
  Sentence* FreeLane();
  // Queues the sentence. Without a source it is done at once.
  void Queue(Sentence& sentence);

  // Stops sentences that were cancelled or whose deadline has passed.
  void StopLate();
  // Gives caches to the oldest queued sentence and returns it; the caller
  // encodes it at once. Null if no sentence is queued or there is no room.
  Sentence* Admit();
  // The rows of the next step, for as many sentences as have room: the oldest
  // first, all with as many beams as the oldest. If no sentence has room for
  // its next token, the youngest gives up its caches and is queued again. A
  // sentence that needs no step for its last token gets it and ends. Empty: no
  // sentence is decoding, or one has just ended. Valid until the next call.
  std::span<StepRow> PlanStep();
  // What the decoder reads in a step, filled in by step.cc.
  DecoderRow* decoder_rows() { return decoder_rows_; }
  // Appends a token to a sentence of the step, which may end it. A forced token
  // has the log-probability 0.
  void Append(Sentence& sentence, int32_t token);
  void AppendForced(Sentence& sentence, int32_t token);
  // Extends the beams of a sentence of the step by their candidates, `counts`
  // of each, which may end it.
  void Extend(Sentence& sentence, std::span<const uint32_t> counts);

  // The oldest sentence whose last pass has ended; null: there is none.
  Sentence* NextFinished();
  // Frees the lane of a sentence that is done.
  void Release(Sentence& sentence);
  // Sentences that have begun and were not released.
  size_t under_way() const { return under_way_; }
  // Whether one of them has no caches: it is not yet admitted, or waits until
  // others leave room.
  bool has_queued() const;

 private:
  Sentence* Oldest(Sentence::State state, uint64_t from_age = 0);
  bool PlaceCaches(Sentence& sentence, const CacheRegion& rows);
  bool GrowCaches(Sentence& sentence);
  bool FindRegionFor(const Sentence& sentence, CacheRegion Sentence::*region,
                     const CachePool& pool, size_t tokens, CacheRegion* out);
  void Requeue(Sentence& sentence);
  void Preempt(Sentence& sentence);
  void Stop(Sentence& sentence, StopReason reason, size_t kept = SIZE_MAX);
  void QueueNextPass(Sentence& sentence);
  StopReason TakeBest(Sentence& sentence, StopReason reason);
  bool FindRows(const Sentence& sentence, CacheRegion* out);

  std::span<Sentence> lanes() { return {sentences_, lanes_}; }
  std::span<const Sentence> lanes() const { return {sentences_, lanes_}; }

  Sentence sentences_[kProfile.lanes];  // By lane.
  uint32_t lanes_ = 0;                  // As many as the workspace has.
  uint32_t rows_ = 0;                   // Of all sentences' beams.
  CachePools pools_;
  int32_t* targets_ = nullptr;  // [lanes, most_target_tokens_]
  size_t most_target_tokens_ = 0;
  BeamMemory beams_;
  size_t state_floats_ = 0;  // Of a lane.
  uint64_t begun_ = 0;
  size_t under_way_ = 0;
  // A sentence had to give up its caches: none is admitted until one is done.
  bool crowded_ = false;
  // Here they take nothing of the stack.
  StepRow rows_of_step_[kProfile.lanes];
  DecoderRow decoder_rows_[kProfile.lanes];
};

}  // namespace latimer

#endif  // LATIMER_SEARCH_SCHEDULER_H_
