// Links of words, made of the links of tokens (api/word_links.cc).
// Tests api/word_links.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "latimer/translation.h"

namespace latimer {

bool operator==(const WordLink& a, const WordLink& b) {
  return a.source == b.source && a.target == b.target;
}

}  // namespace latimer

namespace latimer::word_links_test {

using testing::ElementsAre;

std::vector<WordLink> Link(std::string_view source, std::string_view target,
                           std::span<const TokenLink> links,
                           size_t room = 100) {
  std::vector<WordLink> out(room);
  const size_t count = LinkWords(source, target, links, out);
  out.resize(std::min(count, room));
  return out;
}

TEST(WordLinksTest, WordsAreWhatStandsBetweenWhiteSpace) {
  EXPECT_EQ(CountWords(""), 0u);
  EXPECT_EQ(CountWords(" \t\n"), 0u);
  EXPECT_EQ(CountWords("one"), 1u);
  EXPECT_EQ(CountWords("  one, two\u3000three\u00A0four \n"), 4u);
  EXPECT_EQ(CountWords("\u4ECA\u5929"), 1u);
  EXPECT_EQ(CountWords("a\xFF b"), 2u);  // Not UTF-8.
}

TEST(WordLinksTest, AWordComesFromThatOfMostOfItsTokens) {
  // "The old houses" / "Die alten Haeuser": 3 tokens for the last word, of
  // which one links to "old", and a token of no text at the end.
  const std::vector<TokenLink> links = {
      {{0, 3}, {0, 3}},    {{4, 9}, {4, 7}},     {{10, 12}, {4, 7}},
      {{12, 15}, {8, 12}}, {{15, 17}, {12, 14}}, {{0, 0}, {0, 3}}};
  EXPECT_THAT(Link("The old houses", "Die alten Haeuser", links),
              ElementsAre(WordLink{0, 0}, WordLink{1, 1}, WordLink{2, 2}));
}

TEST(WordLinksTest, OfEqualOnesTheFirstCounts) {
  const std::vector<TokenLink> links = {{{0, 2}, {4, 5}}, {{2, 4}, {0, 3}}};
  EXPECT_THAT(Link("abc d", "wxyz", links), ElementsAre(WordLink{1, 0}));
}

TEST(WordLinksTest, AWordWithoutASourceHasNoLink) {
  const std::vector<TokenLink> links = {
      {{0, 1}, {0, 1}}, {{2, 3}, {}}, {{4, 5}, {2, 3}}};
  EXPECT_THAT(Link("a b", "x y z", links),
              ElementsAre(WordLink{0, 0}, WordLink{1, 2}));
  EXPECT_THAT(Link("a b", "x y z", {}), ElementsAre());
}

TEST(WordLinksTest, WritesNoMoreThanThereIsRoomFor) {
  const std::vector<TokenLink> links = {{{0, 1}, {0, 1}}, {{2, 3}, {2, 3}}};
  std::vector<WordLink> out(1);
  EXPECT_EQ(LinkWords("a b", "x y", links, out), 2u);
  EXPECT_EQ(out[0], (WordLink{0, 0}));
}

}  // namespace latimer::word_links_test
