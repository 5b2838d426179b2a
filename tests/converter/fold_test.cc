// The converter finds what a vocabulary lacks, and what it has for that.
// Tests converter/fold.cc, converter/fold_table.h.
#include "converter/fold.h"

#include <gtest/gtest.h>

#include "tests/text/tokenizer_fixture.h"

namespace latimer::converter_fold_test {

using Ids = std::vector<int32_t>;

// Pieces for each of these characters.
TokenizerData Reads(std::u32string_view characters, bool bpe = false) {
  SentencePieceModel model{
      .name = "vocab.spm",
      .type = bpe ? SentencePieceType::kBpe : SentencePieceType::kUnigram,
      .pieces = {{"</s>", 0, PieceType::kControl},
                 {"<unk>", 0, PieceType::kUnknown},
                 {"\u2581", -1, PieceType::kNormal}}};
  for (const char32_t c : characters) {
    const std::string text =
        std::filesystem::path(std::u32string(1, c)).string();
    model.pieces.push_back({text, -2, PieceType::kNormal});
  }
  const TokenizerSide side = {.model = &model, .rows = model.pieces.size()};
  return BuildTokenizer(side, side);
}

class FoldTableTest : public testing::TestWithParam<bool> {
 protected:
  // Whether `text` is read as `read`.
  static void ExpectRead(const TokenizerData& data, std::string_view text,
                         std::string_view read) {
    OwnedTokenizer folds(WithFolds(data)), plain(data);
    EXPECT_EQ(folds.Encode(text), plain.Encode(read)) << text;
  }
};

INSTANTIATE_TEST_SUITE_P(UnigramAndBpe, FoldTableTest, testing::Bool());

TEST_P(FoldTableTest, WhatTheVocabularyLacksIsReadAsWhatItHas) {
  const TokenizerData data = Reads(
      U"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-\"'./,",
      GetParam());
  ExpectRead(data, "Mon\u2013Fri 9:00\u201417:00", "Mon-Fri 9:00-17:00");
  ExpectRead(data, "Erdo\u011fan", "Erdogan");
  ExpectRead(data, "Erdog\u0306an", "Erdogan");
  ExpectRead(data, "\u201cIt\u2019s\u201d\u2026", "\"It's\"...");
  ExpectRead(data, "S\u0142ania, Stra\u00dfe, \u00d8stk\u00e6r, \u0130zmir",
             "Slania, Strasse, Ostkaer, Izmir");
  ExpectRead(data, "a\u00a0b\u200bc\u00ad", "a bc");
  ExpectRead(data, "a\u0085b\u2028c", "a b c");
  ExpectRead(data, "\u0661\u0662\uff13", "123");
  ExpectRead(data, "\U0001d407i", "Hi");
}

// These would say something else.
TEST_P(FoldTableTest, NumbersAndSymbolsStay) {
  OwnedTokenizer folds(WithFolds(Reads(U"abcTM0123456789-=/+<>", GetParam())));
  for (const char* text :
       {"\u2075", "\u00bd", "\u2260", "\u2122", "\u2460", "\u20ac", "\u00a9",
        "\u2192", "\U0001F600", "\u4f60", "\u00b2"}) {
    const Ids ids = folds.Encode(text);
    EXPECT_EQ(ids.back(), folds.data().unknown_id) << text;
  }
}

TEST_P(FoldTableTest, OnlyWhatIsLackingFolds) {
  const TokenizerData data = Reads(U"aego\u2014\u00e9", GetParam());
  OwnedTokenizer folds(WithFolds(data)), plain(data);
  EXPECT_EQ(folds.Encode("\u00e9\u2014"), plain.Encode("\u00e9\u2014"));
  // A dash that it lacks has no other either: there is no "-".
  EXPECT_EQ(folds.Encode("\u2013"), plain.Encode("\u2013"));
  EXPECT_EQ(folds.Encode("\u00f6"), plain.Encode("o"));
  EXPECT_EQ(folds.data().folded.find("\u00e9"), std::string::npos);
  EXPECT_NE(folds.data().folded.find("\u00e8"), std::string::npos);
  EXPECT_NE(folds.data().unread.find("\u2013"), std::string::npos);
}

TEST_P(FoldTableTest, SaysWhatIsLacking) {
  const std::string text = FoldText(Reads(U"aeo-\"'.", GetParam()));
  EXPECT_NE(text.find("folds "), std::string::npos) << text;
  EXPECT_NE(text.find("(\u2013 \u2014 \u201c"), std::string::npos) << text;
  EXPECT_NE(text.find("; cannot read \u20ac"), std::string::npos) << text;
}

TEST(FoldTest, OthersHaveNone) {
  const auto has_none = [](const TokenizerData& data) {
    return WithFolds(data).fold_trie.empty() && FoldText(data).empty();
  };
  const std::filesystem::path tests = SourceDirectory() / "tests" / "data";
  EXPECT_TRUE(has_none(
      SentencePieceOnly(tests / "sentencepiece" / "byte_fallback.spm")));
  EXPECT_TRUE(has_none(WordTokenizer(tests / "words", "words")));
}

TEST(FoldTest, TheDemoKeepsWhatItReads) {
  const TokenizerData data = DemoTokenizerData();
  OwnedTokenizer folds(WithFolds(data)), plain(data);
  for (const std::string& line :
       ReadLines(SourceDirectory() / "examples/en-de/data/sample.en")) {
    EXPECT_EQ(folds.Encode(line), plain.Encode(line)) << line;
  }
  EXPECT_EQ(folds.Encode("Erdo\u011fan"), plain.Encode("Erdogan"));
}

}  // namespace latimer::converter_fold_test
