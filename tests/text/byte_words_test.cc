// The words that byte-level BPE merges within.
// Tests runtime/text/byte_words.cc.
#include "text/byte_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/character_class.h"

namespace latimer::byte_words_test {

using testing::ElementsAre;

// ASCII, and letters from U+0100 on.
constexpr uint32_t kClasses[] = {
    ClassEntry(0x00, CharacterClass::kOther),
    ClassEntry(0x09, CharacterClass::kSpace),
    ClassEntry(0x0E, CharacterClass::kOther),
    ClassEntry(' ', CharacterClass::kSpace),
    ClassEntry('!', CharacterClass::kOther),
    ClassEntry('0', CharacterClass::kNumber),
    ClassEntry(':', CharacterClass::kOther),
    ClassEntry('A', CharacterClass::kLetter),
    ClassEntry('[', CharacterClass::kOther),
    ClassEntry('a', CharacterClass::kLetter),
    ClassEntry('{', CharacterClass::kOther),
    ClassEntry(0x100, CharacterClass::kLetter),
};

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t bytes = FirstByteWord(kClasses, text);
    words.emplace_back(text.substr(0, bytes));
    if (bytes == 0 || bytes > text.size()) break;
    text.remove_prefix(bytes);
  }
  return words;
}

TEST(ByteWordsTest, LettersNumbersAndOthersAreApart) {
  EXPECT_THAT(Words("ab12!?c"), ElementsAre("ab", "12", "!?", "c"));
  EXPECT_THAT(Words("a\u0101b"), ElementsAre("a\u0101b"));
}

TEST(ByteWordsTest, OneSpaceBelongsToTheWordBehindIt) {
  EXPECT_THAT(Words(" a 1 !"), ElementsAre(" a", " 1", " !"));
  EXPECT_THAT(Words("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(Words("a \n b"), ElementsAre("a", " \n", " b"));
  EXPECT_THAT(Words("a\nb"), ElementsAre("a", "\n", "b"));
  EXPECT_THAT(Words("a\n\nb"), ElementsAre("a", "\n", "\n", "b"));
  EXPECT_THAT(Words("a  "), ElementsAre("a", "  "));
  EXPECT_THAT(Words(" "), ElementsAre(" "));
}

TEST(ByteWordsTest, ContractionsAreWords) {
  EXPECT_THAT(Words("I'm he'll 's'S"),
              ElementsAre("I", "'m", " he", "'ll", " '", "s", "'", "S"));
  EXPECT_THAT(Words("!'s"), ElementsAre("!'", "s"));
  EXPECT_THAT(Words("''s"), ElementsAre("''", "s"));
}

TEST(ByteWordsTest, WhatIsNoUtf8IsLikeAZeroByte) {
  EXPECT_THAT(Words("a\xFF\xFF!"), ElementsAre("a", "\xFF\xFF!"));
}

}  // namespace latimer::byte_words_test
