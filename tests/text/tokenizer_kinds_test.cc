// BPE, Marian's vocabularies, words, characters and pieces: ids and text equal
// those of the originals.
// Tests runtime/text/bpe.cc, runtime/text/unigram.cc, runtime/text/segments.cc,
// runtime/text/tokenize.cc, runtime/text/detokenize.cc,
// converter/tokenizer_builder.cc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <random>

#include "tests/text/tokenizer_fixture.h"

namespace latimer::tokenizer_kinds_test {

std::filesystem::path Data(const char* name) {
  return SourceDirectory() / "tests" / "data" / name;
}

// Runs the fixture of `folder`. `make` turns the field `key` of a line into a
// tokenizer. Expects lines for all of `names`.
size_t ExpectFixture(const std::filesystem::path& folder, const char* key,
                     const std::function<TokenizerData(std::string)>& make,
                     size_t names) {
  std::map<std::string, std::unique_ptr<OwnedTokenizer>> tokenizers;
  const size_t lines =
      ForEachLine(folder / "fixture.jsonl", [&](const auto& line) {
        const std::string name = line[key];
        auto& tokenizer = tokenizers[name];
        if (tokenizer == nullptr) {
          tokenizer = std::make_unique<OwnedTokenizer>(make(name));
        }
        ExpectLine(*tokenizer, line);
      });
  EXPECT_EQ(tokenizers.size(), names);
  return lines;
}

// A SentencePiece model, from the first folder that has it, with the ids of a
// .yml.
TokenizerData MarianTokenizer(const std::vector<std::filesystem::path>& models,
                              const std::filesystem::path& vocabularies,
                              const std::string& name) {
  std::filesystem::path path;
  for (const auto& folder : models) {
    if (path.empty() && std::filesystem::exists(folder / name)) {
      path = folder / name;
    }
  }
  const SentencePieceModel model = ReadSentencePieceModel(path);
  const Vocabulary vocabulary =
      ReadVocabulary(vocabularies / path.filename().replace_extension(".yml"));
  const TokenizerSide side = {.model = &model,
                              .vocabulary = &vocabulary,
                              .rows = vocabulary.pieces.size(),
                              .special = {"</s>"}};
  return BuildTokenizer(side, side);
}

TEST(TokenizerKindsTest, BpeCharAndWordModelsEqualSentencePiece) {
  const std::filesystem::path folder = Data("sentencepiece_bpe");
  EXPECT_GT(
      ExpectFixture(
          folder, "model",
          [&](auto name) { return SentencePieceOnly(folder / name); }, 12),
      2000u);
}

TEST(TokenizerKindsTest, PiecesHaveTheIdsOfAMarianVocabulary) {
  const std::filesystem::path folder = Data("marian_vocabulary");
  EXPECT_GT(ExpectFixture(
                folder, "model",
                [&](auto name) {
                  return MarianTokenizer(
                      {Data("sentencepiece_bpe"), Data("sentencepiece")},
                      folder, name);
                },
                3),
            500u);
}

TEST(TokenizerKindsTest, WordsCharactersAndPiecesEqualPython) {
  const std::filesystem::path folder = Data("words");
  EXPECT_GT(ExpectFixture(
                folder, "kind",
                [&](auto kind) { return WordTokenizer(folder, kind); }, 11),
            2000u);
}

TEST(TokenizerKindsTest, EqualTheOriginalsOnEachLineOfAGivenFixture) {
  const char* path = std::getenv("LATIMER_TOKENIZER_KINDS_FIXTURE");
  if (path == nullptr) {
    GTEST_SKIP() << "LATIMER_TOKENIZER_KINDS_FIXTURE names no folder; make one "
                    "with tests/reference/tokenizer_kinds_fixture.py --out";
  }
  const std::filesystem::path pieces =
      std::filesystem::path(path) / "sentencepiece";
  std::cout << ExpectFixture(
                   pieces, "model",
                   [&](auto name) { return SentencePieceOnly(pieces / name); },
                   17)
            << " lines of SentencePiece compared\n";
  const std::filesystem::path marian = std::filesystem::path(path) / "marian";
  std::cout << ExpectFixture(
                   marian, "model",
                   [&](auto name) {
                     return MarianTokenizer({pieces}, marian, name);
                   },
                   3)
            << " lines of Marian vocabularies compared\n";
  const std::filesystem::path words = std::filesystem::path(path) / "words";
  std::cout << ExpectFixture(
                   words, "kind",
                   [&](auto kind) { return WordTokenizer(words, kind); }, 11)
            << " lines of words, characters and pieces compared\n";
}

TEST(TokenizerKindsTest, RandomTextOfEachKindIsCutWithoutLoss) {
  std::vector<TokenizerData> all;
  for (const char* name :
       {"bpe_byte_fallback", "bpe_whitespace_suffix", "bpe_keep_whitespace",
        "bpe_across_spaces", "bpe_unused_across_spaces", "bpe_user_defined",
        "word", "char"}) {
    all.push_back(SentencePieceOnly(Data("sentencepiece_bpe") /
                                    (std::string(name) + ".spm")));
  }
  for (const char* kind :
       {"lower_words", "characters", "pieces", "skip_words", "skip_pieces"}) {
    all.push_back(WordTokenizer(Data("words"), kind));
  }
  const std::string_view units[] = {"a",    " ",      ". ",   "the ",
                                    "\xFF", "字",     "Tom",  "that ",
                                    "1234", "\u2581", "zzzz", "e\u0301"};
  std::mt19937 random(1);
  for (TokenizerData& data : all) {
    OwnedTokenizer owned(std::move(data));
    for (int round = 0; round < 40; ++round) {
      std::string text;
      for (int i = 0; i < 200; ++i) text += units[random() % std::size(units)];
      ExpectParts(owned, text, 24 + random() % 40);
    }
  }
}

TEST(TokenizerKindsTest, ALanguageCodeThatIsAPieceIsEncodedByItself) {
  OwnedTokenizer bpe(
      SentencePieceOnly(Data("sentencepiece_bpe") / "bpe_user_defined.spm"));
  for (const std::string text :
       {" Tom said no.", "  x", " ", " Tom  A <sep>"}) {
    const std::string code = ">>de<<";
    EXPECT_EQ(bpe.tokenizer().LanguageCodeBytes(code + text), code.size());
    std::vector<int32_t> ids = bpe.Encode(code);
    const std::vector<int32_t> rest = bpe.Encode(text);
    ids.insert(ids.end(), rest.begin(), rest.end());
    EXPECT_EQ(bpe.Encode(code + text), ids);
  }
  // A cut after these would change the ids.
  for (const char* text : {">>de<<Tom", ">>de<<", ">>fr<< Tom", " >>de<< a"}) {
    EXPECT_EQ(bpe.tokenizer().LanguageCodeBytes(text), 0u) << text;
  }
}

TEST(TokenizerKindsTest, BpeCutsAreAsLongAsTheyCanBe) {
  OwnedTokenizer bpe(
      SentencePieceOnly(Data("sentencepiece_bpe") / "bpe_byte_fallback.spm"));
  std::string text;
  for (int i = 0; i < 300; ++i) text += "Tom said that he was there ";
  for (const std::string_view part : ExpectParts(bpe, text, 50)) {
    const std::string_view rest = text;
    const size_t begin = static_cast<size_t>(part.data() - rest.data());
    const size_t next = rest.find(' ', begin + part.size() + 1);
    if (next == rest.npos) break;
    // One word more does not fit.
    EXPECT_GT(bpe.Encode(rest.substr(begin, next - begin)).size(), 50u);
  }
}

TEST(TokenizerKindsTest, BpeOfALongTextWithoutSpacesTakesItsTurn) {
  OwnedTokenizer bpe(
      SentencePieceOnly(Data("sentencepiece_bpe") / "bpe_byte_fallback.spm"));
  std::string text;
  while (text.size() < 200'000) text += "thethe";
  // A merge at a time over the whole text would be 10^10 steps.
  EXPECT_GT(bpe.Encode(text).size(), 10'000u);
}

}  // namespace latimer::tokenizer_kinds_test
