// Characters of UTF-8, and which of them are spaces or end a sentence.
// Tests runtime/text/utf8.cc.
#include "text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace latimer::utf8_test {

TEST(Utf8Test, ReadsCharactersOfEachLength) {
  EXPECT_EQ(FirstChar("a").code_point, 0x61u);
  EXPECT_EQ(FirstChar("\u00e9x").code_point, 0xE9u);
  EXPECT_EQ(FirstChar("\u20acx").code_point, 0x20ACu);
  EXPECT_EQ(FirstChar("\U0001F642x").code_point, 0x1F642u);
  EXPECT_EQ(FirstChar(std::string_view("\0", 1)).bytes, 1u);
  EXPECT_EQ(LastChar("x\U0001F642").bytes, 4u);
  EXPECT_EQ(LastChar("x\u20ac").code_point, 0x20ACu);
}

TEST(Utf8Test, RefusesWhatIsNotUtf8) {
  for (const char* text :
       {"", "\x80", "\xC3", "\xC3(", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80",
        "\xFF"}) {
    EXPECT_EQ(FirstChar(text).bytes, 0u) << text;
  }
  EXPECT_EQ(LastChar("a\x80").bytes, 0u);
  EXPECT_EQ(LastChar("\xE2\x82").bytes, 0u);
  EXPECT_EQ(LastChar("\x80\x80\x80\x80\x80").bytes, 0u);
}

TEST(Utf8Test, ATextIsUtf8IfAllOfItIs) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8(std::string_view("a\0\u00e4\u2581\U0001F600", 11)));
  EXPECT_FALSE(IsUtf8("a\xC3"));
  EXPECT_FALSE(IsUtf8("\xE2\x96 a"));
}

TEST(Utf8Test, KnowsTheSpacesThatPythonStrips) {
  const std::string spaces =
      " \t\n\v\f\r\x1c\x1f\u0085\u00a0\u1680\u2000"
      "\u200a\u2028\u2029\u202f\u205f\u3000";
  EXPECT_EQ(LeadingSpaceBytes(spaces + "a "), spaces.size());
  EXPECT_EQ(TrailingSpaceBytes(" a" + spaces), spaces.size());
  for (const char* other : {"\u200b", "\ufeff", "\u2060", "a", "\x1b"}) {
    EXPECT_EQ(LeadingSpaceBytes(other), 0u) << other;
  }
  EXPECT_FALSE(IsBreakingSpace(0xA0));
  EXPECT_TRUE(IsBreakingSpace(0x3000));
}

TEST(Utf8Test, KnowsWhereSentencesEnd) {
  for (const char* text : {"a.", "a!", "a?", "a\u2026", "a.\"", "a.)\u00bb",
                           "a\u3002", "a\uff01\u300d"}) {
    EXPECT_TRUE(EndsSentence(text)) << text;
  }
  for (const char* text : {"", "a", "a,", "\"", "a. "}) {
    EXPECT_FALSE(EndsSentence(text)) << text;
  }
  EXPECT_TRUE(EndsIdeographicSentence("a\u3002"));
  EXPECT_FALSE(EndsIdeographicSentence("a."));
}

}  // namespace latimer::utf8_test
