// Bytes that are no UTF-8, in text that is written in pieces.
// Tests runtime/text/byte_text.cc.
#include "text/byte_text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace latimer::byte_text_test {

// The bytes in one write, and one by one, give the same.
std::string Text(std::string_view bytes, std::string_view replacement) {
  std::array<char, 64> out;
  ByteTextWriter writer(out, replacement);
  writer.Write(bytes);
  const std::string text(out.data(), writer.Finish());
  EXPECT_FALSE(writer.full());
  ByteTextWriter slow(out, replacement);
  for (const char byte : bytes) slow.Write({&byte, 1});
  EXPECT_EQ(std::string(out.data(), slow.Finish()), text);
  return text;
}

TEST(ByteTextTest, CharactersStay) {
  const std::string text = "a\u00e9\u4e2d\U0001f642\uffff\U0010ffff";
  EXPECT_EQ(Text(text, "?"), text);
  EXPECT_EQ(Text(std::string_view("\0", 1), "?"), std::string(1, '\0'));
}

// Table 3-11 of the Unicode Standard 15 and its neighbours.
TEST(ByteTextTest, TheLongestBeginningOfACharacterIsReplacedOnce) {
  EXPECT_EQ(Text("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "?"), "????A");
  EXPECT_EQ(Text("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "?"), "????????A");
  EXPECT_EQ(Text("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "?"), "????????A");
  EXPECT_EQ(Text("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "?"), "?????A??B");
  EXPECT_EQ(Text("a\xF0\x9F\x99", "?"), "a?");
  EXPECT_EQ(Text("\xE2\x82", "\uFFFD"), "\uFFFD");
}

TEST(ByteTextTest, WithoutAReplacementItIsLeftOut) {
  EXPECT_EQ(Text("a\xFF\xE2\x82z\xC3\xA9\xC3", ""), "az\u00e9");
}

TEST(ByteTextTest, WhatDoesNotFitIsSaid) {
  std::array<char, 3> out;
  ByteTextWriter writer(out, "?");
  writer.Write("ab");
  EXPECT_FALSE(writer.full());
  writer.Write("\u00e9");
  EXPECT_TRUE(writer.full());
}

}  // namespace latimer::byte_text_test
