// Tries made by hand, whole and damaged.
// Tests runtime/text/trie.cc.
#include "text/trie.h"

#include <gtest/gtest.h>

#include <string>

#include "handmade_tokenizer.h"

namespace latimer::trie_test {

TEST(TrieTest, FindsEachKeyAndNothingElse) {
  const auto nodes =
      HandmadeTrie({{"a", 1}, {"ab", 2}, {"abc", 3}, {"b\xFF", 4}, {"xyz", 5}});
  ASSERT_TRUE(ValidateTrie(nodes, 6, "trie").ok());
  EXPECT_EQ(FindKey(nodes, "a"), 1u);
  EXPECT_EQ(FindKey(nodes, "ab"), 2u);
  EXPECT_EQ(FindKey(nodes, "abc"), 3u);
  EXPECT_EQ(FindKey(nodes, "b\xFF"), 4u);
  EXPECT_EQ(FindKey(nodes, "xyz"), 5u);
  for (const char* key : {"", "b", "xy", "abcd", "abd", "c", "aa", "zz"}) {
    EXPECT_EQ(FindKey(nodes, key), kTrieNone) << key;
  }
}

TEST(TrieTest, AZeroByteIsNoKeyEvenWhereAPrefixEnds) {
  const auto nodes = HandmadeTrie({{"a", 1}, {"ab", 2}});
  EXPECT_EQ(FindKey(nodes, std::string_view("a\0", 2)), kTrieNone);
  EXPECT_EQ(FindKey(nodes, std::string_view("\0", 1)), kTrieNone);
}

TEST(TrieTest, TheLongestMatchWins) {
  const auto nodes = HandmadeTrie({{"a", 1}, {"abc", 3}});
  EXPECT_EQ(LongestMatch(nodes, "abcd").bytes, 3u);
  EXPECT_EQ(LongestMatch(nodes, "abd").bytes, 1u);
  EXPECT_EQ(LongestMatch(nodes, "abd").value, 1u);
  EXPECT_EQ(LongestMatch(nodes, "bcd").bytes, 0u);
  EXPECT_EQ(LongestMatch({}, "bcd").bytes, 0u);
}

TEST(TrieTest, EachDamageIsFound) {
  const auto good = HandmadeTrie({{"a", 1}, {"ab", 2}, {"ac", 3}, {"bd", 1}});
  ASSERT_TRUE(ValidateTrie(good, 4, "trie").ok());
  EXPECT_TRUE(ValidateTrie({}, 0, "trie").ok());
  EXPECT_FALSE(ValidateTrie(good, 3, "trie").ok()) << "value out of range";
  auto bad = good;
  bad.resize(100);
  EXPECT_FALSE(ValidateTrie(bad, 4, "trie").ok()) << "too short";
  bad = good;
  bad.back() &= ~kTrieLast;
  EXPECT_FALSE(ValidateTrie(bad, 4, "trie").ok()) << "no end";
  bad = good;
  bad['a'] = (bad['a'] & ~kTrieNone) | static_cast<uint32_t>(good.size());
  EXPECT_FALSE(ValidateTrie(bad, 4, "trie").ok()) << "children outside";
  bad['a'] = (bad['a'] & ~kTrieNone) | 'b';
  EXPECT_FALSE(ValidateTrie(bad, 4, "trie").ok()) << "children in first level";
  bad['a'] = (bad['a'] & ~kTrieNone) | 257;
  EXPECT_FALSE(ValidateTrie(bad, 4, "trie").ok()) << "children amid a run";
  bad = good;
  std::swap(bad[257], bad[258]);
  EXPECT_FALSE(ValidateTrie(bad, 4, "trie").ok()) << "labels out of order";
  bad = good;
  bad[0] = kTrieLeaf | 1;
  EXPECT_FALSE(ValidateTrie(bad, 4, "trie").ok()) << "zero byte as a key";
}

// No check looks for circles, which would take too long; walks still end.
TEST(TrieTest, ATrieThatLeadsInACircleIsWalkedForAsLongAsAKeyCanBe) {
  auto nodes = HandmadeTrie({{"ab", 1}, {"ac", 2}});
  const uint32_t run = TriePayload(nodes['a']);
  nodes[run] = (nodes[run] & ~(kTrieLeaf | kTrieNone)) | run;  // b leads to b.
  ASSERT_TRUE(ValidateTrie(nodes, 3, "trie").ok());
  const std::string text = "a" + std::string(5000, 'b') + "c";
  EXPECT_EQ(LongestMatch(nodes, text).bytes, 0u);
  const std::string longest =
      "a" + std::string(kMaxTrieKeyBytes - 2, 'b') + "c";
  EXPECT_EQ(LongestMatch(nodes, longest).bytes, kMaxTrieKeyBytes);
  std::string out(kMaxTrieKeyBytes, '\0');
  EXPECT_EQ(KeyOfValue(nodes, 1, out), "");
}

}  // namespace latimer::trie_test
