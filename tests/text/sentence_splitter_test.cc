// Where sentences end, in running text of any language and in chunks of any
// size.
// Tests runtime/text/sentence_splitter.cc, runtime/text/sentence_end.cc,
// runtime/text/letter_case.cc, converter/sentence_rules.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "converter/error.h"
#include "converter/lower_case_table.h"
#include "converter/sentence_rules.h"
#include "latimer/streams.h"
#include "text/letter_case.h"

namespace latimer::sentence_splitter_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct OwnRules {
  explicit OwnRules(const std::string& language = "") {
    if (!language.empty()) rules = MakeSentenceRules(language);
  }
  SentenceRules View() const {
    return {rules.languages, rules.words, rules.ordinals};
  }
  CanonicalSentenceRules rules;
};

struct OwnSentence {
  std::string sentence, space;
  SentenceEnd end;
  uint64_t line;

  bool operator==(const OwnSentence&) const = default;
};

// Chunks of up to `most` bytes; 0: of a random size each.
std::vector<OwnSentence> Split(const std::string& text, const OwnRules& rules,
                               size_t most = 0, uint32_t seed = 1) {
  SentenceSplitter splitter(rules.View());
  std::mt19937 random(seed);
  std::vector<OwnSentence> all;
  SourceSentence found;
  const auto take = [&] {
    while (splitter.Next(&found)) {
      all.push_back({std::string(found.sentence), std::string(found.space),
                     found.end, found.line});
    }
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t size = most > 0 ? most : 1 + random() % (1 << random() % 14);
    std::string_view chunk = rest.substr(0, size);
    rest.remove_prefix(chunk.size());
    while (!chunk.empty()) {
      const size_t taken = splitter.Push(chunk);
      EXPECT_GT(taken, 0u);
      chunk.remove_prefix(taken);
      take();
    }
  }
  splitter.End();
  take();
  return all;
}

std::vector<std::string> Sentences(const std::string& text,
                                   const std::string& language = "") {
  std::vector<std::string> sentences;
  std::string whole;
  for (const OwnSentence& found : Split(text, OwnRules(language))) {
    if (!found.sentence.empty()) sentences.push_back(found.sentence);
    whole += found.sentence + found.space;
  }
  EXPECT_EQ(whole, text);
  return sentences;
}

// Cuts `marked` at each | and expects the splitter to do the same.
void ExpectCuts(const std::string& marked, const std::string& language = "") {
  std::string text;
  std::string with_marks;
  for (const char c : marked) {
    if (c != '|') text += c;
  }
  for (const OwnSentence& found : Split(text, OwnRules(language))) {
    with_marks += found.sentence + found.space;
    if (found.end != SentenceEnd::kText) with_marks += '|';
  }
  EXPECT_EQ(with_marks, marked) << language;
}

TEST(SentenceSplitterTest, StopsEndSentencesInEveryLanguage) {
  ExpectCuts("Tom is here. |He waits! |Why? |No idea… |Well.");
  ExpectCuts("He said: \"Come in!\" |(Nobody came.) |\"Why?\" he asked.");
  ExpectCuts("Version 3.14 of www.example.com is out. |Write to a.b@c.org.");
  ExpectCuts("He paused... then went on. |And left...");
  ExpectCuts("«Oui. » |Il part. |— Non. |— Si.");
  ExpectCuts("¿Qué? |¡No! |¿Por qué?");
  ExpectCuts("Он ушёл. |Она осталась. |Всё.");
  ExpectCuts("J. R. Smith met U. Thant at the U.N. Building.");
  ExpectCuts("1. First things first. |2. Then the rest.");
}

TEST(SentenceSplitterTest, OtherScriptsNeedNoSpace) {
  ExpectCuts("你好。|我叫汤姆！|“真的吗？”|是的。");
  ExpectCuts("「はい。」と言った。|そうか？|はい。");
  ExpectCuts("यह सच है। |वह गया। |क्या?");
  ExpectCuts("كيف حالك؟ |بخير. |شكرا.");
  ExpectCuts("안녕하세요. |반갑습니다.");
}

