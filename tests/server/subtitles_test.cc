// The time for subtitles grows with the file.
// Tests server/subtitles.cc.
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

}  // namespace latimer::subtitles_test
