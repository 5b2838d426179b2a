#include "search/choose_beams.h"

#include <algorithm>

#include "base/off_stack.h"
#include "search/choose.h"
#include "search/log_probability.h"
#include "search/pruned_argmax.h"

namespace latimer {
namespace {

constexpr size_t kPiece = kLogitWindow;  // As LogSum adds them.

// The search of one row.
class RowSearch {
 public:
  RowSearch() = default;
  RowSearch(const Engine& engine, const StepRow& row)
      : engine_(&engine),
        options_(&row.sentence->options),
        prefix_(row.prefix()),
        best_(row.sentence->beams.candidates(row.beam)),
        most_(Beams::CandidatesPerBeam(*options_)) {}

  // Whether Add needs the window of all logits.
  bool needs_all() const { return options_->repetition_penalty != 1.0f; }

  // The logits of a window are processed in place. Windows come in order and
  // begin at multiples of kPiece.
  void Add(const LogitWindow& window) {
    if (needs_all()) {
      // A penalty depends on log-probabilities.
      Sum(window);
      sum_.Finish();
      for (size_t i = 0; i < window.size; ++i) {
        window.logits[i] = sum_.LogProbability(window.logits[i]);
      }
      sum_ = LogSum();
    } else if (!options_->renormalize) {
      Sum(window);
    }
    ProcessLogits(*options_, prefix_, window);
    if (options_->renormalize) Sum(window);
    Search(window);
  }

  // The same of all windows, from the logits of the allowed tokens. Windows of
  // other tokens alone would change nothing.
  LATIMER_OFF_STACK void AddAllowed(const AllowedTokens& allowed,
                                    const float* logits) {
    float window[kPiece];
    for (size_t i = 0; i < allowed.rows.n;) {
      const size_t first = allowed.tokens[i] / kPiece * kPiece;
      const size_t size =
          std::min<size_t>(kPiece, engine_->model.tensors.output.n - first);
      std::fill_n(window, size, kBannedLogit);
      for (; i < allowed.rows.n && allowed.tokens[i] < first + size; ++i) {
        window[allowed.tokens[i] - first] = logits[i];
      }
      Add({window, first, size});
    }
  }

  // Once all windows were added: makes logits log-probabilities. Returns the
  // number of candidates.
  uint32_t Finish() {
    sum_.Finish();
    for (uint32_t i = 0; i < count_; ++i) {
      best_[i].score = sum_.LogProbability(best_[i].score);
    }
    return count_;
  }

 private:
  void Sum(const LogitWindow& window) {
    sum_.Add(*engine_, {window.logits, window.size});
  }

  void Search(const LogitWindow& window) {
    for (size_t begin = 0; begin < window.size; begin += kPiece) {
      const std::span<const float> piece = {
          window.logits + begin, std::min(kPiece, window.size - begin)};
      const size_t best = engine_->vector->argmax(piece.size(), piece.data());
      if (!(piece[best] > Bar())) continue;
      for (size_t i = 0; i < piece.size(); ++i) {
        if (piece[i] > Bar()) {
          Insert({static_cast<int32_t>(window.first + begin + i), piece[i]});
        }
      }
    }
  }

  // What a logit must exceed to be among the best.
  float Bar() const {
    return count_ < most_ ? kBannedLogit : best_[count_ - 1].score;
  }

  void Insert(const BeamCandidate& candidate) {
    uint32_t i = count_ < most_ ? count_++ : count_ - 1;
    for (; i > 0 && candidate.score > best_[i - 1].score; --i) {
      best_[i] = best_[i - 1];
    }
    best_[i] = candidate;
  }

  const Engine* engine_ = nullptr;
  const SearchOptions* options_ = nullptr;
  Prefix prefix_ = {};
  LogSum sum_;
  BeamCandidate* best_ = nullptr;  // In descending order.
  size_t most_ = 0;
  uint32_t count_ = 0;
};

// Reads the output matrix once for all rows, a window of channels at a time.
void SearchWindows(const StepContext& step, const LinearInput& input,
                   std::span<const StepRow> rows,
                   std::span<RowSearch> searches) {
  const Engine& engine = step.engine;
  float* const logits = step.workspace.logits;
  const Linear& output = engine.model.tensors.output;
  const size_t room =
      Elements(Buffer::kLogits, sizeof(float)) / searches.size();
  const size_t near = kPiece * engine.threads.thread_count();
  const auto most =
      static_cast<uint32_t>(std::min(room, near) / kPiece * kPiece);
  for (uint32_t first = 0; first < output.n; first += most) {
    const uint32_t size = std::min(most, output.n - first);
    size_t stride = size;
    if (kProfile.pruned_argmax && output.nibbles) {
      stride =
          ComputeUnprunedLogits(engine, input, first, first + size, logits);
    } else {
      ApplyLinearChannels(engine, output, input, first, first + size, logits);
      CapLogits(engine, searches.size() * size, logits);
    }
    step.trace.Lap(Operation::kOutput);
    for (size_t i = 0; i < searches.size(); ++i) {
      const LogitWindow window = {logits + i * stride, first, size};
      BanOthers(rows[i].sentence->allowed, window);
      searches[i].Add(window);
    }
    step.trace.Lap(Operation::kSearch);
  }
}

// The search of a sentence's beams, by the gathered rows of its shortlist.
void SearchAllowed(const StepContext& step, const LinearInput& input,
                   const AllowedTokens& allowed,
                   std::span<RowSearch> searches) {
  float* const logits = step.workspace.logits;
  const size_t count = allowed.rows.n;
  const size_t most = Elements(Buffer::kLogits, sizeof(float)) / count;
  for (size_t begin = 0; begin < searches.size(); begin += most) {
    const size_t rows = std::min(most, searches.size() - begin);
    ApplyLinear(step.engine, allowed.rows, input.Rows(begin, rows), logits);
    CapLogits(step.engine, rows * count, logits);
    step.trace.Lap(Operation::kOutput);
    for (size_t i = 0; i < rows; ++i) {
      searches[begin + i].AddAllowed(allowed, logits + i * count);
    }
    step.trace.Lap(Operation::kSearch);
  }
}

}  // namespace

void ChooseCandidates(const StepContext& step, const LinearInput& input,
                      std::span<const StepRow> rows, uint32_t* counts) {
  const Engine& engine = step.engine;
  const uint32_t vocabulary = engine.model.tensors.output.n;
  float* const logits = step.workspace.logits;
  RowSearch searches[kProfile.lanes];
  for (size_t i = 0; i < rows.size(); ++i) {
    searches[i] = RowSearch(engine, rows[i]);
  }
  const bool one_by_one =
      std::any_of(searches, searches + rows.size(),
                  [](const RowSearch& search) { return search.needs_all(); });
  if (one_by_one) {
    for (size_t i = 0; i < rows.size(); ++i) {
      ComputeLogits(engine, input.Row(i), rows[i].sentence->allowed, logits);
      step.trace.Lap(Operation::kOutput);
      searches[i].Add({logits, 0, vocabulary});
    }
  } else if (AllGathered(rows)) {
    for (size_t i = 0; i < rows.size();) {
      const Sentence& sentence = *rows[i].sentence;
      const size_t own = sentence.row_count();
      SearchAllowed(step, input.Rows(i, own), sentence.allowed,
                    {searches + i, own});
      i += own;
    }
  } else {
    SearchWindows(step, input, rows, {searches, rows.size()});
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    counts[i] = searches[i].Finish();
  }
  step.trace.Lap(Operation::kSearch);
}

}  // namespace latimer
