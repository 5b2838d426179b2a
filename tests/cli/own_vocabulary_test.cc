// Vocabularies of own models at the command line: longest pieces, sources of a
// fixed length, and tokens that break a line.
// Tests programs/cli/lines.cc, programs/cli/inspect.cc,
// programs/cli/tokenize.cc, converter/readers/unreachable_entries.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/own_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::own_vocabulary_test {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class OwnVocabularyTest : public ::testing::Test {
 protected:
  // Converts a model of tests/data/own_models and returns the file.
  std::string Convert(const OwnModel& model,
                      const std::vector<std::string>& settings = {}) const {
    const std::string file = folder_.path() / "model.ltm";
    const ModelBytes bytes = WriteForThisCpu(
        model.Read(settings, /*with_tokenizer=*/true), WeightType::kF32);
    WriteFile(file, {reinterpret_cast<const char*>(bytes.bytes().data()),
                     bytes.bytes().size()});
    return file;
  }

  static std::string TokenizerOf(const std::string& file) {
    const Outcome outcome = RunProgram("latimer", {"inspect", file, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["tokenizer"];
  }

  TempFolder folder_;
};

// All lines of the fixture, text in and text out.
TEST_F(OwnVocabularyTest, TextsAreTranslatedAsTheModulesOwnCodeDoes) {
  for (const char* name : {"encoder_layers_padded", "encoder_layers_pieces"}) {
    const OwnModel model(name);
    const std::string file = Convert(model);
    std::string input, ids, expected;
    for (const Json& row : model.fixture["sequences"]) {
      input += row["src_text"].get<std::string>() + "\n";
      expected += row["output_text"].get<std::string>() + "\n";
      for (const int32_t id : row["src_ids"]) ids += std::to_string(id) + " ";
      ids.back() = '\n';
    }
    EXPECT_EQ(RunProgram("latimer", {"translate", file}, input).out, expected);
    EXPECT_EQ(RunProgram("latimer", {"tokenize", file}, input).out, ids);
    const Outcome translated =
        RunProgram("latimer", {"translate", file, "--ids"}, ids);
    EXPECT_EQ(
        RunProgram("latimer", {"tokenize", file, "--decode"}, translated.out)
            .out,
        expected);
  }
}

TEST_F(OwnVocabularyTest, InspectNamesTheKindsOfBothSides) {
  EXPECT_EQ(TokenizerOf(Convert(OwnModel("encoder_layers_words"))), "words");
  EXPECT_EQ(TokenizerOf(Convert(OwnModel("encoder_layers_characters"))),
            "words characters");
  // Without a tokenizer for texts of the target, its pieces are joined as
  // characters are.
  EXPECT_EQ(TokenizerOf(Convert(OwnModel("encoder_layers_pieces"))),
            "characters pieces");
}

// Of a vocabulary in which a frequent token is a line break.
TEST_F(OwnVocabularyTest, EachLineIsOneLine) {
  const OwnModel model("encoder_layers_pieces");
  Json target = Json::parse(ReadFile(model.folder / "target.json"));
  target["\n"] = target["喜欢"];
  target.erase("喜欢");
  const std::string changed = folder_.path() / "target.json";
  WriteFile(changed, target.dump());
  const std::string file =
      Convert(model, {"target_vocabulary.file=" + changed});
  std::string input, expected;
  size_t breaks = 0;
  for (const Json& row : model.fixture["sequences"]) {
    input += row["src_text"].get<std::string>() + "\n";
    std::string line = row["output_text"];
    const std::string word = "喜欢";
    for (size_t at; (at = line.find(word)) != line.npos; ++breaks) {
      line.replace(at, word.size(), " ");
    }
    expected += line + "\n";
  }
  EXPECT_GE(breaks, 2u);
  EXPECT_EQ(RunProgram("latimer", {"translate", file}, input).out, expected);
  const std::string best =
      RunProgram("latimer", {"translate", file, "--n-best", "1"}, input).out;
  EXPECT_EQ(std::ranges::count(best, '\n'), std::ranges::count(input, '\n'));
  const std::string ids =
      RunProgram("latimer", {"translate", file, "--ids"},
                 RunProgram("latimer", {"tokenize", file}, input).out)
          .out;
  EXPECT_EQ(RunProgram("latimer", {"tokenize", file, "--decode"}, ids).out,
            expected);
  // JSON can say it.
  EXPECT_THAT(RunProgram("latimer", {"translate", file, "--json"}, input).out,
              HasSubstr("\\n"));
}

}  // namespace latimer::own_vocabulary_test
