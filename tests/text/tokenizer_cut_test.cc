// Long texts are cut so that every part fits and nothing is lost.
// Tests runtime/text/text_cut.cc.
#include <gtest/gtest.h>

#include <random>

#include "tests/text/tokenizer_fixture.h"
#include "text/utf8.h"

namespace latimer::tokenizer_cut_test {

TEST(TokenizerCutTest, CutsAtTheEndsOfSentences) {
  OwnedTokenizer demo(DemoTokenizerData());
  const auto parts = ExpectParts(
      demo, "Tom is here. He said: \"Come in!\" Did you? Ask Dr. Who, yes.",
      12);
  EXPECT_EQ(parts, (std::vector<std::string_view>{
                       "Tom is here.", "He said: \"Come in!\" Did you?",
                       "Ask Dr. Who, yes."}));
}

TEST(TokenizerCutTest, EachPartFitsAndIsAsLongAsItCanBe) {
  OwnedTokenizer demo(DemoTokenizerData());
  std::string text;
  for (int i = 0; i < 300; ++i) text += "word number five ";
  size_t longest = 0;
  for (const std::string_view part : ExpectParts(demo, text, 50)) {
    longest = std::max(longest, demo.Encode(part).size());
  }
  EXPECT_GT(longest, 46u);
}

TEST(TokenizerCutTest, TextWithoutSpacesIsCutBetweenCharacters) {
  OwnedTokenizer demo(DemoTokenizerData());
  for (const std::string unit : {"qz", "\u00e9", "\u5b57a", "\U0001F642b"}) {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += unit;
    std::string joined;
    for (const std::string_view part : ExpectParts(demo, text, 100)) {
      EXPECT_NE(LastChar(part).bytes, 0u);
      joined += part;
    }
    EXPECT_EQ(joined, text);
  }
}

TEST(TokenizerCutTest, ModelsWithASuffixSpaceFitToo) {
  for (const char* name : {"whitespace_suffix.spm", "suffix_keep.spm",
                           "keep_whitespace.spm", "byte_fallback.spm"}) {
    OwnedTokenizer owned(SentencePieceOnly(SourceDirectory() / "tests" /
                                           "data" / "sentencepiece" / name));
    std::string text;
    for (int i = 0; i < 200; ++i) text += "They went home\u5b57 today, ok? ";
    for (const size_t limit : {40, 41, 42, 43, 100}) {
      ExpectParts(owned, text, limit);
    }
  }
}

TEST(TokenizerCutTest, RandomTextFitsAndIsNotLost) {
  OwnedTokenizer demo(DemoTokenizerData());
  std::mt19937 random(1);
  const std::string_view units[] = {"a",      " ",      ". ",      "the ",
                                    "\xFF",   "\u5b57", "</s>",    ">>x<<",
                                    "\u2581", "\ufdfa", "e\u0301", "Tom"};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += units[random() % std::size(units)];
    const size_t limit = 32 + random() % 40;
    ExpectParts(demo, text, limit);
  }
}

TEST(TokenizerCutTest, WhatFollowsAfterAMegabyteChangesNoCut) {
  OwnedTokenizer demo(DemoTokenizerData());
  std::string text;
  while (text.size() < 4'000'000) text += "Tom said that he was at home. ";
  const auto cut = [&](std::string_view part) {
    return demo.tokenizer().FindCut(part, 200, demo.scratch());
  };
  const TextCut expected = cut(std::string_view(text).substr(0, 1'000'000));
  EXPECT_GT(expected.end, 0u);
  EXPECT_EQ(cut(text).end, expected.end);
  EXPECT_EQ(cut(text).next, expected.next);
}

}  // namespace latimer::tokenizer_cut_test
