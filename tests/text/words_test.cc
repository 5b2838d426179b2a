// Words and characters are looked up as they are, and joined again.
// Tests runtime/text/segments.cc, runtime/text/tokenize.cc,
// runtime/text/text_cut.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "handmade_tokenizer.h"
#include "text/segments.h"
#include "text/tokenizer.h"

namespace latimer::words_test {

using Ids = std::vector<int32_t>;

class WordsTest : public testing::Test {
 protected:
  // Ids: a 2, ab 3, space 4.
  WordsTest() : handmade_({{"a", NAN}, {"ab", NAN}, {" ", NAN}}) {
    TokenizerView& view = handmade_.view;
    view.segmentation = Segmentation::kWords;
    view.joining = Joining::kWords;
    view.own_ids = true;
    view.add_dummy_prefix = false;
    view.escape_whitespaces = false;
    view.added_trie = {};
    view.added_tokens = {};
    view.scores = {};
  }

  void UseCharacters() {
    handmade_.view.segmentation = Segmentation::kCharacters;
    handmade_.view.joining = Joining::kCharacters;
    handmade_.view.remove_extra_whitespaces = false;
  }

  void UseLongestMatches() {
    UseCharacters();
    handmade_.view.segmentation = Segmentation::kLongestMatch;
  }

  Tokenizer tokenizer() const { return Tokenizer(handmade_.view); }

  Ids Encode(std::string_view text) {
    const Status status = ValidateTokenizer(handmade_.view, 5, 5);
    EXPECT_TRUE(status.ok()) << status.message();
    Ids ids(100);
    const auto count = tokenizer().Encode(text, buffers_->Scratch(), ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(*count);
    return ids;
  }

  std::string Decode(const Ids& ids) {
    std::string text(100, '\0');
    const auto bytes = tokenizer().Decode(ids, text);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    return text.substr(0, *bytes);
  }

  HandmadeTokenizer handmade_;
  std::unique_ptr<TokenizerBuffers<8192>> buffers_ =
      std::make_unique<TokenizerBuffers<8192>>();
};

TEST_F(WordsTest, EachWordIsOneTokenAndEachUnknownOneIsUnknown) {
  EXPECT_EQ(Encode(" a  ab x y abc "), (Ids{2, 3, 1, 1, 1}));
  EXPECT_EQ(Encode(">>x<<"), (Ids{1}));
  EXPECT_EQ(Encode(""), Ids{});
  EXPECT_EQ(Encode("  "), Ids{});
  EXPECT_EQ(tokenizer().LanguageCodeBytes(">>x<< a"), 0u);
}

TEST_F(WordsTest, AVeryLongWordIsOneUnknownToken) {
  EXPECT_EQ(Encode("a " + std::string(5000, 'x') + " ab"), (Ids{2, 1, 3}));
  EXPECT_EQ(Encode(std::string(1023, 'x')), (Ids{1}));
  EXPECT_EQ(Encode(std::string(1024, 'x')), (Ids{1}));
}

TEST_F(WordsTest, WordsAreJoinedWithOneSpaceAndSpecialTokensLeftOut) {
  EXPECT_EQ(Decode({2, 3, 0, 2}), "a ab a");
  EXPECT_EQ(Decode({0, 2, 0}), "a");
}

TEST_F(WordsTest, EachCharacterIsOneTokenAndEachUnknownOneIsUnknown) {
  UseCharacters();
  EXPECT_EQ(Encode(" axy\u5b57a"), (Ids{4, 2, 1, 1, 1, 2}));
  EXPECT_EQ(Encode("\xFF"), (Ids{1}));
}

TEST_F(WordsTest, CharactersAreJoinedWithNothing) {
  UseCharacters();
  EXPECT_EQ(Decode({2, 3, 4, 0, 2}), "aab a");
}

TEST_F(WordsTest, TheLongestPieceThatFitsIsAToken) {
  UseLongestMatches();
  EXPECT_EQ(Encode("aabab ba"), (Ids{2, 3, 3, 4, 1, 2}));
  EXPECT_EQ(Encode("xy\u5b57ab\xFF"), (Ids{1, 1, 1, 3, 1}));
  EXPECT_EQ(Decode({2, 3, 4, 0, 2}), "aab a");
}

TEST_F(WordsTest, WhatIsUnknownMayBeLeftOut) {
  handmade_.view.unknown_id = kSkipsUnknown;
  EXPECT_EQ(Encode(" a  ab x y abc a"), (Ids{2, 3, 2}));
  EXPECT_EQ(Encode("x " + std::string(5000, 'x')), Ids{});
  UseCharacters();
  EXPECT_EQ(Encode(" axy\u5b57a"), (Ids{4, 2, 2}));
  UseLongestMatches();
  EXPECT_EQ(Encode("abxa\xFF"), (Ids{3, 2}));
  EXPECT_EQ(Encode("xx"), Ids{});
  // The cut counts no token for it.
  const TextCut cut =
      tokenizer().FindCut("xxxxabxxaxab", 2, buffers_->Scratch());
  EXPECT_EQ(cut.end, 10u);
}

// An id of -1 would be looked up.
TEST_F(WordsTest, OnlyWordsAndCharactersMayBeLeftOut) {
  handmade_.view.unknown_id = kSkipsUnknown;
  EXPECT_TRUE(ValidateTokenizer(handmade_.view, 5, 5).ok());
  handmade_.view.own_ids = false;
  EXPECT_FALSE(ValidateTokenizer(handmade_.view, 5, 5).ok());
  handmade_.view.own_ids = true;
  handmade_.view.segmentation = Segmentation::kBytes;
  EXPECT_FALSE(ValidateTokenizer(handmade_.view, 5, 5).ok());
  handmade_.view.segmentation = Segmentation::kWords;
  handmade_.view.unknown_id = -2;
  EXPECT_FALSE(ValidateTokenizer(handmade_.view, 5, 5).ok());
}

TEST_F(WordsTest, CutsAreBetweenWords) {
  const TextCut cut =
      tokenizer().FindCut("a ab x a ab", 3, buffers_->Scratch());
  EXPECT_EQ(cut.end, 6u);
  EXPECT_EQ(cut.next, 7u);
}

TEST_F(WordsTest, CutsAreBetweenCharacters) {
  UseCharacters();
  const TextCut cut =
      tokenizer().FindCut("a\u5b57x\u5b57a", 3, buffers_->Scratch());
  EXPECT_EQ(cut.end, 5u);
  EXPECT_EQ(cut.next, 5u);
}

}  // namespace latimer::words_test
