// When a translation repeats itself without end.
// Tests runtime/search/loop_detector.cc.
#include "search/loop_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace latimer::loop_detector_test {

using Ids = std::vector<int32_t>;

// The number of tokens up to the end of the first loop's first copy, or of all
// tokens if there is no loop.
size_t Kept(const Ids& ids, size_t allowance = 0) {
  LoopDetector detector;
  for (size_t count = 1; count <= ids.size(); ++count) {
    detector.Add(ids.data(), count);
    if (const size_t kept = detector.EndOfFirstCopy(count, allowance)) {
      return kept;
    }
  }
  return ids.size();
}

bool IsPeriodic(std::span<const int32_t> ids, size_t period) {
  return std::equal(ids.begin() + static_cast<ptrdiff_t>(period), ids.end(),
                    ids.begin());
}

// The same in a slow way: looks at all tokens before each token.
size_t KeptByDefinition(const Ids& all, size_t allowance) {
  for (size_t count = 1; count <= all.size(); ++count) {
    const std::span<const int32_t> ids(all.data(), count);
    for (size_t p = 1; p <= kLongestLoopPeriod; ++p) {
      const size_t least = std::max(kLoopCopies * p, kLoopTokens) + allowance;
      if (count < least || !IsPeriodic(ids.last(least), p)) continue;
      size_t tokens = least;
      while (tokens < count && IsPeriodic(ids.last(tokens + 1), p)) ++tokens;
      return count - tokens + p;
    }
  }
  return all.size();
}

Ids Repeat(const Ids& sequence, size_t tokens) {
  Ids ids;
  for (size_t i = 0; i < tokens; ++i) {
    ids.push_back(sequence[i % sequence.size()]);
  }
  return ids;
}

TEST(LoopDetectorTest, OneTokenIsALoopWhenItHasComeThirtyTwoTimes) {
  EXPECT_EQ(Kept(Repeat({7}, 31)), 31u);
  EXPECT_EQ(Kept(Repeat({7}, 32)), 1u);
}

TEST(LoopDetectorTest, ALongSequenceIsALoopWhenItHasComeEightTimes) {
  Ids sequence;
  for (int32_t id = 0; id < 16; ++id) sequence.push_back(id);
  EXPECT_EQ(Kept(Repeat(sequence, 8 * 16 - 1)), 8u * 16 - 1);
  EXPECT_EQ(Kept(Repeat(sequence, 8 * 16)), 16u);
  sequence.push_back(99);
  EXPECT_EQ(Kept(Repeat(sequence, 1000)), 1000u);
}

TEST(LoopDetectorTest, WhatComesBeforeALoopIsKept) {
  Ids ids = {1, 2, 3, 4};
  for (const int32_t id : Repeat({5, 6, 6}, 100)) ids.push_back(id);
  EXPECT_EQ(Kept(ids), 4u + 3);
}

TEST(LoopDetectorTest, OneOtherTokenBreaksALoop) {
  Ids ids = Repeat({5, 6}, 31);
  ids.push_back(9);
  for (const int32_t id : Repeat({5, 6}, 31)) ids.push_back(id);
  EXPECT_EQ(Kept(ids), ids.size());
}

TEST(LoopDetectorTest, ASourceThatRepeatsItselfAllowsMore) {
  EXPECT_EQ(Kept(Repeat({7}, 51), 20), 51u);
  EXPECT_EQ(Kept(Repeat({7}, 52), 20), 1u);
  EXPECT_EQ(MostRepeatedTokens({}), 0u);
  EXPECT_EQ(MostRepeatedTokens(Ids{1, 2, 3, 4}), 0u);
  EXPECT_EQ(MostRepeatedTokens(Ids{1, 2, 3, 1, 2, 3, 1, 9, 9}), 7u);
}

TEST(LoopDetectorTest, FindsWhatTheDefinitionSays) {
  std::mt19937 random(1);
  size_t found = 0;
  for (int i = 0; i < 300; ++i) {
    // Loops of a few tokens, with noise before, between and after.
    Ids ids;
    while (ids.size() < 300) {
      Ids sequence;
      for (size_t n = 1 + random() % 18; n > 0; --n) {
        sequence.push_back(static_cast<int32_t>(random() % 3));
      }
      for (const int32_t id : Repeat(sequence, random() % 180)) {
        ids.push_back(id);
      }
    }
    const size_t allowance = random() % 40;
    const size_t kept = Kept(ids, allowance);
    ASSERT_EQ(kept, KeptByDefinition(ids, allowance));
    found += kept < ids.size() ? 1 : 0;
  }
  EXPECT_GT(found, 100u);
  EXPECT_LT(found, 300u);
}

}  // namespace latimer::loop_detector_test
