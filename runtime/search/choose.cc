#include "search/choose.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/off_stack.h"
#include "search/log_probability.h"
#include "search/pruned_argmax.h"
#include "search/sampling.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

bool NeedsAllLogits(const Sentence& sentence) {
  return sentence.scores != nullptr ||
         sentence.options.repetition_penalty != 1.0f || sentence.draws();
}

// The arguments of ChooseTokens.
struct Choice {
  const Engine& engine;
  const LinearInput& input;
  std::span<const StepRow> rows;
  float* logits;  // [Elements(Buffer::kLogits)]
  Trace& trace;
  int32_t* tokens;

  bool forced(size_t i) const { return rows[i].forced >= 0; }
  Sentence& sentence(size_t i) const { return *rows[i].sentence; }
  const Linear& output() const { return engine.model.tensors.output; }
};

struct Candidate {
  size_t token = 0;
  float logit = kBannedLogit;
};

// The best of logits [first, first + size), or `best` if none is better.
Candidate Better(const Engine& engine, const LogitWindow& window,
                 const Candidate& best) {
  const size_t i = engine.vector->argmax(window.size, window.logits);
  if (window.logits[i] > best.logit) {
    return {window.first + i, window.logits[i]};
  }
  return best;
}

// The best token of logits that come in windows.
class Argmax {
 public:
  void Add(const Engine& engine, const LogitWindow& window) {
    best_ = Better(engine, window, best_);
  }
  // The same for a token that gets a score. Windows come in order and begin at
  // multiples of kLogitWindow; the logits are overwritten.
  void AddScored(const Engine& engine, const LogitWindow& window) {
    sum_.Add(engine, {window.logits, window.size});
    const Candidate best = Better(engine, window, {});
    if (best.logit > best_.logit) {
      window.logits[best.token - window.first] = kBannedLogit;
      second_ = std::max(best_.logit, Better(engine, window, {}).logit);
      best_ = best;
    } else {
      second_ = std::max(second_, best.logit);
    }
  }

  int32_t token() const { return static_cast<int32_t>(best_.token); }
  TokenScore Score() {
    sum_.Finish();
    return {sum_.LogProbability(best_.logit), best_.logit - second_};
  }

 private:
  Candidate best_;
  float second_ = kBannedLogit;
  LogSum sum_;
};

// The score of `token` by its logits [vocabulary].
TokenScore ScoreToken(const Engine& engine, size_t token,
                      std::span<float> logits) {
  LogSum sum;
  sum.Add(engine, logits);
  sum.Finish();
  const float logit = logits[token];
  logits[token] = kBannedLogit;
  const float other =
      logits[engine.vector->argmax(logits.size(), logits.data())];
  logits[token] = logit;
  return {sum.LogProbability(logit), logit - other};
}

// Draws a token of processed logits [V].
int32_t DrawToken(const Engine& engine, Sentence& sentence,
                  std::span<float> logits) {
  const Sampling& sampling = sentence.options.sampling;
  WarpLogits(engine, sampling, logits);
  const size_t token =
      TokenAt(logits, RandomNumber(sampling, sentence.target_count));
  if (kProfile.scores && sentence.scores != nullptr) {
    const float probability = logits[token];
    logits[token] = 0.0f;
    const float other =
        logits[engine.vector->argmax(logits.size(), logits.data())];
    sentence.scores[sentence.target_count] = {
        std::log(probability), std::log(probability) - std::log(other)};
  }
  return static_cast<int32_t>(token);
}

// Processes logits [V] and returns the best token, or one that is drawn.
int32_t ChooseFromLogits(const Engine& engine, Sentence& sentence,
                         float* logits) {
  const size_t vocabulary = engine.architecture().target_vocabulary;
  ProbeOutput(ProbePoint::kLogits, 0, logits, vocabulary);
  ProcessLogits(sentence.options, sentence.prefix(), {logits, 0, vocabulary});
  if (sentence.draws()) {
    return DrawToken(engine, sentence, {logits, vocabulary});
  }
  const size_t best = engine.vector->argmax(vocabulary, logits);
  if (kProfile.scores && sentence.scores != nullptr) {
    sentence.scores[sentence.target_count] =
        ScoreToken(engine, best, {logits, vocabulary});
  }
  return static_cast<int32_t>(best);
}

