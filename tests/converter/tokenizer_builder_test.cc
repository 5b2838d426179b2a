// Sides of all kinds can be combined, and contradictions are refused.
// Tests converter/tokenizer_builder.cc, converter/normalizer_builder.cc,
// converter/charsmap.cc, converter/tokenizer_data.cc.
#include "converter/tokenizer_builder.h"

#include <gtest/gtest.h>

#include "converter/error.h"
#include "tests/text/tokenizer_fixture.h"

namespace latimer::tokenizer_builder_test {

using Ids = std::vector<int32_t>;
using Kind = TokenizerSide::Kind;

class TokenizerBuilderTest : public testing::Test {
 protected:
  std::string Error() const {
    try {
      BuildTokenizer(source_, target_);
    } catch (const ConversionError& error) {
      return error.what();
    }
    return "";
  }

  const SentencePieceModel model_{.name = "vocab.spm",
                                  .type = SentencePieceType::kBpe,
                                  .pieces = {{"</s>", 0, PieceType::kControl},
                                             {"<unk>", 0, PieceType::kUnknown},
                                             {"a", -1, PieceType::kNormal},
                                             {"b", -2, PieceType::kNormal}}};
  const Vocabulary words_{"words.json",
                          {"<pad>", "<sos>", "<eos>", "<unk>", "the", "cat"}};
  const Vocabulary characters_{
      "characters.json", {"<pad>", "<sos>", "<eos>", "<unk>", "猫", "这"}};
  TokenizerSide source_{.kind = Kind::kWords,
                        .vocabulary = &words_,
                        .rows = 6,
                        .lower_case = true};
  TokenizerSide target_{.kind = Kind::kCharacters,
                        .vocabulary = &characters_,
                        .rows = 6,
                        .special = {"<pad>", "<sos>", "<eos>", "<absent>"}};
};

TEST_F(TokenizerBuilderTest, EnglishWordsBecomeChineseCharacters) {
  OwnedTokenizer owned(BuildTokenizer(source_, target_));
  EXPECT_EQ(owned.Encode("The  CAT sat"), (Ids{4, 5, 3}));
  EXPECT_EQ(owned.Decode({1, 5, 4, 3, 2, 0}), "这猫<unk>");
  EXPECT_EQ(owned.data().segmentation, Segmentation::kWords);
  EXPECT_EQ(owned.data().joining, Joining::kCharacters);
}

TEST_F(TokenizerBuilderTest, PiecesBecomeWords) {
  source_ = {.model = &model_, .rows = 4};
  target_.kind = Kind::kWords;
  target_.vocabulary = &words_;
  OwnedTokenizer owned(BuildTokenizer(source_, target_));
  EXPECT_EQ(owned.Encode("ba"), (Ids{1, 3, 2}));  // No piece has the space.
  EXPECT_EQ(owned.Decode({4, 5, 2}), "the cat");
}

TEST_F(TokenizerBuilderTest, RowsBeyondTheVocabularyMustBeAskedFor) {
  source_.rows = 8;
  EXPECT_EQ(Error(),
            "words.json: has 6 pieces, fewer than the 8 rows of the model's "
            "embedding; give the vocabulary of the model's training.");
  source_.more_rows = true;
  EXPECT_EQ(Error(), "");
  target_.rows = 8;
  target_.more_rows = true;
  OwnedTokenizer owned(BuildTokenizer(source_, target_));
  EXPECT_EQ(owned.Decode({4, 6, 7, 5}), "猫这");
}

TEST_F(TokenizerBuilderTest, MoreIdsThanRowsAreAnError) {
  target_.rows = 5;
  EXPECT_EQ(Error(),
            "characters.json: has 6 pieces, more than the 5 rows of the "
            "model's embedding.");
  source_ = {.model = &model_, .rows = 3};
  EXPECT_EQ(Error(),
            "vocab.spm: has 4 pieces, more than the 3 rows of the model's "
            "embedding.");
}

TEST_F(TokenizerBuilderTest, TheUnknownWordMustBeInTheVocabulary) {
  source_.unknown = "[UNK]";
  EXPECT_EQ(Error(), "words.json: has no '[UNK]', the id of unknown words.");
}

TEST_F(TokenizerBuilderTest, EachKindNeedsItsFile) {
  const char* const kSource =
      "The source tokenizer needs a SentencePiece model, or else a vocabulary "
      "of words or characters.";
  source_.vocabulary = nullptr;
  EXPECT_EQ(Error(), kSource);
  source_ = {.rows = 4};
  EXPECT_EQ(Error(), kSource);
  source_ = {
      .kind = Kind::kWords, .model = &model_, .vocabulary = &words_, .rows = 6};
  EXPECT_EQ(Error(), kSource);
}

TEST_F(TokenizerBuilderTest, AWordLongerThanAnyPieceIsAnError) {
  const Vocabulary long_words{"words.txt", {"<unk>", std::string(1024, 'x')}};
  source_ = {.kind = Kind::kWords, .vocabulary = &long_words, .rows = 2};
  EXPECT_EQ(Error(),
            "words.txt: the piece with the id 1 is longer than 1023 bytes.");
}

TEST_F(TokenizerBuilderTest, AWordModelHasItsOwnIds) {
  SentencePieceModel model = model_;
  model.type = SentencePieceType::kWord;
  source_ = {.model = &model, .vocabulary = &words_, .rows = 6};
  EXPECT_EQ(Error(),
            "vocab.spm: the SentencePiece model is of type word, which is only "
            "supported with its own ids and with escape_whitespaces.");
  source_ = {.model = &model, .rows = 4};
  EXPECT_EQ(Error(), "");
}

}  // namespace latimer::tokenizer_builder_test
