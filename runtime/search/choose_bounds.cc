// The best tokens of several sentences by the pruned argmax.
#include <algorithm>

#include "search/choice.h"
#include "search/pruned_argmax.h"

namespace latimer {
namespace {

// If more than a quarter of the logits had to be computed, exact bounds would
// have taken less time. So the next step uses exact bounds, and each time that
// this happens again, twice as many steps do.
void LearnFromStep(size_t computed, size_t vocabulary, Sentence& sentence) {
  constexpr uint32_t kMostSteps = 255;
  const bool flat = computed > vocabulary / 4;
  sentence.flat_steps =
      flat ? std::min(2 * sentence.flat_steps + 1, kMostSteps) : 0;
  sentence.unpruned_steps = sentence.flat_steps;
}

// The pruned argmax of some rows of the input.
void ChooseBounded(const Choice& choice, std::span<const uint32_t> rows,
                   Bounds kind) {
  const bool exact = kind == Bounds::kExact;
  BoundLogits(choice.engine(), choice.input, rows, kind, choice.logits());
  choice.step.trace.Lap(Operation::kOutput);
  const size_t blocks = NibbleBlocks(choice.output().n);
  for (size_t i = 0; i < rows.size(); ++i) {
    Sentence& sentence = choice.sentence(rows[i]);
    const BestToken best = FindBestToken(
        choice.engine(), choice.input.Row(rows[i]), sentence.options,
        sentence.prefix(), choice.logits() + i * blocks);
    if (!exact) {
      LearnFromStep(best.computed, choice.output().n, sentence);
    } else if (sentence.unpruned_steps > 0) {
      --sentence.unpruned_steps;
    }
    choice.tokens[rows[i]] = static_cast<int32_t>(best.token);
  }
  choice.step.trace.Lap(Operation::kSearch);
}

// ChooseBounded for as many rows at a time as there is memory for.
void ChooseInTurn(const Choice& choice, std::span<const uint32_t> rows,
                  Bounds kind) {
  const size_t most = MostBoundedRows(choice.output());
  for (size_t begin = 0; begin < rows.size(); begin += most) {
    ChooseBounded(
        choice, rows.subspan(begin, std::min(rows.size() - begin, most)), kind);
  }
}

}  // namespace

void ChooseFromBounds(const Choice& choice) {
  uint32_t bounded[kProfile.lanes];
  size_t count = 0;
  for (uint32_t i = 0; i < choice.rows.size(); ++i) {
    if (choice.forced(i)) continue;
    if (!NeedsAllLogits(choice.sentence(i))) {
      bounded[count++] = i;
      continue;
    }
    choice.tokens[i] = ChooseFromAll(choice, i);
    choice.step.trace.Lap(Operation::kSearch);
  }
  const std::span<uint32_t> rows = {bounded, count};
  if (count >= choice.engine().nibble->fewest_exact_rows) {
    return ChooseInTurn(choice, rows, Bounds::kExact);
  }
  // Rows whose bounds exclude too little come last.
  const auto flat = std::partition(rows.begin(), rows.end(), [&](uint32_t row) {
    return choice.sentence(row).unpruned_steps == 0;
  });
  ChooseInTurn(choice, {rows.begin(), flat}, Bounds::kHighNibbles);
  ChooseInTurn(choice, {flat, rows.end()}, Bounds::kExact);
}

}  // namespace latimer
