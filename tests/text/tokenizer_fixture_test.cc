// Ids and text equal those of the original tokenizers.
// Tests runtime/text/tokenize.cc, runtime/text/detokenize.cc,
// runtime/text/normalizer.cc, runtime/text/unigram.cc,
// converter/normalizer_builder.cc, converter/charsmap.cc.
#include "tests/text/tokenizer_fixture.h"

#include <chrono>
#include <cstdlib>
#include <map>

namespace latimer::tokenizer_fixture_test {

// Runs the fixture of a folder of SentencePiece models.
size_t ExpectModels(const std::filesystem::path& folder) {
  std::map<std::string, std::unique_ptr<OwnedTokenizer>> models;
  return ForEachLine(folder / "fixture.jsonl", [&](const auto& line) {
    const std::string name = line["model"];
    auto& model = models[name];
    if (model == nullptr) {
      model =
          std::make_unique<OwnedTokenizer>(SentencePieceOnly(folder / name));
    }
    ExpectLine(*model, line);
  });
}

TEST(TokenizerFixtureTest, EqualsMarianTokenizerOnAdversarialText) {
  OwnedTokenizer demo(DemoTokenizerData());
  const size_t lines = ForEachLine(
      SourceDirectory() / "tests" / "data" / "tokenizer_adversarial.jsonl",
      [&](const auto& line) { ExpectLine(demo, line); });
  EXPECT_GT(lines, 300u);
}

TEST(TokenizerFixtureTest, EqualsSentencePieceForModelsOfEachKind) {
  EXPECT_GT(
      ExpectModels(SourceDirectory() / "tests" / "data" / "sentencepiece"),
      1000u);
}

TEST(TokenizerFixtureTest, EqualsMarianTokenizerWithItsRarerSettings) {
  for (const char* name : {"separate", "added_tokens"}) {
    const std::filesystem::path folder =
        SourceDirectory() / "tests" / "data" / "marian_tokenizer" / name;
    Architecture architecture{};
    architecture.source_vocabulary =
        ReadVocabulary(folder / "vocab.json").pieces.size();
    architecture.target_vocabulary = architecture.source_vocabulary;
    if (std::filesystem::exists(folder / "target_vocab.json")) {
      architecture.target_vocabulary =
          ReadVocabulary(folder / "target_vocab.json").pieces.size();
    }
    CanonicalGeneration generation;
    OwnedTokenizer owned(
        ReadMarianTokenizer(folder, architecture, &generation));
    const size_t lines =
        ForEachLine(folder / "fixture.jsonl",
                    [&](const auto& line) { ExpectLine(owned, line); });
    EXPECT_GT(lines, 200u);
  }
}

TEST(TokenizerFixtureTest, EqualsMarianTokenizerOnTheDemoSentences) {
  OwnedTokenizer demo(DemoTokenizerData());
  const size_t lines = ForEachLine(
      SourceDirectory() / "examples" / "en-de" / "fixture.jsonl",
      [&](const auto& line) {
        std::vector<int32_t> ids =
            demo.Encode(line["source_text"].template get<std::string>());
        ids.push_back(demo.data().eos_id);
        EXPECT_EQ(ids, line["source"].template get<std::vector<int32_t>>());
        EXPECT_EQ(demo.Decode(line["target"]), line["target_text"]);
      });
  EXPECT_EQ(lines, 200u);
}

TEST(TokenizerFixtureTest, EqualsMarianTokenizerOnEachLineOfAGivenFixture) {
  const char* path = std::getenv("LATIMER_TOKENIZER_FIXTURE");
  if (path == nullptr) {
    GTEST_SKIP() << "LATIMER_TOKENIZER_FIXTURE names no file; make one with "
                    "tests/reference/tokenizer_fixture.py --corpus";
  }
  OwnedTokenizer demo(DemoTokenizerData());
  const size_t lines =
      ForEachLine(path, [&](const auto& line) { ExpectLine(demo, line); });
  std::cout << lines << " lines compared\n";
}

TEST(TokenizerFixtureTest, EqualsSentencePieceForGivenModels) {
  const char* path = std::getenv("LATIMER_SENTENCEPIECE_FIXTURE");
  if (path == nullptr) {
    GTEST_SKIP() << "LATIMER_SENTENCEPIECE_FIXTURE names no folder; make one "
                    "with tests/reference/tokenizer_fixture.py --models";
  }
  std::cout << ExpectModels(path) << " lines compared\n";
}

}  // namespace latimer::tokenizer_fixture_test
