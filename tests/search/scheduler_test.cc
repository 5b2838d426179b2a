// Which sentences run, wait, move and end, with a network that is made up.
// Tests runtime/search/scheduler.cc.
#include "search/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "tests/search/fake_network.h"

namespace latimer::scheduler_test {

using ::testing::ElementsAre;

// Steps until everything is done; returns the tickets in the order in which
// they finish.
std::vector<uint64_t> RunAll(FakeNetwork& network) {
  std::vector<uint64_t> order;
  Scheduler& scheduler = network.scheduler();
  for (int step = 0; scheduler.under_way() > 0; ++step) {
    if (step > 10000) {
      ADD_FAILURE() << "the scheduler makes no progress";
      break;
    }
    while (Sentence* done = scheduler.NextFinished()) {
      order.push_back(done->ticket);
      scheduler.Release(*done);
    }
    network.Step();
  }
  return order;
}

TEST(SchedulerTest, ASentenceRunsUntilItsEos) {
  FakeNetwork network(64, 64, 2);
  Sentence* sentence = network.Begin(5, 3);
  EXPECT_EQ(network.Step(), 1u);
  EXPECT_EQ(network.Step(), 1u);
  EXPECT_EQ(network.scheduler().NextFinished(), nullptr);
  EXPECT_EQ(network.Step(), 1u);
  EXPECT_EQ(network.scheduler().NextFinished(), sentence);
  EXPECT_THAT(sentence->target_ids(),
              ElementsAre(FakeNetwork::Token(*sentence, 0),
                          FakeNetwork::Token(*sentence, 1), kFakeEos));
  EXPECT_EQ(sentence->stop_reason, StopReason::kEos);
  EXPECT_EQ(sentence->generated, 3u);
  network.scheduler().Release(*sentence);
  EXPECT_EQ(network.scheduler().under_way(), 0u);
}

TEST(SchedulerTest, ASentenceWithoutASourceIsDoneAtOnce) {
  FakeNetwork network(64, 64, 1);
  Sentence* sentence = network.Begin(0, 1);
  EXPECT_EQ(network.scheduler().NextFinished(), sentence);
  EXPECT_TRUE(sentence->target_ids().empty());
}

TEST(SchedulerTest, AForcedLastTokenIsNoneOfAPhrase) {
  FakeNetwork network(64, 64, 2);
  Sentence* sentence = network.Begin(5, 100);
  std::vector<int32_t> memory(64);
  const std::vector<int32_t> tokens = {5, 6};
  PhraseList phrases(memory);
  ASSERT_TRUE(phrases.Add({0, 1, tokens}));
  const TokenizerView tokenizer = {};
  ASSERT_TRUE(phrases.RequireMissing({0, nullptr, 1}, tokenizer));
  sentence->options.phrases = phrases;
  sentence->options.tokenizer = &tokenizer;
  sentence->options.max_tokens = 2;
  sentence->options.forced_last_token = kFakeEos;
  sentence->phrases.ForceMissing(phrases);
  network.scheduler().Admit();
  for (const StepRow& row : network.scheduler().PlanStep()) {
    network.scheduler().Append(*row.sentence, tokens[0]);
  }
  EXPECT_EQ(RunAll(network).size(), 1u);
  EXPECT_THAT(sentence->target_ids(), ElementsAre(5, kFakeEos));
  EXPECT_EQ(sentence->phrases.forced(phrases), 6);
}

TEST(SchedulerTest, NoMoreSentencesBeginThanThereAreLanes) {
  FakeNetwork network(4096, 4096, 1);
  for (uint32_t i = 0; i < kProfile.lanes; ++i) {
    EXPECT_NE(network.Begin(4, 4), nullptr);
  }
  EXPECT_EQ(network.Begin(4, 4), nullptr);
  EXPECT_EQ(network.Step(), kProfile.lanes);
  EXPECT_EQ(RunAll(network).size(), kProfile.lanes);
}

TEST(SchedulerTest, ASentenceWhoseAttentionIsRecordedIsAlone) {
  FakeNetwork network(64, 64, 1);
  Sentence* sentence = network.Begin(4, 2);
  EXPECT_TRUE(network.scheduler().CanBegin());
  sentence->attention = AttentionKind::kCross;
  EXPECT_FALSE(network.scheduler().CanBegin());
  EXPECT_EQ(network.Begin(4, 2), nullptr);
  EXPECT_EQ(RunAll(network).size(), 1u);
  EXPECT_TRUE(network.scheduler().CanBegin());
}

TEST(SchedulerTest, ASentenceThatHasEndedMakesRoomForTheNext) {
  // Room for the sources of two sentences at a time.
  FakeNetwork network(10, 4096, 1);
  for (int i = 0; i < 3; ++i) network.Begin(5, i == 0 ? 2 : 6);
  EXPECT_EQ(network.Step(), 2u);
  EXPECT_EQ(network.encoded(), 2u);
  EXPECT_EQ(network.Step(), 2u);  // The first one ends here.
  EXPECT_EQ(network.Step(), 2u);
  EXPECT_EQ(network.encoded(), 3u);
  EXPECT_THAT(RunAll(network), ElementsAre(0, 1, 2));
}

TEST(SchedulerTest, CachesGrowAndMoveWithTheirContents) {
  // Each begins with a share of the pool and needs far more; FakeNetwork checks
  // the contents in each step.
  FakeNetwork network(4096, 400, 3);
  for (int i = 0; i < 4; ++i) network.Begin(2, 90);
  EXPECT_EQ(RunAll(network).size(), 4u);
}

TEST(SchedulerTest, WithoutRoomTheYoungestIsQueuedAgainAndKeepsItsTokens) {
  // Room for one and a half translations.
  FakeNetwork network(4096, 150, 2);
  std::vector<size_t> seen;
  std::vector<Sentence*> sentences;
  for (int i = 0; i < 3; ++i) {
    Sentence* sentence = network.Begin(2, 100);
    sentence->options.on_token = [](void* context, size_t index, int32_t) {
      static_cast<std::vector<size_t>*>(context)->push_back(index);
      return true;
    };
    sentence->options.token_context = &seen;
    sentences.push_back(sentence);
  }
  EXPECT_THAT(RunAll(network), ElementsAre(0, 1, 2));
  EXPECT_GT(network.encoded(), 3u);  // At least one was encoded again.
  // No token was reported twice.
  EXPECT_EQ(seen.size(), 300u);
  for (const Sentence* sentence : sentences) {
    EXPECT_EQ(sentence->target_count, 100u);
  }
}

TEST(SchedulerTest, LimitsEndASentence) {
  FakeNetwork network(64, 256, 1);
  Sentence* limited = network.Begin(4, 50);
  limited->options.max_tokens = 3;
  Sentence* budget = network.Begin(4, 50);
  budget->options.budget_tokens = 5;
  Sentence* late = network.Begin(4, 50);
  late->options.deadline = 1;  // Long ago.
  std::atomic<bool> cancel = true;
  Sentence* cancelled = network.Begin(4, 50);
  cancelled->options.cancel = &cancel;
  Sentence* stopped = network.Begin(4, 50);
  stopped->options.on_token = [](void*, size_t index, int32_t) {
    return index < 1;
  };
  RunAll(network);
  EXPECT_EQ(limited->stop_reason, StopReason::kLengthLimit);
  EXPECT_EQ(limited->target_count, 3u);
  EXPECT_EQ(budget->stop_reason, StopReason::kBudget);
  EXPECT_EQ(budget->target_count, 5u);
  EXPECT_EQ(late->stop_reason, StopReason::kBudget);
  EXPECT_EQ(late->target_count, 0u);
  EXPECT_EQ(cancelled->stop_reason, StopReason::kCancelled);
  EXPECT_EQ(cancelled->target_count, 0u);
  EXPECT_EQ(stopped->stop_reason, StopReason::kCancelled);
  EXPECT_EQ(stopped->target_count, 2u);
}

TEST(SchedulerTest, AForcedLastTokenNeedsNoStep) {
  FakeNetwork network(64, 64, 1);
  Sentence* sentence = network.Begin(4, 50);
  sentence->options.max_tokens = 3;
  sentence->options.forced_last_token = kFakeEos;
  EXPECT_EQ(network.Step(), 1u);
  EXPECT_EQ(network.Step(), 1u);
  EXPECT_EQ(network.Step(), 0u);
  EXPECT_EQ(network.scheduler().NextFinished(), sentence);
  EXPECT_EQ(sentence->target_ids().back(), kFakeEos);
  EXPECT_EQ(sentence->stop_reason, StopReason::kLengthLimit);
}

TEST(SchedulerTest, ALoopIsCutToItsFirstCopy) {
  FakeNetwork network(64, 256, 1);
  Sentence* sentence = network.Begin(4, 200);
  sentence->options.guards_loops = true;
  Scheduler& scheduler = network.scheduler();
  ASSERT_EQ(scheduler.Admit(), sentence);
  for (int i = 0; scheduler.NextFinished() == nullptr; ++i) {
    ASSERT_LT(i, 200);
    ASSERT_EQ(scheduler.PlanStep().size(), 1u);
    // 5, 6, then 8 and 9 over and over.
    scheduler.Append(*sentence, i < 2 ? 5 + i : 8 + i % 2);
  }
  EXPECT_EQ(sentence->stop_reason, StopReason::kLoop);
  EXPECT_THAT(sentence->target_ids(), ElementsAre(5, 6, 8, 9));
  EXPECT_EQ(sentence->generated, 2 + kLoopTokens);
}

TEST(SchedulerTest, TheOldestSentenceThatIsDoneComesFirst) {
  FakeNetwork network(64, 256, 1);
  network.Begin(4, 3);
  network.Begin(4, 2);
  network.Step();
  network.Step();
  EXPECT_EQ(network.scheduler().NextFinished()->ticket, 1u);
  network.Step();
  EXPECT_EQ(network.scheduler().NextFinished()->ticket, 0u);
}

}  // namespace latimer::scheduler_test
