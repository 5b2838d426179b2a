// Placeholders, addresses and terms that are found in a text.
// Tests runtime/phrases/protected_text.cc.
#include "phrases/protected_text.h"

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
  EXPECT_EQ(SpansOf("20 \u00B0C, 7\u00B0F, 9 \u20AC"),
            (Spans{"20 \u00B0C", "7\u00B0F", "9 \u20AC"}));
  EXPECT_EQ(SpansOf("no@host, @x, a@b"), Spans{});
}

TEST(ProtectedTextTest, AddressesEndBeforePunctuationOfAnyScript) {
  EXPECT_EQ(SpansOf("https://a.org/x\uFF0Cthen https://a.org/y\u3002 "
                    "\u201Chttps://a.org/z\u201D \u00ABwww.b.fr\u00BB "
                    "www.c.jp\u3000x https://d.org/\u00A0x"),
            (Spans{"https://a.org/x", "https://a.org/y", "https://a.org/z",
                   "www.b.fr", "www.c.jp", "https://d.org/"}));
  EXPECT_EQ(SpansOf("https://a.org/stra\u00DFe/\u623F\u5B50, b"),
            (Spans{"https://a.org/stra\u00DFe/\u623F\u5B50"}));
  EXPECT_EQ(SpansOf("https://a.org/x\xC3 b"), (Spans{"https://a.org/x"}));
}

TEST(ProtectedTextTest, AnAddressKeepsABracketThatItHasOpened) {
  EXPECT_EQ(SpansOf("https://a.org/Foo_(bar). (See https://a.org/Foo_(bar)!) "
                    "(www.a.org/x)). https://a.org/((a)b)?"),
            (Spans{"https://a.org/Foo_(bar)", "https://a.org/Foo_(bar)",
                   "www.a.org/x", "https://a.org/((a)b)"}));
}

TEST(ProtectedTextTest, AUnitEndsWhereNoWordGoesOn) {
  EXPECT_EQ(
      SpansOf("\u201C5 km\u201D, 6 km\u2014or 7 GB\u2026 8 km\u3067\u3059"),
      (Spans{"5 km", "6 km", "7 GB", "8 km"}));
  EXPECT_EQ(SpansOf("5 m\u00E8tres, 5 m\u00B2, 5 cm\u00B3, 5 s\u207B, 5 g\xC3"),
            Spans{});
}

TEST(ProtectedTextTest, BracketsAfterAPercentSignNeedAConversion) {
  EXPECT_EQ(SpansOf("50 %(of all these old houses in the city) is"),
            (Spans{"50 %"}));
  EXPECT_EQ(SpansOf("%(of all these old houses in the city) is, %(a)1 x, "
                    "%(n)d %(n)5.2f"),
            (Spans{"%(n)d", "%(n)5.2f"}));
}

TEST(ProtectedTextTest, FindsPricesVersionsPathsAndNumbersOfSomething) {
  for (const char* span : {"$1,299.00",
                           "R$ 5",
                           "\u20AC45.90",
                           "v2.14.0-rc1",
                           "v1.2",
                           "10.4.1",
                           "192.168.0.1",
                           "/usr/local/lib/python3",
                           "~/x.txt",
                           "./a/b",
                           "../a",
                           "C:\\Users\\me\\file.txt",
                           "+49 30 1234567",
                           "(555) 010-4477",
                           "555-010-4477",
                           "1255837350318304",
                           "BE0768880101",
                           "A1B2C3D4E5",
                           "4711-0815-2223334445",
                           "978-3-16-148410-0",
                           "ab12cd34ef56"}) {
    EXPECT_EQ(SpansOf("So " + std::string(span) + " is it."), Spans{span});
    EXPECT_EQ(SpansOf("(" + std::string(span) + ")"), Spans{span});
    EXPECT_EQ(SpansOf("It is " + std::string(span) + "."), Spans{span});
  }
  for (const char* none :
       {"in the 1990s", "from 1894-1895", "at 20h30 or 07h19min",
        "the 20th day", "1,000,000 people", "3.141592 rad", "and/or", "he/she",
        "10 000 000 people", "page 2024", "a 3D film", "the ratio 3.5",
        "Mr. Smith-Jones", "No.7", "x-1"}) {
    EXPECT_EQ(SpansOf(none), Spans{}) << none;
  }
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
