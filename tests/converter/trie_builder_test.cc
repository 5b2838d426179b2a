// Tries that are built are found again, and share what is equal.
// Tests converter/trie_builder.cc.
#include "converter/trie_builder.h"

#include <gtest/gtest.h>

#include <random>

#include "converter/error.h"
#include "text/trie.h"

namespace latimer::trie_builder_test {

TEST(TrieBuilderTest, RandomKeysAreFoundWithTheirValues) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::map<std::string, uint32_t> entries;
    const uint32_t letters = round % 2 == 0 ? 3 : 255;
    for (int i = 0; i < 300; ++i) {
      std::string key(1 + random() % 6, '\0');
      for (char& c : key) c = static_cast<char>(1 + random() % letters);
      entries[key] = random() % (round % 3 == 0 ? 2 : 1000);
    }
    const std::vector<uint32_t> nodes = BuildTrie(entries);
    ASSERT_TRUE(ValidateTrie(nodes, 1000, "trie").ok());
    for (const auto& [key, value] : entries) {
      EXPECT_EQ(FindKey(nodes, key), value);
    }
    EXPECT_EQ(TrieEntries(nodes), entries);
    for (int i = 0; i < 300; ++i) {
      std::string key(1 + random() % 6, '\0');
      for (char& c : key) c = static_cast<char>(random() % (letters + 1));
      const auto found = entries.find(key);
      EXPECT_EQ(FindKey(nodes, key),
                found == entries.end() ? kTrieNone : found->second);
    }
  }
}

TEST(TrieBuilderTest, EqualContinuationsAreStoredOnce) {
  const size_t one = BuildTrie({{"axyz", 1}, {"axyw", 2}}).size();
  EXPECT_EQ(
      BuildTrie({{"axyz", 1}, {"axyw", 2}, {"bxyz", 1}, {"bxyw", 2}}).size(),
      one);
}

TEST(TrieBuilderTest, NoKeysMakeNoNodes) { EXPECT_TRUE(BuildTrie({}).empty()); }

TEST(TrieBuilderTest, ImpossibleKeysAreRefused) {
  EXPECT_THROW(BuildTrie({{"", 1}}), ConversionError);
  EXPECT_THROW(BuildTrie({{std::string("a\0b", 3), 1}}), ConversionError);
  EXPECT_THROW(BuildTrie({{"a", kTrieNone}}), ConversionError);
}

}  // namespace latimer::trie_builder_test
