// Where a sentence's caches find room, and that they can be moved.
// Tests runtime/search/cache_pool.cc.
#include "search/cache_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace latimer::cache_pool_test {

// The first free region of `tokens` in a pool of 20 tokens; -1: none.
int FirstFit(const std::vector<CacheRegion>& taken, size_t tokens) {
  const CachePool pool = {nullptr, 20, 1, 1};
  CacheRegion found;
  if (!FindRegion(pool, taken, tokens, &found)) return -1;
  EXPECT_EQ(found.tokens, tokens);
  return static_cast<int>(found.begin);
}

TEST(FindRegionTest, AnEmptyPoolGivesItsBeginning) {
  EXPECT_EQ(FirstFit({}, 20), 0);
  EXPECT_EQ(FirstFit({}, 21), -1);
}

TEST(FindRegionTest, TheFirstGapThatIsLargeEnoughIsTaken) {
  const std::vector<CacheRegion> taken = {{0, 4}, {6, 4}, {14, 2}};
  EXPECT_EQ(FirstFit(taken, 2), 4);
  EXPECT_EQ(FirstFit(taken, 3), 10);
  EXPECT_EQ(FirstFit(taken, 4), 10);
  EXPECT_EQ(FirstFit(taken, 5), -1);
}

TEST(FindRegionTest, TheOrderOfTheOthersDoesNotMatter) {
  EXPECT_EQ(FirstFit({{14, 2}, {6, 4}, {0, 4}}, 3), 10);
  EXPECT_EQ(FirstFit({{10, 10}, {0, 5}}, 5), 5);
}

TEST(FindRegionTest, EmptyRegionsTakeNoRoom) {
  EXPECT_EQ(FirstFit({{0, 0}, {7, 0}}, 20), 0);
}

TEST(FindRegionTest, TheEndOfThePoolIsUsed) {
  EXPECT_EQ(FirstFit({{0, 15}}, 5), 15);
  EXPECT_EQ(FirstFit({{0, 15}}, 6), -1);
}

// Moves a region and checks every float of it, for all places that overlap the
// old one in one way or the other.
TEST(MoveTokensTest, OverlappingMovesKeepEveryToken) {
  constexpr size_t kTokens = 40, kLayers = 3, kRow = 2;
  for (size_t from_begin = 0; from_begin <= 20; ++from_begin) {
    for (size_t from_tokens = 1; from_tokens <= 8; ++from_tokens) {
      for (size_t to_begin = 0; to_begin <= 20; ++to_begin) {
        for (size_t to_tokens = from_tokens; to_tokens <= 12; ++to_tokens) {
          std::vector<float> memory(kTokens * kLayers * kRow, -1.0f);
          const CachePool pool = {memory.data(), kTokens, kLayers, kRow};
          const CacheRegion from = {from_begin, from_tokens};
          const CacheRegion to = {to_begin, to_tokens};
          const auto cell = [&](const CacheRegion& region, size_t layer,
                                size_t token, size_t i) -> float& {
            return pool.At(region)[(layer * region.tokens + token) * kRow + i];
          };
          const auto value = [](size_t layer, size_t token, size_t i) {
            return static_cast<float>(layer * 1000 + token * 10 + i);
          };
          const auto for_each = [&](const auto& f) {
            for (size_t layer = 0; layer < kLayers; ++layer) {
              for (size_t token = 0; token < from_tokens; ++token) {
                for (size_t i = 0; i < kRow; ++i) f(layer, token, i);
              }
            }
          };
          for_each([&](size_t layer, size_t token, size_t i) {
            cell(from, layer, token, i) = value(layer, token, i);
          });
          MoveTokens(pool, from, to, from_tokens);
          for_each([&](size_t layer, size_t token, size_t i) {
            ASSERT_EQ(cell(to, layer, token, i), value(layer, token, i))
                << from_begin << "+" << from_tokens << " to " << to_begin << "+"
                << to_tokens;
          });
        }
      }
    }
  }
}

}  // namespace latimer::cache_pool_test