// The best token that the sentence's shortlist allows.
int32_t ChooseFromShortlist(const Choice& choice, size_t i) {
  const Engine& engine = choice.engine;
  Sentence& sentence = choice.sentence(i);
  const uint32_t vocabulary = choice.output().n;
  float* logits = choice.logits;
  ApplyMaskedLinear(engine, choice.output(), choice.input.Row(i),
                    sentence.shortlist, logits);
  choice.trace.Lap(Operation::kOutput);
  ProcessLogits(sentence.options, sentence.prefix(), {logits, 0, vocabulary});
  const uint32_t blocks = (vocabulary + kChannelBlock - 1) / kChannelBlock;
  Candidate best;
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

// The best token of all logits.
int32_t ChooseFromAll(const Choice& choice, size_t i) {
  Sentence& sentence = choice.sentence(i);
  ComputeLogits(choice.engine, choice.input.Row(i), sentence.shortlist,
                choice.logits);
  choice.trace.Lap(Operation::kOutput);
  return ChooseFromLogits(choice.engine, sentence, choice.logits);
}

// Chooses for one sentence after another.
LATIMER_OFF_STACK void ChooseOneByOne(const Choice& choice) {
  for (size_t i = 0; i < choice.rows.size(); ++i) {
    if (choice.forced(i)) continue;
    const Sentence& sentence = choice.sentence(i);
    choice.tokens[i] = kProfile.shortlist && sentence.shortlist != nullptr &&
                               !NeedsAllLogits(sentence)
                           ? ChooseFromShortlist(choice, i)
                           : ChooseFromAll(choice, i);
    choice.trace.Lap(Operation::kSearch);
  }
}

// Reads the output matrix once for all rows, one window of channels at a time.
// The logits of a window fit into the first-level cache. Only in profiles with
// several lanes, which have room for a window of each.
LATIMER_OFF_STACK void ChooseFromWindows(const Choice& choice) {
  const size_t rows = choice.rows.size();
  const uint32_t vocabulary = choice.output().n;
  const size_t room = Elements(Buffer::kLogits, sizeof(float)) / rows;
  const size_t near = kLogitWindow * choice.engine.threads.thread_count();
  const auto most =
      static_cast<uint32_t>(std::min(room, near) / kLogitWindow * kLogitWindow);
  Argmax best[kProfile.lanes];
  for (uint32_t first = 0; first < vocabulary; first += most) {
    const uint32_t size = std::min(most, vocabulary - first);
    size_t stride = size;
    if (kProfile.pruned_argmax && choice.output().nibbles) {
      stride = ComputeUnprunedLogits(choice.engine, choice.input, first,
                                     first + size, choice.logits);
    } else {
      ApplyLinearChannels(choice.engine, choice.output(), choice.input, first,
                          first + size, choice.logits);
    }
    choice.trace.Lap(Operation::kOutput);
    for (size_t i = 0; i < rows; ++i) {
      if (choice.forced(i)) continue;
      const Sentence& sentence = choice.sentence(i);
      const LogitWindow window = {choice.logits + i * stride, first, size};
      ProcessLogits(sentence.options, sentence.prefix(), window);
      if (kProfile.scores && sentence.scores != nullptr) {
        best[i].AddScored(choice.engine, window);
      } else {
        best[i].Add(choice.engine, window);
      }
    }
    choice.trace.Lap(Operation::kSearch);
  }
  for (size_t i = 0; i < rows; ++i) {
    if (choice.forced(i)) continue;
    choice.tokens[i] = best[i].token();
    const Sentence& sentence = choice.sentence(i);
    if (kProfile.scores && sentence.scores != nullptr) {
      sentence.scores[sentence.target_count] = best[i].Score();
    }
  }
}

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
  Candidate best[kProfile.lanes];
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
      ApplyLinearChannels(choice.engine, choice.output(),
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
    choice.trace.Lap(Operation::kOutput);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!any[i]) continue;
      const Sentence& sentence = choice.sentence(rows[i]);
      const LogitWindow logit_window = {logits + i * window, first,
                                        end - first};
      ProcessLogits(sentence.options, sentence.prefix(), logit_window);
      best[i] = Better(choice.engine, logit_window, best[i]);
    }
    choice.trace.Lap(Operation::kSearch);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    choice.tokens[rows[i]] = static_cast<int32_t>(best[i].token);
  }
}