TEST(SentenceSplitterTest, AbbreviationsAreThoseOfTheLanguage) {
  ExpectCuts("Mr. Smith met Dr. Jones, e.g. Tom, at 5 p.m. |He left.", "en");
  ExpectCuts("See Fig. 5 and No. 7. |No. |That is all, etc. |The end.", "en");
  ExpectCuts("He lives in the U.S. |It is in the U.S. Army.", "en");
  ExpectCuts("Apple Inc. said so. |It was I. |Tom went to St. Ives.", "en");
  ExpectCuts("Am 1. Januar kam Dr. Maier, z. B. Die Grünen, usw. |Er ging.",
             "de");
  ExpectCuts("Ludwig XIV. war 5 Jahre alt. |Im Jahr 2005. |Danach nichts.",
             "de");
  ExpectCuts("M. Dupont et Mme. Durand, av. J.-C. |Il est là.", "fr");
  ExpectCuts("El Sr. García vive en EE.UU. |La casa, etc.", "es");
  ExpectCuts("Il sig. Rossi, ecc. |Non so.", "it");
  ExpectCuts("Dhr. Jansen, bijv. Piet, enz. |Hij gaat.", "nl");
  ExpectCuts("O Sr. Silva e a Dra. Costa, etc. |Ele vai.", "pt");
  ExpectCuts("Это т. е. Москва и г. Тверь. |Он ушёл. |Это я. |Да.", "ru");
  ExpectCuts("Prof. Kowalski, tj. Jan, przyszedł 1. Maja. |On jest tu.", "pl");
  ExpectCuts("Dne 1. Ledna přišel p. Novák, tj. Jan, atd. |On je tu.", "cs");
}

TEST(SentenceSplitterTest, ABlankLineEndsAParagraph) {
  EXPECT_THAT(
      Sentences("A title\n\nOne line\nof two. Next\n \n* item\n* two\n"),
      ElementsAre("A title", "One line\nof two.", "Next", "* item", "* two"));
  ExpectCuts("a\n\n|\n|b\r\n\r\n|c\n");
  ExpectCuts("Steps:\n|1. go\n|2. come\n|3. leave");
  ExpectCuts("  \n|\n|  |a  b\nc");
}

TEST(SentenceSplitterTest, LinesAreCounted) {
  const auto all = Split("a\nb.\n\n\nCee. Dee.\n Eee", OwnRules());
  std::vector<uint64_t> lines;
  for (const OwnSentence& found : all) lines.push_back(found.line);
  EXPECT_THAT(lines, ElementsAre(1, 4, 5, 5, 6));
}

TEST(SentenceSplitterTest, ASentenceThatIsTooLongIsCutAtItsBestPlace) {
  constexpr size_t kMost = SentenceSplitter::kMostBytes;
  const auto filled = [](const std::string& mark) {
    std::string text;
    while (text.size() < 6000) text += "word ";
    text += mark;
    while (text.size() < 2 * kMost) text += "word ";
    return Split(text, OwnRules()).at(0);
  };
  EXPECT_THAT(filled("a; b, ").sentence, testing::EndsWith("a;"));
  EXPECT_THAT(filled("a, b ").sentence, testing::EndsWith("a,"));
  EXPECT_GT(filled("").sentence.size(), kMost - 6);
  EXPECT_EQ(filled("").end, SentenceEnd::kCut);
  std::string letters;
  for (size_t i = 0; i < kMost; ++i) letters += "字";
  for (const OwnSentence& found : Split(letters, OwnRules())) {
    EXPECT_EQ(found.sentence.size() % 3, 0u);
  }
}

TEST(SentenceSplitterTest, LinesOfASentenceAreJoined) {
  SentenceSplitter splitter((SentenceRules()));
  const std::string text = "one  two\n   three \r\nfour\n中\n国";
  ASSERT_EQ(splitter.Push(text), text.size());
  splitter.End();
  SourceSentence found;
  ASSERT_TRUE(splitter.Next(&found));
  EXPECT_EQ(splitter.JoinLines(found), "one  two three four 中国");
}

TEST(SentenceSplitterTest, WhiteSpaceAfterATranslationIsThatOfItsScript) {
  const auto after = [](const std::string& space, SentenceEnd end,
                        const std::string& translation) {
    return std::string(SpaceAfter(translation, space, end));
  };
  EXPECT_EQ(after("\n", SentenceEnd::kSentence, "x."), " ");
  EXPECT_EQ(after("  ", SentenceEnd::kSentence, "x."), "  ");
  EXPECT_EQ(after("", SentenceEnd::kSentence, "x."), " ");
  EXPECT_EQ(after(" ", SentenceEnd::kSentence, "好。"), "");
  EXPECT_EQ(after("\n", SentenceEnd::kLine, "x."), "\n");
  EXPECT_EQ(after("\n \n", SentenceEnd::kParagraph, "好。"), "\n \n");
  EXPECT_EQ(after("", SentenceEnd::kText, "x."), "");
}

