#include "text/protected_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace latimer {
namespace {

// The stretches of a text that are protected.
std::vector<std::string> SpansOf(std::string_view text) {
  std::vector<std::string> spans;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = ProtectedBytes(text, at);
    if (bytes > 0) spans.emplace_back(text.substr(at, bytes));
    at += bytes > 0 ? bytes : 1;
  }
  return spans;
}

using Spans = std::vector<std::string>;

TEST(ProtectedTextTest, FindsPlaceholders) {
  EXPECT_EQ(SpansOf("Hi {name}, {{ x.y }} ${a} #{b} %{c} {}!"),
            (Spans{"{name}", "{{ x.y }}", "${a}", "#{b}", "%{c}", "{}"}));
  EXPECT_EQ(SpansOf("%s %d%% of %1$s: %-5.2f %lld %@ %1 %(n)s."),
            (Spans{"%s", "%d", "%1$s", "%-5.2f", "%lld", "%@", "%1", "%(n)s"}));
  EXPECT_EQ(SpansOf("{ no end, %discount, 5 % s, 100"), (Spans{"5 %"}));
}

TEST(ProtectedTextTest, FindsAddressesAndNumbersWithUnits) {
  EXPECT_EQ(SpansOf("See https://a.org/b?c=1, (www.d.de) or e.f+g@h.co.uk."),
            (Spans{"https://a.org/b?c=1", "www.d.de", "e.f+g@h.co.uk"}));
  EXPECT_EQ(SpansOf("5 km, 3.5GB, 20\u00A0% at 12:30; 7 apples, a1 km, 3 mice"),
            (Spans{"5 km", "3.5GB", "20\u00A0%", "12:30"}));
  EXPECT_EQ(SpansOf("no@host, @x, a@b"), Spans{});
}

TEST(ProtectedTextTest, PatternsMatchBytesAndWords) {
  EXPECT_EQ(PatternBytes("x ACME-7b end", 2, "ACME-*"), 7u);
  EXPECT_EQ(PatternBytes("[[a]] b", 0, "[[*]]"), 5u);
  EXPECT_EQ(PatternBytes("[[a b]]", 0, "[[*]]"), 0u);
  EXPECT_EQ(PatternBytes("ab", 0, "abc"), 0u);
  EXPECT_EQ(PatternBytes("ab", 0, "ab*"), 0u);
}

TEST(TermBytesTest, MatchesBetweenWordBoundaries) {
  EXPECT_EQ(TermBytes("a house, b", 2, "house"), 5u);
  EXPECT_EQ(TermBytes("House", 0, "house"), 5u);
  EXPECT_EQ(TermBytes("house", 0, "House"), 0u);
  EXPECT_EQ(TermBytes("houses", 0, "house"), 0u);
  EXPECT_EQ(TermBytes("greenhouse", 5, "house"), 0u);
  EXPECT_EQ(TermBytes("caf\u00E9", 0, "caf"), 0u);
  EXPECT_EQ(TermBytes("\u6211\u7684\u623F\u5B50", 6, "\u623F"), 3u);
  EXPECT_EQ(TermBytes("x", 0, ""), 0u);
}

}  // namespace
}  // namespace latimer