// With shortlists, several sentences.
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
  ChooseFromShortlists(choice, {rows, count}, {choice.logits, gathered},
                       window);
}

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
  BoundLogits(choice.engine, choice.input, rows, kind, choice.logits);
  choice.trace.Lap(Operation::kOutput);
  const size_t blocks = NibbleBlocks(choice.output().n);
  for (size_t i = 0; i < rows.size(); ++i) {
    Sentence& sentence = choice.sentence(rows[i]);
    const BestToken best = FindBestToken(
        choice.engine, choice.input.Row(rows[i]), sentence.options,
        sentence.prefix(), choice.logits + i * blocks);
    if (!exact) {
      LearnFromStep(best.computed, choice.output().n, sentence);
    } else if (sentence.unpruned_steps > 0) {
      --sentence.unpruned_steps;
    }
    choice.tokens[rows[i]] = static_cast<int32_t>(best.token);
  }
  choice.trace.Lap(Operation::kSearch);
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
    choice.trace.Lap(Operation::kSearch);
  }
  const std::span<uint32_t> rows = {bounded, count};
  if (count >= choice.engine.nibble->fewest_exact_rows) {
    return ChooseInTurn(choice, rows, Bounds::kExact);
  }
  // Rows whose bounds exclude too little come last.
  const auto flat = std::partition(rows.begin(), rows.end(), [&](uint32_t row) {
    return choice.sentence(row).unpruned_steps == 0;
  });
  ChooseInTurn(choice, {rows.begin(), flat}, Bounds::kHighNibbles);
  ChooseInTurn(choice, {flat, rows.end()}, Bounds::kExact);
}

}  // namespace

void ScoreReplayedToken(const Engine& engine, const LinearInput& input,
                        Sentence& sentence, const Buffers& workspace) {
  const size_t i = sentence.target_count;
  const SearchOptions& options = sentence.options;
  const bool is_given = !options.target_prefix.empty() &&
                        options.target_prefix.back() == options.eos;
  if (!is_given && RuledToken(options, i) >= 0) {
    sentence.scores[i] = kForcedScore;
    return;
  }
  const size_t vocabulary = engine.architecture().target_vocabulary;
  float* logits = workspace.logits;
  ComputeLogits(engine, input, sentence.shortlist, logits);
  if (!is_given) {
    ProcessLogits(options, sentence.prefix(), {logits, 0, vocabulary});
  }
  sentence.scores[i] = ScoreToken(
      engine, static_cast<size_t>(sentence.target[i]), {logits, vocabulary});
}

void ComputeLogits(const Engine& engine, const LinearInput& input,
                   const uint16_t* shortlist, float* logits) {
  const Linear& output = engine.model.tensors.output;
  if (kProfile.pruned_argmax && output.nibbles) {
    ComputeUnprunedLogits(engine, input, 0, output.n, logits);
  } else if (kProfile.shortlist && shortlist != nullptr) {
    std::fill_n(logits, output.n, kBannedLogit);
    ApplyMaskedLinear(engine, output, input, shortlist, logits);
  } else {
    ApplyLinear(engine, output, input, logits);
  }
}

void ChooseTokens(const Engine& engine, const LinearInput& input,
                  std::span<const StepRow> rows, const Buffers& workspace,
                  Trace& trace, int32_t* tokens) {
  const Choice choice = {engine, input, rows, workspace.logits, trace, tokens};
  const bool draws = std::ranges::any_of(
      rows, [](const StepRow& row) { return row.sentence->draws(); });
  const bool scores = std::ranges::any_of(
      rows, [](const StepRow& row) { return row.sentence->scores != nullptr; });
  const bool has_shortlist =
      kProfile.shortlist && rows[0].sentence->shortlist != nullptr;
  // Probes take whole rows of logits.
  const bool has_windows = kProfile.lanes > 1 && !draws && !kProfile.probes;
  if (has_windows && scores && !has_shortlist) return ChooseFromWindows(choice);
  if (kProfile.pruned_argmax && engine.model.info.pruned_argmax) {
    return ChooseFromBounds(choice);
  }
  if (has_windows && rows.size() > 1) {
    return has_shortlist ? ChooseFromShortlists(choice)
                         : ChooseFromWindows(choice);
  }
  ChooseOneByOne(choice);
}

}  // namespace latimer
