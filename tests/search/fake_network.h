// Sentences that are scheduled without a model: tests choose the tokens.
#ifndef LATIMER_TESTS_SEARCH_FAKE_NETWORK_H_
#define LATIMER_TESTS_SEARCH_FAKE_NETWORK_H_

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "latimer/translator.h"
#include "search/scheduler.h"

namespace latimer {

inline constexpr int32_t kFakeEos = 0;

// A scheduler over caches of one float per token and layer, which the network
// fills with the tokens themselves, so that a test sees whether they survive.
class FakeNetwork {
 public:
  FakeNetwork(size_t source_tokens, size_t target_tokens, size_t layers)
      : layers_(layers),
        cross_(source_tokens * layers),
        self_(target_tokens * layers),
        workspace_(new Workspace) {
    CachePools pools;
    pools.cross = {cross_.data(), source_tokens, layers, 1};
    pools.self = {self_.data(), target_tokens, layers, 1};
    scheduler_.Reset(pools, *workspace_);
  }

  Scheduler& scheduler() { return scheduler_; }

  // Begins a sentence whose translation is `count` tokens, EOS included.
  Sentence* Begin(size_t source_count, size_t count) {
    if (!scheduler_.CanBegin()) return nullptr;
    Sentence* sentence = scheduler_.FreeLane();
    sentence->ticket = tickets_++;
    sentence->source_count = source_count;
    sentence->options = {.decoder_start = 7,
                         .eos = kFakeEos,
                         .forced_first_token = -1,
                         .max_tokens = 1000,
                         .min_tokens = 0,
                         .forced_last_token = -1,
                         .no_repeat_ngram = 0,
                         .repetition_penalty = 1.0f,
                         .banned_tokens = {},
                         .banned_ends = {},
                         .suppressed = {}};
    counts_.push_back(count);
    scheduler_.Queue(*sentence);
    return sentence;
  }

  // One step: token number i of a sentence with ticket t is 1000 t + i + 1.
  // Returns how many sentences took part.
  size_t Step() {
    scheduler_.StopLate();
    while (scheduler_.Admit() != nullptr) ++encoded_;
    const auto step = scheduler_.PlanStep();
    for (const StepRow& row : step) {
      Sentence& sentence = *row.sentence;
      const size_t i = sentence.target_count;
      CheckCaches(sentence);
      for (size_t layer = 0; layer < layers_; ++layer) {
        Cell(sentence, layer, i) =
            static_cast<float>(Token(sentence, i) + 100 * layer);
      }
      const bool last = i + 1 == counts_[sentence.ticket];
      scheduler_.Append(sentence, last ? kFakeEos : Token(sentence, i));
    }
    return step.size();
  }

  size_t encoded() const { return encoded_; }

  static int32_t Token(const Sentence& sentence, size_t i) {
    return static_cast<int32_t>(1000 * sentence.ticket + i + 1);
  }

 private:
  float& Cell(const Sentence& sentence, size_t layer, size_t i) {
    return sentence.caches.self_kv[layer * sentence.caches.self_rows + i];
  }

  // Expects what earlier steps wrote, wherever it has moved.
  void CheckCaches(const Sentence& sentence) {
    for (size_t layer = 0; layer < layers_; ++layer) {
      for (size_t i = 0; i < sentence.target_count; ++i) {
        ASSERT_EQ(Cell(sentence, layer, i),
                  static_cast<float>(Token(sentence, i) + 100 * layer))
            << "ticket " << sentence.ticket << ", layer " << layer;
      }
    }
  }

  const size_t layers_;
  std::vector<float> cross_, self_;
  std::unique_ptr<Workspace> workspace_;
  Scheduler scheduler_;
  std::vector<size_t> counts_;
  uint64_t tickets_ = 0;
  size_t encoded_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_SEARCH_FAKE_NETWORK_H_
