// latimer tokenize, which gives the ids that translate gives the encoder.
// Tests programs/cli/tokenize.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::tokenize_test {

namespace fs = std::filesystem;

using Json = nlohmann::json;
using ::testing::HasSubstr;

// A model of a Hugging Face family, with texts and the ids that transformers
// and translate (system/family_texts_test.cc) give its encoder.
class Family {
 public:
  explicit Family(const std::string& name) : name_(name) {
    const fs::path source = folder_.path() / "source";
    CopyFamily(name, source);
    const ModelBytes file = WriteForThisCpu(
        OpenModel(source, /*with_tokenizer=*/true), WeightType::kF32);
    WriteFile(model(), {reinterpret_cast<const char*>(file.bytes().data()),
                        file.bytes().size()});
  }

  std::string model() const { return folder_.path() / "model.ltm"; }
  std::string source() const { return folder_.path() / "source"; }

  // Texts of one line with the same options as the first.
  std::vector<Json> Rows() const {
    std::vector<Json> rows;
    for (const std::string& line :
         ReadLines(TestData("family_texts") / name_ / "fixture.jsonl")) {
      Json row = Json::parse(line);
      const auto text = row["text"].get<std::string>();
      if (text.find_first_of("\r\n") != text.npos || text.empty()) continue;
      if (!rows.empty() && Options(row) != Options(rows.front())) continue;
      rows.push_back(row);
    }
    return rows;
  }

  static std::vector<std::string> Options(const Json& row) {
    std::vector<std::string> options;
    for (const auto& [field, option] :
         {std::pair("source_language", "--source-lang"),
          std::pair("target_language", "--target-lang"),
          std::pair("task", "--task")}) {
      if (!row.contains(field)) continue;
      options.push_back(option);
      options.push_back(row[field].get<std::string>());
    }
    return options;
  }