// Text of all kinds and bytes that are not text.
std::string RandomText(uint32_t seed, size_t units) {
  std::mt19937 random(seed);
  const std::string kinds[] = {"a",
                               "Tom",
                               " ",
                               " ",
                               ". ",
                               ".",
                               "\n",
                               "\r\n",
                               "\n\n",
                               "\r",
                               "Mr.",
                               "? ",
                               "\"",
                               "(",
                               ")",
                               "…",
                               "。",
                               "」",
                               "と",
                               "字",
                               "»",
                               "\u00a0",
                               "1.",
                               "3",
                               "\xff",
                               "\xe3",
                               "\xe3\x80",
                               "z. B",
                               "U.S.",
                               "* ",
                               "\u2029",
                               "\u3000",
                               "।",
                               "—",
                               "The",
                               "\t",
                               std::string(1, '\0'),
                               std::string(50, ' '),
                               std::string(40, 'x')};
  std::string text;
  for (size_t i = 0; i < units; ++i) text += kinds[random() % std::size(kinds)];
  return text;
}

TEST(SentenceSplitterTest, NothingIsLostAndChunksDoNotMatter) {
  const OwnRules rules("en,de,ru");
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::string text = RandomText(seed, 50 + 40 * seed);
    if (seed % 10 == 9) text += std::string(20000, seed % 20 == 9 ? ' ' : 'x');
    const std::vector<OwnSentence> all = Split(text, rules, text.size());
    std::string whole;
    for (const OwnSentence& found : all) whole += found.sentence + found.space;
    ASSERT_EQ(whole, text) << seed;
    ASSERT_TRUE(all == Split(text, rules, 0, seed)) << seed;
    ASSERT_TRUE(all == Split(text, rules, 1 + seed % 7)) << seed;
  }
}

// LATIMER_TEXT names a file of real text, of 10 MB for example.
TEST(SentenceSplitterTest, NothingOfARealTextIsLost) {
  const char* path = std::getenv("LATIMER_TEXT");
  if (path == nullptr) {
    GTEST_SKIP() << "THE LONG TEXT IS NOT TRIED: LATIMER_TEXT names no file.";
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(text.empty()) << path;
  const OwnRules rules("en");
  const std::vector<OwnSentence> all = Split(text, rules, 1 << 16);
  size_t at = 0, sentences = 0, cuts = 0;
  for (const OwnSentence& found : all) {
    const std::string whole = found.sentence + found.space;
    ASSERT_EQ(text.compare(at, whole.size(), whole), 0) << at;
    at += whole.size();
    sentences += found.sentence.empty() ? 0 : 1;
    cuts += found.end == SentenceEnd::kCut ? 1 : 0;
  }
  EXPECT_EQ(at, text.size());
  for (uint32_t seed = 1; seed < 6; ++seed) {
    ASSERT_TRUE(all == Split(text, rules, 0, seed)) << seed;
  }
  std::cout << sentences << " sentences and " << cuts << " cuts in "
            << text.size() << " bytes\n";
}

TEST(SentenceRulesTest, CodesOfModelsNameLanguages) {
  for (const char* code : {"de", "deu", "deu_Latn", "de_DE"}) {
    EXPECT_EQ(MakeSentenceRules(code).languages, "de") << code;
  }
  EXPECT_EQ(MakeSentenceRules("en,fr").languages, "en fr");
  EXPECT_FALSE(FindSentenceRules("zho_Hans"));
  try {
    MakeSentenceRules("en,xx");
    FAIL();
  } catch (const ConversionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"xx\""));
  }
}

TEST(LetterCaseTest, IsThatOfUnicodeInTheScriptsThatHaveIt) {
  const auto covered = [](uint32_t c) {
    return c < 0x180 || (c >= 0x386 && c < 0x3CF) ||
           (c >= 0x400 && c < 0x588) || (c >= 0x1E00 && c < 0x1F00);
  };
  size_t letters = 0;
  for (const LowerCaseRange& range : kLowerCaseRanges) {
    for (uint32_t c = range.first; c <= range.last; c += range.step) {
      const auto lower =
          static_cast<uint32_t>(static_cast<int32_t>(c) + range.offset);
      if (!covered(c) || !covered(lower)) continue;
      EXPECT_EQ(CaseOf(c), LetterCase::kUpper) << std::hex << c;
      EXPECT_EQ(CaseOf(lower), LetterCase::kLower) << std::hex << lower;
      ++letters;
    }
  }
  EXPECT_GT(letters, 400u);
  for (const uint32_t c : {0x30u, 0x40u, 0xD7u, 0xF7u, 0x5B57u, 0x627u}) {
    EXPECT_EQ(CaseOf(c), LetterCase::kNone) << std::hex << c;
  }
}

}  // namespace latimer::sentence_splitter_test
