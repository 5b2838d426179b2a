// A cache finds what was added and not dropped, and stays within its bytes.
// Tests programs/cache/exact_cache.h.
#include "cache/exact_cache.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace latimer::exact_cache_test {

using Cache = ExactCache<std::string>;

constexpr size_t kEntry = Cache::kOverhead + 2;  // Of a key and a value of 1.

TEST(ExactCache, WhatWasUsedLeastRecentlyGoesFirst) {
  Cache cache(3 * kEntry);
  for (const char* key : {"a", "b", "c"}) cache.Add(key, key, 1);
  EXPECT_EQ(cache.bytes(), 3 * kEntry);
  ASSERT_NE(cache.Find("a"), nullptr);
  EXPECT_EQ(*cache.Find("a"), "a");
  cache.Add("d", "d", 1);
  EXPECT_EQ(cache.Find("b"), nullptr);
  for (const char* key : {"a", "c", "d"}) EXPECT_NE(cache.Find(key), nullptr);
}

TEST(ExactCache, AKeyKeepsItsValueAndWhatIsTooLargeIsNotKept) {
  Cache cache(2 * kEntry);
  cache.Add("a", "1", 1);
  cache.Add("a", "2", 1);
  EXPECT_EQ(*cache.Find("a"), "1");
  cache.Add("b", "large", 2 * kEntry);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(Cache(0).bytes(), 0u);
}

TEST(ExactCache, StaysWithinItsBytesAndTellsKeysApart) {
  Cache cache(10'000);
  std::mt19937 random(1);
  size_t found = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key(random() % 40, static_cast<char>(random() % 4));
    const std::string value = key + "!";
    if (const std::string* hit = cache.Find(key)) {
      EXPECT_EQ(*hit, value);
      ++found;
    } else {
      cache.Add(key, value, value.size());
    }
    ASSERT_LE(cache.bytes(), 10'000u);
  }
  EXPECT_GT(found, 1000u);
}

}  // namespace latimer::exact_cache_test
