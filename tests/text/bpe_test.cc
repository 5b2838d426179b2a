// Pairs are merged in the order of byte pair encoding.
// Tests runtime/text/bpe.cc.
#include "text/bpe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "handmade_tokenizer.h"
#include "text/tokenizer.h"

namespace latimer::bpe_test {

using Ids = std::vector<int32_t>;
using Pieces = std::vector<std::pair<std::string, float>>;

constexpr float kNever = NAN;  // In the vocabulary, but no piece.

// A tokenizer of `pieces` that neither adds nor removes white space.
class BpeTokenizer {
 public:
  explicit BpeTokenizer(const Pieces& pieces) : handmade_(pieces) {
    view().segmentation = Segmentation::kBpe;
    view().add_dummy_prefix = false;
    view().own_ids = true;
  }

  TokenizerView& view() { return handmade_.view; }

  Ids Encode(std::string_view text) {
    const Status status = ValidateTokenizer(view(), 1000, 1000);
    EXPECT_TRUE(status.ok()) << status.message();
    Ids ids(4096);
    const auto count = Tokenizer(view()).Encode(text, buffers_->Scratch(), ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(*count);
    return ids;
  }

 private:
  HandmadeTokenizer handmade_;
  std::unique_ptr<TokenizerBuffers<2048>> buffers_ =
      std::make_unique<TokenizerBuffers<2048>>();
};

// Ids: a 2, b 3, c 4, then the rest.
Pieces WithLetters(const Pieces& pairs) {
  Pieces pieces = {{"a", -9.f}, {"b", -9.f}, {"c", -9.f}};
  pieces.insert(pieces.end(), pairs.begin(), pairs.end());
  return pieces;
}

TEST(BpeTest, TheBestPairIsMergedFirstWhereverItStands) {
  BpeTokenizer bpe(WithLetters({{"ab", -2.f}, {"bc", -1.f}}));
  EXPECT_EQ(bpe.Encode("abc"), (Ids{2, 6}));
  EXPECT_EQ(bpe.Encode("ab"), (Ids{5}));
  EXPECT_EQ(bpe.Encode("abab"), (Ids{5, 5}));
}

TEST(BpeTest, OfEqualPairsTheLeftmostIsMergedFirst) {
  BpeTokenizer bpe(WithLetters({{"aa", -1.f}, {"ab", -1.f}, {"bc", -1.f}}));
  EXPECT_EQ(bpe.Encode("aaa"), (Ids{5, 2}));
  EXPECT_EQ(bpe.Encode("abc"), (Ids{6, 4}));
}

TEST(BpeTest, AMergeMakesNewPairsOnBothSides) {
  BpeTokenizer bpe(WithLetters(
      {{"bc", -1.f}, {"abc", -3.f}, {"bca", -2.f}, {"abca", -4.f}}));
  EXPECT_EQ(bpe.Encode("abc"), (Ids{6}));
  EXPECT_EQ(bpe.Encode("abca"), (Ids{8}));
}

TEST(BpeTest, WhatNoPieceCoversIsOneUnknownRun) {
  BpeTokenizer bpe(WithLetters({{"xy", kNever}}));
  EXPECT_EQ(bpe.Encode("axyb"), (Ids{2, 1, 3}));
  EXPECT_EQ(bpe.Encode("a\xFF\xFE"), (Ids{2, 1}));
  // With the ids of another vocabulary the run is looked up.
  bpe.view().own_ids = false;
  EXPECT_EQ(bpe.Encode("axyb"), (Ids{2, 5, 3}));
}

TEST(BpeTest, UserDefinedPiecesAreNeverMerged) {
  BpeTokenizer bpe(WithLetters({{"ab", 0.f}, {"abc", -1.f}, {"cab", -1.f}}));
  EXPECT_EQ(bpe.Encode("abc"), (Ids{6}));
  const std::vector<uint32_t> user_defined = HandmadeTrie({{"ab", 0}});
  bpe.view().user_defined_trie = user_defined;
  EXPECT_EQ(bpe.Encode("abccab"), (Ids{5, 4, 4, 5}));
}

TEST(BpeTest, UnusedPiecesFallApartAsTheyWereLastPutTogether) {
  BpeTokenizer bpe(
      WithLetters({{"ab", -1.f}, {"abc", -2.f}, {"bc", -3.f}, {"abca", -4.f}}));
  const std::vector<uint32_t> unused = HandmadeTrie({{"abc", 0}, {"ab", 1}});
  bpe.view().unused_trie = unused;
  bpe.view().unused_pieces = 2;
  EXPECT_EQ(bpe.Encode("abc"), (Ids{2, 3, 4}));
  EXPECT_EQ(bpe.Encode("abca"), (Ids{8}));  // Used, of unused ones.
}

// Byte pair encoding, the slow way: looks for the best pair after each merge.
std::vector<std::string> SlowBpe(const std::map<std::string, float>& scores,
                                 std::string_view text) {
  std::vector<std::string> symbols;
  for (const char c : text) symbols.emplace_back(1, c);
  while (true) {
    size_t best = symbols.size();
    float best_score = 0;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = scores.find(symbols[i] + symbols[i + 1]);
      if (found == scores.end()) continue;
      if (best < symbols.size() && found->second <= best_score) continue;
      best = i;
      best_score = found->second;
    }
    if (best == symbols.size()) return symbols;
    symbols[best] += symbols[best + 1];
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
  }
}

TEST(BpeTest, RandomModelsEqualTheSlowWay) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    std::map<std::string, float> scores = {{"a", -9}, {"b", -9}, {"c", -9}};
    for (int i = 0; i < 40; ++i) {
      std::string piece;
      for (uint32_t n = 2 + random() % 5; n > 0; --n) {
        piece += static_cast<char>('a' + random() % 3);
      }
      // Few different scores, above and below zero, so that many are equal.
      scores[piece] = static_cast<float>(random() % 7) - 3;
    }
    const Pieces pieces(scores.begin(), scores.end());
    BpeTokenizer bpe(pieces);
    std::map<std::string, int32_t> ids;
    for (const auto& [text, score] : pieces) {
      ids[text] = static_cast<int32_t>(ids.size()) + 2;
    }
    for (int i = 0; i < 20; ++i) {
      std::string text;
      for (uint32_t n = random() % 200; n > 0; --n) {
        text += static_cast<char>('a' + random() % 3);
      }
      Ids expected;
      for (const std::string& piece : SlowBpe(scores, text)) {
        expected.push_back(ids.at(piece));
      }
      EXPECT_EQ(bpe.Encode(text), expected) << text;
    }
  }
}

}  // namespace latimer::bpe_test
