// The best tokens of several sentences, in one pass over the output matrix.
#include <algorithm>

#include "base/off_stack.h"
#include "search/choice.h"
#include "search/choose.h"
#include "search/log_probability.h"
#include "search/pruned_argmax.h"

namespace latimer {
namespace {

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
    const BestLogit best = Better(engine, window, {});
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
  BestLogit best_;
  float second_ = kBannedLogit;
  LogSum sum_;
};

}  // namespace

LATIMER_OFF_STACK void ChooseFromWindows(const Choice& choice) {
  const size_t rows = choice.rows.size();
  const uint32_t vocabulary = choice.output().n;
  const size_t room = Elements(Buffer::kLogits, sizeof(float)) / rows;
  const size_t near = kLogitWindow * choice.engine().threads.thread_count();
  const auto most =
      static_cast<uint32_t>(std::min(room, near) / kLogitWindow * kLogitWindow);
  Argmax best[kProfile.lanes];
  for (uint32_t first = 0; first < vocabulary; first += most) {
    const uint32_t size = std::min(most, vocabulary - first);
    size_t stride = size;
    if (kProfile.pruned_argmax && choice.output().nibbles) {
      stride = ComputeUnprunedLogits(choice.engine(), choice.input, first,
                                     first + size, choice.logits());
    } else {
      ApplyLinearChannels(choice.engine(), choice.output(), choice.input, first,
                          first + size, choice.logits());
      CapLogits(choice.engine(), rows * size, choice.logits());
    }
    choice.step.trace.Lap(Operation::kOutput);
    for (size_t i = 0; i < rows; ++i) {
      if (choice.forced(i)) continue;
      const Sentence& sentence = choice.sentence(i);
      const LogitWindow window = {choice.logits() + i * stride, first, size};
      BanOthers(sentence.allowed, window);
      ProcessLogits(sentence.options, sentence.prefix(), window);
      if (kProfile.scores && sentence.scores != nullptr) {
        best[i].AddScored(choice.engine(), window);
      } else {
        best[i].Add(choice.engine(), window);
      }
    }
    choice.step.trace.Lap(Operation::kSearch);
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

}  // namespace latimer
