// Characters without a piece are read as others, and ids stand for the text's
// own bytes.
// Tests runtime/text/normalizer.cc, runtime/text/tokenizer_view.cc.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "latimer/profile_config.h"
#include "tests/text/handmade_tokenizer.h"
#include "text/tokenizer.h"

namespace latimer::fold_test {

using Ids = std::vector<int32_t>;

// Reads a, g, -, . and the space, composes a letter of two characters, and has
// folds for four more.
class FoldTest : public testing::Test {
 protected:
  FoldTest() {
    SetRules({{"g\u0306", "\u011f"}, {"\u00bd", "\u2044a"}});
    SetFolds({{"\u011f", "g"},
              {"\u2013", "-"},
              {"\u2026", "..."},
              {"\u00a0", " "},
              {"\u0301", ""},
              {"\u2044", "-"}});
  }

  static std::vector<uint32_t> Strings(
      const std::vector<std::pair<std::string, std::string>>& strings,
      std::vector<uint8_t>* bytes) {
    std::map<std::string, uint32_t> entries;
    for (const auto& [from, to] : strings) {
      entries[from] = static_cast<uint32_t>(bytes->size());
      bytes->insert(bytes->end(), to.begin(), to.end());
      bytes->push_back(0);
    }
    return HandmadeTrie(entries);
  }
  void SetRules(const std::vector<std::pair<std::string, std::string>>& rules) {
    rule_trie_ = Strings(rules, &rule_text_);
    made_.view.normalizer_trie = rule_trie_;
    made_.view.replacements = rule_text_;
  }
  void SetFolds(const std::vector<std::pair<std::string, std::string>>& folds) {
    fold_text_.clear();
    fold_trie_ = Strings(folds, &fold_text_);
    made_.view.fold_trie = fold_trie_;
    made_.view.fold_text = fold_text_;
  }

  Ids Encode(std::string_view text, const TokenizerView& view) {
    Ids ids(text.size() * 40 + 400);
    const Result<size_t> count =
        Tokenizer(view).Encode(text, buffers_->Scratch(), ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(count.ok() ? *count : 0);
    return ids;
  }
  Ids Encode(std::string_view text) { return Encode(text, made_.view); }

  // The bytes of the text that each of its ids stands for.
  std::vector<std::string> Pieces(std::string_view text) {
    std::vector<TextRange> ranges(Encode(text).size());
    Tokenizer(made_.view).FindRanges(text, buffers_->Scratch(), ranges);
    std::vector<std::string> pieces;
    for (const TextRange& range : ranges) {
      pieces.emplace_back(text.substr(range.begin, range.size()));
    }
    return pieces;
  }

  HandmadeTokenizer made_{
      {{"_", -1}, {"a", -2}, {"g", -2}, {"-", -2}, {".", -2}, {"...", -2}}};
  std::vector<uint32_t> rule_trie_, fold_trie_;
  std::vector<uint8_t> rule_text_, fold_text_;
  std::unique_ptr<TokenizerBuffers<(1 << 14)>> buffers_ =
      std::make_unique<TokenizerBuffers<(1 << 14)>>();
};

TEST_F(FoldTest, TheIdsAreThoseOfWhatIsRead) {
  EXPECT_EQ(Encode("a\u2013g"), Encode("a-g"));
  EXPECT_EQ(Encode("a\u011fa"), Encode("aga"));
  EXPECT_EQ(Encode("a\u2026"), Encode("a..."));
  EXPECT_EQ(Encode("a\u0301 a"), Encode("a a"));
}

TEST_F(FoldTest, FollowsTheRules) {
  EXPECT_EQ(Encode("ag\u0306a"), Encode("aga"));
  EXPECT_EQ(Encode("g\u00bd"), Encode("g-a"));
}

TEST_F(FoldTest, SpacesAreTrimmedAndJoinedAsUsual) {
  EXPECT_EQ(Encode("a\u00a0 \u00a0g"), Encode("a g"));
  EXPECT_EQ(Encode("\u00a0a\u00a0"), Encode("a"));
  EXPECT_EQ(Encode("\u00a0\u00a0"), Encode(""));
}

TEST_F(FoldTest, WithoutFoldsTheyAreUnknown) {
  const TokenizerView plain = made_.view.WithoutFolds();
  EXPECT_EQ(Encode("a\u2013g", plain), Encode("a\U0001F600g"));
  EXPECT_EQ(Encode("a-g", plain), Encode("a-g"));
}

TEST_F(FoldTest, WhatHasNoFoldIsStillUnknown) {
  const Ids ids = Encode("a\u20ac");
  EXPECT_EQ(ids.back(), made_.view.unknown_id);
}

TEST_F(FoldTest, IdsStandForTheBytesOfTheText) {
  using Texts = std::vector<std::string>;
  if (!kProfile.alignment) GTEST_SKIP();
  EXPECT_EQ(Pieces("a\u2013ag\u0306\u2026"),
            (Texts{"", "a", "\u2013", "a", "g\u0306", "\u2026"}));
  EXPECT_EQ(Pieces("a\u0301g"), (Texts{"", "a", "g"}));
}

TEST_F(FoldTest, LongTextsAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "\u2026\u2013\u011f";
  std::string joined;
  while (!text.empty()) {
    const TextCut cut =
        Tokenizer(made_.view).FindCut(text, 50, buffers_->Scratch());
    const std::string part = text.substr(0, cut.end);
    EXPECT_LE(Encode(part).size(), 50u);
    joined += part;
    text.erase(0, cut.next);
  }
  EXPECT_EQ(joined.size(), 3000u * 8);
}

// What a unit may become is bounded; then it stays.
TEST_F(FoldTest, NothingGrowsWithoutBound) {
  const std::string longest(kMaxReplacementBytes, 'a');
  SetFolds({{"\u011f", longest}, {"\u2013", "-"}});
  EXPECT_EQ(Encode("\u011f"), Encode(longest));
  rule_text_.clear();
  SetRules({{"b", "\u2013\u011f"}});
  EXPECT_EQ(Encode("b").back(), made_.view.unknown_id);
}

TEST_F(FoldTest, DamageIsFound) {
  const auto status = [this] {
    return ValidateTokenizer(made_.view, 100, 100);
  };
  EXPECT_TRUE(status().ok()) << status().message();
  fold_text_.back() = 'a';  // No end.
  EXPECT_EQ(status().code(), StatusCode::kCorrupt);
  SetFolds({{"\u011f", "\xff"}});
  EXPECT_EQ(status().code(), StatusCode::kCorrupt);
  SetFolds({{"\u011f", "\u00e9"}});
  EXPECT_TRUE(status().ok());
  ++fold_trie_.back();  // Begins within a character.
  EXPECT_EQ(status().code(), StatusCode::kCorrupt);
  fold_trie_.back() += 100;  // Beyond the end.
  EXPECT_EQ(status().code(), StatusCode::kCorrupt);
  SetFolds({{"\u011f", std::string(kMaxReplacementBytes + 1, 'a')}});
  EXPECT_EQ(status().code(), StatusCode::kCorrupt);
}

}  // namespace latimer::fold_test
