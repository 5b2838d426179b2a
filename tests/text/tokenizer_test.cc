// A small tokenizer made by hand: ids, text, cuts and errors.
// Tests runtime/text/tokenize.cc, runtime/text/normalizer.cc,
// runtime/text/detokenize.cc, runtime/text/unigram.cc,
// runtime/text/text_spans.cc, runtime/text/text_cut.cc,
// runtime/text/tokenizer_view.cc.
#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "handmade_tokenizer.h"
#include "text/tokenizer_scratch.h"

namespace latimer::tokenizer_test {

using Ids = std::vector<int32_t>;

class TokenizerTest : public testing::Test {
 protected:
  Ids Encode(std::string_view text) {
    Ids ids(4096);
    const auto count =
        Tokenizer(handmade_.view).Encode(text, buffers_->Scratch(), ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(*count);
    return ids;
  }

  std::string Decode(const Ids& ids) {
    std::string text(1000, '\0');
    const auto bytes = Tokenizer(handmade_.view).Decode(ids, text);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    return text.substr(0, *bytes);
  }

  // Ids: _ 2, a 3, b 4, _a 5, ab 6, _ab 7, zz 8 (not a source piece), . 9.
  HandmadeTokenizer handmade_{{{"_", -5.f},
                               {"a", -4.f},
                               {"b", -4.f},
                               {"_a", -3.f},
                               {"ab", -3.f},
                               {"_ab", -9.f},
                               {"zz", NAN},
                               {".", -2.f}}};
  std::unique_ptr<TokenizerBuffers<2048>> buffers_ =
      std::make_unique<TokenizerBuffers<2048>>();
};

TEST_F(TokenizerTest, TheViewIsValid) {
  const Status status = ValidateTokenizer(handmade_.view, 10, 10);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(ValidateTokenizer(handmade_.view, 9, 10).ok());
  EXPECT_FALSE(ValidateTokenizer(handmade_.view, 10, 9).ok());
}

TEST_F(TokenizerTest, TextThatIsNoUtf8IsRefusedInTheTarget) {
  std::vector<uint8_t> text(handmade_.view.piece_text.begin(),
                            handmade_.view.piece_text.end());
  text.back() = 0xE2;  // Instead of the point.
  handmade_.view.piece_text = text;
  EXPECT_EQ(ValidateTokenizer(handmade_.view, 10, 10).code(),
            StatusCode::kCorrupt);
  handmade_.view.joining = Joining::kByteLevel;  // Pieces may be any bytes.
  EXPECT_TRUE(ValidateTokenizer(handmade_.view, 10, 10).ok());
  handmade_.view.unknown_surface = "\xC0";
  EXPECT_FALSE(ValidateTokenizer(handmade_.view, 10, 10).ok());
}

// An entry with a million pairs would take as long to look through.
TEST_F(TokenizerTest, PairsOfOneEntryThatRepeatAreRefused) {
  std::vector<uint32_t> offsets(handmade_.view.source_vocabulary + 1, 0);
  std::vector<uint32_t> merges = {MergeOf(0, 1), MergeOf(1, 2)};
  for (size_t i = 8; i < offsets.size(); ++i) offsets[i] = 2;  // Of _ab.
  handmade_.view.segmentation = Segmentation::kBpe;
  handmade_.view.spacing = Spacing::kMetaspace;
  handmade_.view.merge_offsets = offsets;
  handmade_.view.merges = merges;
  const Status status = ValidateTokenizer(handmade_.view, 10, 10);
  EXPECT_TRUE(status.ok()) << status.message();
  for (const size_t left_bytes : {0u, 1u}) {
    merges[1] = MergeOf(1, left_bytes);
    EXPECT_EQ(ValidateTokenizer(handmade_.view, 10, 10).code(),
              StatusCode::kCorrupt);
  }
}

TEST_F(TokenizerTest, TheBestSumOfScoresWins) {
  EXPECT_EQ(Encode("ab"), (Ids{5, 4}));  // -7 beats -8 and -9.
  EXPECT_EQ(Encode("abab"), (Ids{5, 4, 6}));
}

TEST_F(TokenizerTest, OfEqualSumsTheOneWhoseLastPieceIsLongestWins) {
  const std::vector<float> scores(handmade_.view.scores.begin(),
                                  handmade_.view.scores.end());
  std::vector<float> tied = scores;
  tied[7] = -7;  // _ab as good as _a b; it is offered first.
  handmade_.view.scores = tied;
  EXPECT_EQ(Encode("ab"), (Ids{7}));
}

TEST_F(TokenizerTest, SpaceIsTrimmedAndCollapsed) {
  EXPECT_EQ(Encode("  a   a "), (Ids{5, 5}));
  EXPECT_EQ(Encode(""), Ids{});
  EXPECT_EQ(Encode("   "), Ids{});
}

TEST_F(TokenizerTest, ARunOfUnknownCharactersIsOneToken) {
  EXPECT_EQ(Encode("axyb"), (Ids{5, 1, 4}));
  EXPECT_EQ(Encode("a\xFF\xFE"), (Ids{5, 1}));
}

TEST_F(TokenizerTest, ARunOfUnknownCharactersIsLookedUpInTheVocabulary) {
  EXPECT_EQ(Encode("azzb"), (Ids{5, 8, 4}));
  EXPECT_EQ(Encode("azzzb"), (Ids{5, 1, 4}));
}

TEST_F(TokenizerTest, AddedTokensAreTakenOutFirst) {
  EXPECT_EQ(Encode("a</s>a"), (Ids{5, 0, 5}));
  EXPECT_EQ(Encode("</s><unk>"), (Ids{0, 1}));
}

TEST_F(TokenizerTest, ALanguageCodeIsOneToken) {
  const Tokenizer tokenizer(handmade_.view);
  EXPECT_EQ(Encode(">>xx<< a"), (Ids{1, 5}));
  EXPECT_EQ(tokenizer.LanguageCodeBytes(">>xx<< a"), 6u);
  EXPECT_EQ(tokenizer.LanguageCodeBytes("a >>xx<<"), 0u);
  EXPECT_EQ(tokenizer.LanguageCodeBytes(">>x</s>x<<"), 0u);
  EXPECT_EQ(tokenizer.LanguageCodeBytes(""), 0u);
}

TEST_F(TokenizerTest, MoreTokensThanFitAreAnError) {
  Ids ids(2);
  const auto count =
      Tokenizer(handmade_.view).Encode("a a a", buffers_->Scratch(), ids);
  EXPECT_EQ(count.status().code(), StatusCode::kTextTooLong);
}

TEST_F(TokenizerTest, TextLongerThanTheScratchIsAnError) {
  Ids ids(100000);
  const auto count =
      Tokenizer(handmade_.view)
          .Encode(std::string(3000, 'a'), buffers_->Scratch(), ids);
  EXPECT_EQ(count.status().code(), StatusCode::kTextTooLong);
}

TEST_F(TokenizerTest, DecodingTurnsPiecesIntoText) {
  EXPECT_EQ(Decode({5, 4, 7, 0}), "ab ab");
  EXPECT_EQ(Decode({2, 2, 3, 2}), "a");
  EXPECT_EQ(Decode({}), "");
  EXPECT_EQ(Tokenizer(handmade_.view).Piece(5), "\u2581a");
  EXPECT_EQ(Tokenizer(handmade_.view).Piece(-1), "");
  EXPECT_EQ(Tokenizer(handmade_.view).Piece(10), "");
}

TEST_F(TokenizerTest, DecodingReportsBadIdsAndSmallBuffers) {
  const Tokenizer tokenizer(handmade_.view);
  char out[3];
  for (const int32_t id : {-1, 10, 1 << 30}) {
    EXPECT_EQ(tokenizer.Decode(Ids{id}, out).status().code(),
              StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(tokenizer.Decode(Ids{3, 5}, out).ok());
  EXPECT_EQ(tokenizer.Decode(Ids{3, 5, 5}, out).status().code(),
            StatusCode::kTextTooLong);
}

TEST_F(TokenizerTest, ACutPrefersSentencesThenSpacesThenCharacters) {
  const Tokenizer tokenizer(handmade_.view);
  const auto cut = [&](std::string_view text, size_t max_tokens) {
    return tokenizer.FindCut(text, max_tokens, buffers_->Scratch());
  };
  TextCut at = cut("a. a a a", 3);
  EXPECT_EQ(at.end, 2u);
  EXPECT_EQ(at.next, 3u);
  at = cut("a a  a a", 2);
  EXPECT_EQ(at.end, 3u);
  EXPECT_EQ(at.next, 5u);
  at = cut("aaaaaa", 4);
  EXPECT_EQ(at.end, 4u);
  EXPECT_EQ(at.next, 4u);
  at = cut("a a", 10);
  EXPECT_EQ(at.end, 3u);
}

TEST_F(TokenizerTest, ACutIsAfterAtLeastOneCharacter) {
  const Tokenizer tokenizer(handmade_.view);
  for (const std::string text :
       {"ba", "\u20acb", "</s>a", ">>x<<ab", "    b", "\xFF\xFF"}) {
    for (const size_t max_tokens : {0, 1}) {
      const TextCut at =
          tokenizer.FindCut(text, max_tokens, buffers_->Scratch());
      EXPECT_GT(at.end, 0u) << text;
      EXPECT_LE(at.end, at.next) << text;
      EXPECT_LE(at.next, text.size()) << text;
    }
  }
}

TEST(ContinuesWordTest, LettersGoOnWithAWord) {
  HandmadeTokenizer handmade({{"a", 0.f},
                              {"_a", 0.f},
                              {"7", 0.f},
                              {"\u00e4", 0.f},
                              {"\u0436", 0.f},
                              {".", 0.f},
                              {"\u00ab", 0.f},
                              {"\u4e2d", 0.f}});
  std::vector<bool> continues;
  for (size_t id = 0; id < 11; ++id) {
    continues.push_back(ContinuesWord(handmade.view, id));
  }
  // </s>, <unk>, the pieces, and none.
  EXPECT_EQ(continues, (std::vector<bool>{false, false, true, false, true, true,
                                          true, false, false, false, false}));
}

TEST(ContinuesWordTest, TokensThatAreWordsGoOnWithNone) {
  HandmadeTokenizer handmade({{"s", 0.f}, {"_nex", 0.f}});
  EXPECT_TRUE(ContinuesWord(handmade.view, 2));
  EXPECT_FALSE(ContinuesWord(handmade.view, 3));
  handmade.view.joining = Joining::kWords;
  EXPECT_FALSE(ContinuesWord(handmade.view, 2));
}

}  // namespace latimer::tokenizer_test
