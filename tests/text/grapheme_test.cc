// Where grapheme clusters begin and end.
// Tests runtime/text/grapheme.cc.
#include "text/grapheme.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace latimer {
namespace {

using Clusters = std::vector<std::string>;

Clusters ClustersOf(const std::string& text) {
  Clusters clusters;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = GraphemeBytes(text, at);
    if (bytes == 0) return {"not UTF-8"};
    clusters.push_back(text.substr(at, bytes));
    at += bytes;
  }
  return clusters;
}

TEST(GraphemeTest, WhatReadersTakeForACharacterIsOne) {
  for (const char* cluster :
       {"a", "e\u0301", "\r\n", "1\uFE0F\u20E3", "#\uFE0F\u20E3",
        "\U0001F469\u200D\U0001F469\u200D\U0001F467",  // a family
        "\U0001F44D\U0001F3FD",                        // a thumb with a color
        "\u2764\uFE0F\u200D\U0001F525",                // a heart on fire
        "\U0001F1E9\U0001F1EA",                        // a flag
        "\u0915\u094D\u0937", "\u0915\u094D\u200D\u0937",  // a conjunct
        "\u0E01\u0E33", "\u06DD\u0661", "\u0645\u200C"}) {
    EXPECT_EQ(ClustersOf(cluster), Clusters{cluster});
    EXPECT_EQ(ClustersOf("x" + std::string(cluster)), (Clusters{"x", cluster}));
  }
}

TEST(GraphemeTest, OthersStandAlone) {
  EXPECT_EQ(ClustersOf("ab"), (Clusters{"a", "b"}));
  EXPECT_EQ(ClustersOf("\n\r"), (Clusters{"\n", "\r"}));
  EXPECT_EQ(ClustersOf(std::string("d\0", 2)),
            (Clusters{"d", std::string(1, '\0')}));
  EXPECT_EQ(ClustersOf("\n\u0308"), (Clusters{"\n", "\u0308"}));
  EXPECT_EQ(ClustersOf("\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7"),
            (Clusters{"\U0001F1E9\U0001F1EA", "\U0001F1EB\U0001F1F7"}));
  EXPECT_EQ(ClustersOf("a\u200D\U0001F469"),
            (Clusters{"a\u200D", "\U0001F469"}));
  EXPECT_EQ(ClustersOf("\u0915\u0937"), (Clusters{"\u0915", "\u0937"}));
  EXPECT_EQ(ClustersOf("\u0BA8\u0BBF"), Clusters{"\u0BA8\u0BBF"});
  EXPECT_EQ(GraphemeBytes("\xFFz", 0), 0u);
  EXPECT_EQ(GraphemeBytes("a", 1), 0u);
}

TEST(GraphemeTest, MarksAndInvisibleCharactersBelongToTheOneBefore) {
  for (const uint32_t c : {0x301u, 0x200Du, 0x200Bu, 0xFE0Fu, 0x1F3FDu}) {
    EXPECT_TRUE(IsAttachedCharacter(c)) << c;
  }
  for (const uint32_t c : {0u, 0x1Bu, 0x61u, 0x2192u, 0x1F600u}) {
    EXPECT_FALSE(IsAttachedCharacter(c)) << c;
  }
}

}  // namespace
}  // namespace latimer
