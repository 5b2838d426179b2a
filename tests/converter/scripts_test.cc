// Sets of scripts, and which characters are of them.
// Tests converter/scripts.cc.
#include "converter/scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/model_folder.h"

namespace latimer::scripts_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ScriptSetTest, CoversItsLettersAndWhatIsOfNoScript) {
  const ScriptSet latin("Latn");
  for (const char* text :
       {"", "Stra\u00DFe", "\u2581the", "e\u0301", "12,5 %", "\u20AC", "\u3002",
        "\U0001F600", "\u1E9E", "\uA78B", "\uE000", "\uFFFD", "\xFF"}) {
    EXPECT_TRUE(latin.Covers(text)) << text;
  }
  for (const char* text :
       {"\u043C\u0438\u0440", "a\u0430", "\u2581\u5B57", "\u03B1", "\u0915",
        "\u0E01", "\uAC00", "\u3042", "\u0627", "\U00020000", "\u2EA9"}) {
    EXPECT_FALSE(latin.Covers(text)) << text;
  }
}

TEST(ScriptSetTest, CombinesScripts) {
  const ScriptSet both("Latn,Cyrl");
  EXPECT_TRUE(both.Covers("a\u0430"));
  EXPECT_FALSE(both.Covers("\u03B1"));
  const ScriptSet japanese("Jpan");
  EXPECT_TRUE(japanese.Covers("\u6F22\u5B57\u304B\u306A\u30AB\u30CA"));
  EXPECT_FALSE(japanese.Covers("\uAC00"));
  EXPECT_FALSE(japanese.Covers("a"));
  EXPECT_TRUE(ScriptSet("Kore").Covers("\uAC00\u6F22"));
  for (const char* code : {"Hani", "Hans", "Hant"}) {
    EXPECT_TRUE(ScriptSet(code).Covers("\u6F22\U00020000"));
    EXPECT_FALSE(ScriptSet(code).Covers("\u304B"));
  }
}

TEST(ScriptSetTest, ListsTheCodesWhereOneIsUnknown) {
  for (const char* codes :
       {"Latin", "Latn,", "", "latn", "Latn, Cyrl", "Zyyy"}) {
    EXPECT_THAT(ErrorOf([&] { ScriptSet{codes}; }),
                AllOf(HasSubstr("is unknown; the codes are Adlm, "),
                      HasSubstr(", Cyrl, "), HasSubstr(", Jpan, "),
                      HasSubstr(", Latn, ")))
        << codes;
  }
}

}  // namespace latimer::scripts_test
