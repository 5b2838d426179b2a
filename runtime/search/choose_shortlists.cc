// The best tokens that the shortlists of one or several sentences allow.
#include <algorithm>
#include <bit>

#include "base/off_stack.h"
#include "search/choice.h"

namespace latimer {
namespace {

// The rows of a choice that need the same block of channels.
class BlockRows {
 public:
  // Works in `memory`, which has room for all rows.
  BlockRows(const LinearInput& input, std::span<float> memory)
      : input_(input), memory_(memory) {}

  // The input of `rows`.
  const LinearInput& Select(std::span<const uint32_t> rows) {
    if (rows.size() == input_.rows) return input_;
    if (!std::ranges::equal(rows, std::span(selected_, gathered_.rows))) {
      std::ranges::copy(rows, selected_);
      gathered_ = GatherRows(input_, rows, memory_);
    }
    return gathered_;
  }

 private:
  const LinearInput& input_;
  std::span<float> memory_;
  LinearInput gathered_;
  uint32_t selected_[kProfile.lanes];
};

// The best tokens that the shortlists of `rows` allow. Reads each block of the
// output matrix once, for the rows that need it.
void ChooseFromShortlists(const Choice& choice, std::span<const uint32_t> rows,
                          std::span<float> gathered, uint32_t window) {
  const uint32_t vocabulary = choice.output().n;
  BlockRows block_rows(choice.input, gathered);
  float* const block_logits = gathered.data() + gathered.size();
  float* const logits = block_logits + rows.size() * kChannelBlock;
  BestLogit best[kProfile.lanes];
  for (uint32_t first = 0; first < vocabulary; first += window) {
    const uint32_t end = std::min(first + window, vocabulary);
    bool any[kProfile.lanes] = {};
    for (uint32_t begin = first; begin < end; begin += kChannelBlock) {
      const uint32_t size = std::min(kChannelBlock, end - begin);
      uint32_t needed_by[kProfile.lanes];  // Of `rows`.
      uint32_t selected[kProfile.lanes];
      size_t count = 0;
      for (uint32_t i = 0; i < rows.size(); ++i) {
        const Sentence& sentence = choice.sentence(rows[i]);
        if (sentence.shortlist[begin / kChannelBlock] == 0) continue;
        needed_by[count] = i;
        selected[count++] = rows[i];
      }
      if (count == 0) continue;
      ApplyLinearChannels(choice.engine(), choice.output(),
                          block_rows.Select({selected, count}), begin,
                          begin + size, block_logits);
      for (size_t j = 0; j < count; ++j) {
        const uint32_t i = needed_by[j];
        float* const row = logits + i * window;
        if (!any[i]) std::fill_n(row, end - first, kBannedLogit);
        any[i] = true;
        uint32_t mask =
            choice.sentence(selected[j]).shortlist[begin / kChannelBlock];
        for (; mask != 0; mask &= mask - 1) {
          const auto c = static_cast<uint32_t>(std::countr_zero(mask));
          row[begin - first + c] = block_logits[j * size + c];
        }
      }
    }
    choice.step.trace.Lap(Operation::kOutput);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!any[i]) continue;
      const Sentence& sentence = choice.sentence(rows[i]);
      const LogitWindow logit_window = {logits + i * window, first,
                                        end - first};
      ProcessLogits(sentence.options, sentence.prefix(), logit_window);
      best[i] = Better(choice.engine(), logit_window, best[i]);
    }
    choice.step.trace.Lap(Operation::kSearch);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    choice.tokens[rows[i]] = static_cast<int32_t>(best[i].token);
  }
}

}  // namespace

int32_t ChooseFromShortlist(const Choice& choice, size_t i) {
  const Engine& engine = choice.engine();
  Sentence& sentence = choice.sentence(i);
  const uint32_t vocabulary = choice.output().n;
  float* logits = choice.logits();
  ApplyMaskedLinear(engine, choice.output(), choice.input.Row(i),
                    sentence.shortlist, logits);
  choice.step.trace.Lap(Operation::kOutput);
  ProcessLogits(sentence.options, sentence.prefix(), {logits, 0, vocabulary});
  const uint32_t blocks = (vocabulary + kChannelBlock - 1) / kChannelBlock;
  BestLogit best;
  for (uint32_t begin = 0; begin < blocks; ++begin) {
    if (sentence.shortlist[begin] == 0) continue;
    uint32_t end = begin;
    while (end < blocks && sentence.shortlist[end] != 0) ++end;
    const size_t first = size_t{begin} * kChannelBlock;
    const size_t size =
        std::min<size_t>(size_t{end} * kChannelBlock, vocabulary) - first;
    best = Better(engine, {logits + first, first, size}, best);
    begin = end;
  }
  return static_cast<int32_t>(best.token);
}

LATIMER_OFF_STACK void ChooseFromShortlists(const Choice& choice) {
  constexpr size_t kFloats = Elements(Buffer::kLogits, sizeof(float));
  uint32_t rows[kProfile.lanes];
  size_t count = 0;
  for (uint32_t i = 0; i < choice.rows.size(); ++i) {
    if (choice.forced(i)) continue;
    if (NeedsAllLogits(choice.sentence(i))) {
      choice.tokens[i] = ChooseFromAll(choice, i);
    } else {
      rows[count++] = i;
    }
  }
  if (count == 0) return;
  const size_t gathered =
      count * GatheredFloats(choice.input) + kReadSlackBytes / sizeof(float);
  const size_t blocks = kFloats / count / kChannelBlock;
  const size_t taken = gathered / count / kChannelBlock + 2;
  if (blocks <= taken) {
    for (size_t i = 0; i < count; ++i) {
      choice.tokens[rows[i]] = ChooseFromShortlist(choice, rows[i]);
    }
    return;
  }
  const auto window = static_cast<uint32_t>((blocks - taken) * kChannelBlock);
  ChooseFromShortlists(choice, {rows, count}, {choice.logits(), gathered},
                       window);
}

}  // namespace latimer