  Outcome Run(const std::string& command,
              const std::vector<std::string>& options,
              const std::string& input) const {
    std::vector<std::string> arguments = {command, model()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram("latimer", arguments, input);
  }

 private:
  const std::string name_;
  const TempFolder folder_;
};

std::string IdsOf(const Json& rows) {
  std::string lines;
  for (const Json& row : rows) {
    std::string line;
    for (const Json& id : row["source"]) {
      line += (line.empty() ? "" : " ") + id.dump();
    }
    lines += line + "\n";
  }
  return lines;
}

std::string TextsOf(const Json& rows) {
  std::string lines;
  for (const Json& row : rows) lines += row["text"].get<std::string>() + "\n";
  return lines;
}

TEST(TokenizeTest, LanguagesAndTasksGiveTheIdsOfTransformers) {
  // The source language after EOS, before the text, a task's prefix, and the
  // target language before the text.
  for (const char* name : {"mbart", "nllb_json", "t5", "madlad", "small100",
                           "marian_codes", "indictrans_distilled"}) {
    SCOPED_TRACE(name);
    const Family family(name);
    const std::vector<Json> rows = family.Rows();
    ASSERT_GE(rows.size(), 2u);
    const auto options = Family::Options(rows.front());
    ASSERT_FALSE(options.empty());
    const Outcome ids = family.Run("tokenize", options, TextsOf(rows));
    EXPECT_EQ(ids.code, 0) << ids.err;
    EXPECT_EQ(ids.out, IdsOf(rows));
  }
}

TEST(TokenizeTest, TheIdsAreTranslatedAsTheTextIs) {
  const Family family("mbart");
  const std::vector<Json> rows = family.Rows();
  std::vector<std::string> options = Family::Options(rows.front());
  // The encoder does not read the target language.
  const Outcome ids = family.Run(
      "tokenize", {options.begin(), options.begin() + 2}, TextsOf(rows));
  ASSERT_EQ(ids.code, 0) << ids.err;
  const std::vector<std::string> target(options.begin() + 2, options.end());
  std::vector<std::string> with_ids = target;
  with_ids.push_back("--ids");
  const Outcome translated = family.Run("translate", with_ids, ids.out);
  ASSERT_EQ(translated.code, 0) << translated.err;
  options.insert(options.end(), {"--no-sentences", "--no-guards", "--no-fold",
                                 "--no-keep-unknown"});
  EXPECT_EQ(family.Run("tokenize", {"--decode"}, translated.out).out,
            family.Run("translate", options, TextsOf(rows)).out);
}

TEST(TokenizeTest, AConvertedDirectionGivesTheSameIds) {
  for (const char* name : {"nllb_json", "madlad", "small100", "marian_codes",
                           "indictrans_distilled"}) {
    SCOPED_TRACE(name);
    const Family family(name);
    const std::vector<Json> rows = family.Rows();
    const std::string model = family.source() + ".ltm";
    std::vector<std::string> arguments = {family.source(), "-o", model};
    for (const std::string& option : Family::Options(rows.front())) {
      arguments.push_back(option);
    }
    const Outcome converted = RunProgram("latimer-convert", arguments);
    ASSERT_EQ(converted.code, 0) << converted.err;
    EXPECT_EQ(RunProgram("latimer", {"tokenize", model}, TextsOf(rows)).out,
              IdsOf(rows));
  }
}

TEST(TokenizeTest, APrefixTakesThePlaceOfTheTasks) {
  const Family family("t5");
  const std::vector<Json> rows = family.Rows();
  const std::string task = rows.front()["task"];
  const Json info =
      Json::parse(family.Run("inspect", {"--json"}, "").out)["generation"];
  const std::string prefix = info["tasks"][task];
  EXPECT_EQ(family.Run("tokenize", {"--prefix", prefix}, TextsOf(rows)).out,
            IdsOf(rows));
  EXPECT_NE(family.Run("tokenize", {}, TextsOf(rows)).out, IdsOf(rows));
}

TEST(TokenizeTest, ALongLineHasTheIdsOfItsParts) {
  const TempFolder folder;
  const std::string model = folder.path() / "demo.ltm";
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  WriteFile(model, {reinterpret_cast<const char*>(file.bytes().data()),
                    file.bytes().size()});
  std::string line;
  for (int i = 0; i < 300; ++i) line += "The house is very small. ";
  const Outcome outcome =
      RunProgram("latimer", {"tokenize", model}, line + "\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  TextCursor cursor(line, {.sentences = false, .max_target_tokens = 1});
  std::string expected;
  while (!cursor.done()) {
    const Result<Translation> part = translator.TranslateNext(cursor);
    ASSERT_TRUE(part.ok()) << part.status().message();
    for (const int32_t id : part->source) {
      expected += (expected.empty() ? "" : " ") + std::to_string(id);
    }
  }
  EXPECT_GT(cursor.parts(), 1u);
  EXPECT_EQ(outcome.out, expected + "\n");
}

TEST(TokenizeTest, SaysWhichTargetLanguagesThereAre) {
  const Family madlad("madlad");
  EXPECT_EQ(
      Json::parse(
          madlad.Run("inspect", {"--json"}, "").out)["generation"]["languages"],
      Json({"de", "zh_Hant"}));
  EXPECT_THAT(
      ErrorSentence(madlad.Run("tokenize", {"--target-lang", "xx"}, ""), 2),
      HasSubstr("--target-lang xx: the model has de, zh_Hant."));
  EXPECT_THAT(ErrorSentence(madlad.Run("tokenize", {}, "Hello.\n"), 1),
              HasSubstr("needs the target language, for example \"de\""));
  const Family marian("marian_codes");
  EXPECT_THAT(
      ErrorSentence(marian.Run("tokenize", {"--target-lang", "xx"}, ""), 2),
      HasSubstr("--target-lang xx: the model has de, fr."));
  EXPECT_EQ(marian.Run("tokenize", {}, "Hello.\n").code, 0);
}

TEST(TokenizeTest, SaysWhatIsMissing) {
  const Family family("mbart");
  EXPECT_THAT(ErrorSentence(family.Run("tokenize", {}, "Hello.\n"), 2),
              HasSubstr("latimer tokenize: --source-lang is missing"));
  EXPECT_THAT(
      ErrorSentence(family.Run("tokenize", {"--source-lang", "tlh"}, ""), 2),
      HasSubstr("latimer tokenize: --source-lang tlh: the model has "));
  EXPECT_THAT(ErrorSentence(
                  family.Run("tokenize", {"--decode", "--prefix", "x"}, ""), 2),
              HasSubstr("--decode goes without --source-lang"));
}

}  // namespace latimer::tokenize_test
