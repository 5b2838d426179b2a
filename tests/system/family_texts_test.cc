// Text in, text out, for each Hugging Face family: with its tokenizer, its
// languages and tasks; see tests/reference/make_family_texts.py.
// Tests converter/readers/huggingface_model.cc, runtime/text_reader.cc.
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"
#include "tests/system/demo_model.h"
#include "tests/system/tiny_model.h"

namespace latimer::family_texts_test {

using Ids = std::vector<int32_t>;

std::string Field(const nlohmann::json& row, const char* name) {
  return row.contains(name) ? row[name].get<std::string>() : "";
}

class FamilyTextsTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Families, FamilyTextsTest,
                         ::testing::ValuesIn(FamiliesWithTexts()),
                         [](const auto& name) { return name.param; });

TEST_P(FamilyTextsTest, TextsEqualThoseOfTransformers) {
  const TempFolder folder;
  CopyFamily(GetParam(), folder.path());
  const ModelBytes file = WriteForThisCpu(
      OpenModel(folder.path(), /*with_tokenizer=*/true), WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  size_t rows = 0;
  for (const std::string& line :
       ReadLines(TestData("family_texts") / GetParam() / "fixture.jsonl")) {
    const nlohmann::json row = nlohmann::json::parse(line);
    SCOPED_TRACE(row["text"]);
    const std::string source = Field(row, "source_language");
    const std::string target = Field(row, "target_language");
    const std::string task = Field(row, "task");
    TranslateOptions options;
    options.source_language = source;
    options.target_language = target;
    options.task = task;
    // As in transformers.
    options.sentences = options.fold = options.keep_unknown = false;
    const Result<Translation> result =
        translator.Translate(row["text"].get<std::string>(), options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(Ids(result->source.begin(), result->source.end()),
              row["source"].get<Ids>());
    EXPECT_EQ(Ids(result->tokens.begin(), result->tokens.end()),
              row["target"].get<Ids>());
    EXPECT_EQ(result->text, row["output"].get<std::string>());
    ++rows;
  }
  EXPECT_GE(rows, 10u);
}

// As transformers' tokenizers give them.
TEST(BlankTextTest, HasTheTokensOfItsLanguages) {
  const auto ids_of = [](const std::string& name, const char* source,
                         const char* target, const char* prefix) {
    const TempFolder folder;
    CopyFamily(name, folder.path());
    const ModelBytes file = WriteForThisCpu(
        OpenModel(folder.path(), /*with_tokenizer=*/true), WeightType::kF32);
    Translator translator;
    EXPECT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
    TranslateOptions options;
    options.source_language = source;
    options.target_language = target;
    options.prefix = prefix;
    Ids ids(64);
    const Result<size_t> count = translator.Tokenize(" \t", options, ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(count.ok() ? *count : 0);
    return ids;
  };
  EXPECT_EQ(ids_of("mbart", "en_XX", "de_DE", ""), (Ids{2, 704}));
  EXPECT_EQ(ids_of("m2m100", "en", "de", ""), (Ids{714, 2}));
  EXPECT_EQ(ids_of("t5", "", "", ""), (Ids{1}));
  EXPECT_EQ(ids_of("gemma", "", "", ""), (Ids{2, 1168, 27}));  // White space.
  // Both tags and EOS, as around the texts of its fixture.
  const auto row = nlohmann::json::parse(ReadLines(
      TestData("family_texts/indictrans_distilled/fixture.jsonl"))[0]);
  const auto text = row["source"].get<Ids>();
  EXPECT_EQ(
      ids_of("indictrans_distilled", Field(row, "source_language").c_str(),
             Field(row, "target_language").c_str(), ""),
      (Ids{text[0], text[1], text.back()}));
  EXPECT_EQ(ids_of("t5", "", "", "translate").back(), 1);
  EXPECT_GT(ids_of("t5", "", "", "translate").size(), 2u);
}

TEST(PrefixTest, IsRefusedWhereItWouldBeJoinedWithTheText) {
  for (const char* name : {"bart", "gemma"}) {
    const TempFolder folder;
    CopyFamily(name, folder.path());
    const ModelBytes file = WriteForThisCpu(
        OpenModel(folder.path(), /*with_tokenizer=*/true), WeightType::kF32);
    Translator translator;
    ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
    TranslateOptions options;
    options.prefix = "translate: ";
    const Status status = translator.Translate("a", options).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
  }
}

}  // namespace latimer::family_texts_test
