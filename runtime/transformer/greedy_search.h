// Greedy search: the most likely next token, until EOS or the limit, of several
// sentences side by side.
#ifndef LATIMER_TRANSFORMER_GREEDY_SEARCH_H_
#define LATIMER_TRANSFORMER_GREEDY_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/decoder.h"
#include "transformer/lane.h"

namespace latimer {

// Decodes up to kProfile.lanes sentences at a time. Each step makes a token of
// every sentence that has room in the caches; one that finishes leaves its lane
// to the next. A sentence gets the tokens that it would get alone, to the bit
// with int8 weights.
class GreedySearch {
 public:
  // All lanes are free.
  void Reset();

  // A lane for a new sentence; null: all are taken. Its source() [S] may be
  // written, the rest of it is Begin's.
  Lane* FreeLane();

  // Begins the sentence of `source_tokens` ids in lane.source(); with none it
  // is done at once. The rules' spans must live until it is done.
  void Begin(Lane& lane, size_t source_tokens, const SearchRules& rules);

  // Makes a token of each sentence: at least one, or the end of a sentence,
  // where any is under way. Writes
  // the generated ids, without decoder_start, EOS included when it was
  // produced, to lane.target(). Follows the logits processors of Hugging Face's
  // generate(); see ApplyRules. Then the forced first and last token; among
  // equal logits the lowest id wins.
  void Step(RunContext& context);

  // The oldest sentence that is done; null: none is. The caller frees its lane.
  Lane* Done();
  void Free(Lane& lane);

  // Sentences that have begun and whose lane is not free yet.
  size_t under_way() const { return under_way_; }

 private:
  Lane* Oldest(Lane::State state, uint64_t from_age);
  void StopLate();
  void StartQueued(RunContext& context);
  void CollectRows(RunContext& context);
  bool NeedsNoStep(RunContext& context, Lane& lane);
  void Force(RunContext& context, Lane& lane, int32_t token);
  void ChooseTokens(RunContext& context, const DecoderOutput& output);
  void ChooseFromLogits(RunContext& context, Lane& lane);
  void ChooseFromBounds(RunContext& context, const DecoderOutput& output);
  void ChooseBounded(RunContext& context, std::span<const uint32_t> rows);
  void ChooseFromWindows(RunContext& context, const DecoderOutput& output);
  void Append(RunContext& context, Lane& lane, int32_t token);
  void Stop(Lane& lane, StopReason reason);

  Lane lanes_[kProfile.lanes];
  uint64_t begun_ = 0;
  size_t under_way_ = 0;
  // A sentence had to give up its room: none starts until one is done.
  bool crowded_ = false;
  // The sentences of the current step, and what the decoder reads of them.
  size_t row_count_ = 0;
  Lane* row_lanes_[kProfile.lanes];
  DecoderRow rows_[kProfile.lanes];
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GREEDY_SEARCH_H_
