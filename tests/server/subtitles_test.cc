// Subtitles of any bytes are read and written, in time that grows with the
// file. Tests server/subtitles.cc.
#include "server/subtitles.h"

#include <gtest/gtest.h>

#include "tests/base/growth.h"

namespace latimer::subtitles_test {

using server::FileText;

void ReadAndWrite(const std::string& file) {
  std::vector<std::string> translations;
  for (const FileText& text : server::TextsOfSubtitles(file)) {
    translations.push_back(text.text);
  }
  EXPECT_EQ(server::TranslatedSubtitles(file, translations).empty(),
            file.empty());
}

TEST(SubtitlesTest, TimeGrowsWithTheFile) {
  for (const char* text : {"1\n00:01 --> 00:02\nI am here.\n\n",
                           "-->\n",
                           "1\n",
                           "1",
                           "<",
                           "<i>",
                           "</i>",
                           "{\\",
                           "{\\an8}",
                           "\\N",
                           "\\N ",
                           " ",
                           "\t\n",
                           "- ",
                           "- a\n",
                           "-",
                           "a ",
                           "a",
                           "\r",
                           "\r\n",
                           "a -->",
                           "<br> ",
                           "&",
                           "<1>",
                           "{\\i1}a\n"}) {
    SCOPED_TRACE(text);
    for (const char* begin : {"", "1\n00:01 --> 00:02\n"}) {
      ExpectLinear(
          20000, [&](size_t n) { return begin + Repeated(text, n); },
          ReadAndWrite);
    }
  }
}

// What only begins like the tags that marks are given is text, and ends.
TEST(SubtitlesTest, TakesUnclosedTagsForText) {
  for (const char* text :
       {"<i>a</i> b <span/0", "<i>a</i> b <span/", "<i>a</i> <img/9 c",
        "<i>a</i> </span/1 <b>c", "<i>a</i> <span/00000000000000000000009"}) {
    const std::string file = std::string("1\n00:01 --> 00:02\n") + text;
    const std::vector<FileText> texts = server::TextsOfSubtitles(file);
    ASSERT_EQ(texts.size(), 1u) << file;
    EXPECT_EQ(server::TranslatedSubtitles(file, {texts[0].text}), file);
  }
}

}  // namespace latimer::subtitles_test
