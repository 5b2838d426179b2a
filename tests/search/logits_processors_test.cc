// Logits that are changed before a token is chosen.
// Tests runtime/search/logits_processors.cc.
#include "search/logits_processors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace latimer::logits_processors_test {

using ::testing::ElementsAre;

constexpr float kNever = -std::numeric_limits<float>::infinity();

SearchOptions Plain() {
  SearchOptions options = {};
  options.eos = 0;
  options.repetition_penalty = 1.0f;
  return options;
}

// Logits of tokens [first, first + logits.size()) after the tokens `target`,
// which follow decoder_start 9.
std::vector<float> Process(const SearchOptions& options,
                           const std::vector<int32_t>& target,
                           std::vector<float> logits, size_t first = 0) {
  ProcessLogits(options, {9, target.data(), target.size() + 1},
                {logits.data(), first, logits.size()});
  return logits;
}

TEST(ProcessLogitsTest, WithoutOptionsNothingChanges) {
  EXPECT_THAT(Process(Plain(), {1, 1, 1}, {1, 2, 3}), ElementsAre(1, 2, 3));
}

TEST(ProcessLogitsTest, TheRepetitionPenaltyCountsEachTokenOnce) {
  SearchOptions options = Plain();
  options.repetition_penalty = 2.0f;
  EXPECT_THAT(Process(options, {1, 1, 2}, {4, 4, -4, 4}),
              ElementsAre(4, 2, -8, 4));
  // decoder_start counts as well.
  EXPECT_THAT(Process(options, {}, {4, 4}, 8), ElementsAre(4, 2));
}

TEST(ProcessLogitsTest, ARepeatedNgramIsBanned) {
  SearchOptions options = Plain();
  options.no_repeat_ngram = 2;
  // 1 was followed by 2 and by 3.
  EXPECT_THAT(Process(options, {1, 2, 1, 3, 1}, {0, 0, 0, 0, 0}),
              ElementsAre(0, 0, kNever, kNever, 0));
  options.no_repeat_ngram = 1;
  EXPECT_THAT(Process(options, {1, 3}, {0, 0, 0, 0}),
              ElementsAre(0, kNever, 0, kNever));
  options.no_repeat_ngram = 5;
  EXPECT_THAT(Process(options, {1, 1}, {0, 0}), ElementsAre(0, 0));
}

TEST(ProcessLogitsTest, ASequenceIsBannedWhereItWouldBecomeWhole) {
  SearchOptions options = Plain();
  const std::vector<int32_t> tokens = {3, 1, 2, 9, 4};
  const std::vector<uint32_t> ends = {1, 3, 5};  // {3}, {1, 2}, {9, 4}
  options.banned_tokens = tokens;
  options.banned_ends = ends;
  EXPECT_THAT(Process(options, {5}, {0, 0, 0, 0, 0}),
              ElementsAre(0, 0, 0, kNever, 0));
  EXPECT_THAT(Process(options, {1}, {0, 0, 0, 0, 0}),
              ElementsAre(0, 0, kNever, kNever, 0));
  EXPECT_THAT(Process(options, {}, {0, 0, 0, 0, 0}),
              ElementsAre(0, 0, 0, kNever, kNever));
}

TEST(ProcessLogitsTest, EosIsBannedBeforeTheMinimumLength) {
  SearchOptions options = Plain();
  options.min_tokens = 2;
  EXPECT_THAT(Process(options, {1}, {0, 0}), ElementsAre(kNever, 0));
  EXPECT_THAT(Process(options, {1, 1}, {0, 0}), ElementsAre(0, 0));
}

TEST(ProcessLogitsTest, AWindowThatLacksATokenIsLeftAlone) {
  SearchOptions options = Plain();
  const std::vector<int32_t> suppressed = {1, 5, 7};
  options.suppressed = suppressed;
  options.repetition_penalty = 2.0f;
  EXPECT_THAT(Process(options, {1, 6}, {4, 4, 4}, 4),
              ElementsAre(4, kNever, 2));
}

}  // namespace latimer::logits_processors_test
