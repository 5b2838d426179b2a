// Folders of CTranslate2's converters give the ids, scores and texts that
// CTranslate2 computes from them; see tests/reference/make_ctranslate2.py.
// Tests converter/readers/ctranslate2_model.cc,
// converter/readers/ctranslate2_network.cc,
// converter/readers/ctranslate2_vocabulary.cc,
// converter/readers/ctranslate2_config.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "converter/readers/text_file.h"
#include "tests/system/fixture_check.h"

namespace latimer::ctranslate2_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

constexpr std::string_view kWithText = "text_";

fs::path Folder(const std::string& name) {
  return TestData("ctranslate2") / name;
}

std::vector<std::string> Folders(bool with_text) {
  std::vector<std::string> names = NamesIn(TestData("ctranslate2"));
  std::erase_if(names, [&](const std::string& name) {
    return name.starts_with(kWithText) != with_text;
  });
  return names;
}

std::string ParamName(const ::testing::TestParamInfo<std::string>& name) {
  return name.param;
}

// ---- Ids --------------------------------------------------------------------

class CTranslate2IdsTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Folders, CTranslate2IdsTest,
                         ::testing::ValuesIn(Folders(false)), ParamName);

TEST_P(CTranslate2IdsTest, IdsAndScoresEqualCTranslate2) {
  const ModelBytes file = ConvertModel(Folder(GetParam()), WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  const nlohmann::json fixture = ReadFixture(Folder(GetParam()));
  for (const nlohmann::json& row : fixture["sequences"]) {
    SCOPED_TRACE(row["src_ids"].dump());
    TranslateOptions options;
    options.scores = true;
    options.max_target_tokens = fixture["max_new_tokens"].get<uint32_t>();
    const Result<Translation> result =
        translator.TranslateIds(row["src_ids"].get<Ids>(), options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(Ids(result->tokens.begin(), result->tokens.end()),
              row["output_ids"].get<Ids>());
    const float score =
        *result->mean_score * static_cast<float>(result->tokens.size());
    EXPECT_NEAR(score, row["score"].get<float>(), 2e-3f);
  }
  EXPECT_GE(fixture["sequences"].size(), 12u);
}

TEST(CTranslate2Int8Test, MostIdsAreThoseOfCTranslate2) {
  Agreement agreement;
  for (const std::string& name : Folders(false)) {
    ASSERT_TRUE(AddModel(Folder(name), UsableTile(), &agreement));
  }
  std::printf("int8: %zu of %zu rows, %zu of %zu tokens equal\n",
              agreement.equal_rows, agreement.rows, agreement.equal_tokens,
              agreement.tokens);
  // Widths of 24 quantize badly; real models agree far more.
  EXPECT_GT(10 * agreement.equal_tokens, 7 * agreement.tokens);
}

TEST(CTranslate2Int8Test, IntegersAreKept) {
  const CanonicalModel model =
      OpenModel(Folder("marian_int8"), /*with_tokenizer=*/false);
  ASSERT_GT(model.linears.size(), 5u);
  for (const auto& [name, linear] : model.linears) {
    for (const SourceTensor* weight : linear.weights) {
      EXPECT_EQ(weight->type, SourceType::kInt8) << name;
    }
  }
}

TEST(CTranslate2Test, RowsOfPositionsAreCutAtALimit) {
  const fs::path folder = Folder("opennmt_py");
  CanonicalModel model = OpenModel(folder, /*with_tokenizer=*/false);
  EXPECT_EQ(model.architecture.source_positions, 1024u);
  EXPECT_EQ(model.architecture.target_positions, 1024u);
  ASSERT_EQ(model.warnings.size(), 2u);
  EXPECT_THAT(model.warnings[0], HasSubstr("has 1300 rows; the first 1024"));
  model = OpenModel(folder, false, {.source = 2000, .target = 1100});
  EXPECT_EQ(model.architecture.source_positions, 1300u);
  EXPECT_EQ(model.architecture.target_positions, 1100u);
  // Sinusoids have no end.
  model = OpenModel(Folder("opennmt_tf"), false, {.source = 2000, .target = 7});
  EXPECT_EQ(model.architecture.source_positions, 2000u);
  EXPECT_EQ(model.architecture.target_positions, 512u);
}

TEST(CTranslate2Test, LinesOfAVocabularyMayEndAsOnWindows) {
  const TempFolder folder;
  fs::copy(Folder("opennmt_tf_version_2"), folder.path());
  const fs::path path = folder.path() / "shared_vocabulary.txt";
  std::string text;
  for (const std::string& line : ReadLines(path)) text += line + "\r\n";
  WriteFile(path, text);
  EXPECT_NO_THROW((void)OpenModel(folder.path(), /*with_tokenizer=*/false));
  // Unless all do, the character belongs to a token.
  WriteFile(path, "a\n" + text.substr(text.find('\n') + 1));
  EXPECT_THAT(ErrorOf([&] { (void)OpenModel(folder.path(), false); }),
              HasSubstr("lacks the token </s>"));
}

// ---- Texts ------------------------------------------------------------------

// The folder with the tokenizer's files beside, as the documentation says.
void Assemble(const std::string& name, const fs::path& folder) {
  const std::string family = name.substr(kWithText.size());
  if (family == "argos") {
    fs::copy(TestData("marian_tokenizer/separate/source.spm"),
             folder / "sentencepiece.model");
    fs::copy(Folder(name), folder / "model");
    return;
  }
  fs::copy(family == "marian" ? TestData("marian_tokenizer/added_tokens")
                              : TestData("huggingface_tokenizer") / family,
           folder);
  fs::copy(Folder(name), folder,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

std::string Field(const nlohmann::json& row, const char* name) {
  return row.contains(name) ? row[name].get<std::string>() : "";
}

class CTranslate2TextsTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Folders, CTranslate2TextsTest,
                         ::testing::ValuesIn(Folders(true)), ParamName);

TEST_P(CTranslate2TextsTest, IdsEqualCTranslate2) {
  const TempFolder folder;
  Assemble(GetParam(), folder.path());
  const ModelBytes file = WriteForThisCpu(
      OpenModel(folder.path(), /*with_tokenizer=*/true), WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  const nlohmann::json fixture = ReadFixture(Folder(GetParam()));
  for (const nlohmann::json& row : fixture["sequences"]) {
    SCOPED_TRACE(row["text"]);
    const std::string source = Field(row, "source_language");
    const std::string target = Field(row, "target_language");
    TranslateOptions options;
    options.source_language = source;
    options.target_language = target;
    options.max_target_tokens = fixture["max_new_tokens"].get<uint32_t>();
    // As in CTranslate2.
    options.sentences = options.fold = options.keep_unknown = false;
    const Result<Translation> result =
        translator.Translate(row["text"].get<std::string>(), options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(Ids(result->source.begin(), result->source.end()),
              row["src_ids"].get<Ids>());
    EXPECT_EQ(Ids(result->tokens.begin(), result->tokens.end()),
              row["output_ids"].get<Ids>());
  }
  EXPECT_GE(fixture["sequences"].size(), 7u);
}

// ---- What is refused --------------------------------------------------------

class CTranslate2ErrorTest : public ::testing::Test {
 protected:
  void Copy(const std::string& name) {
    fs::copy(
        Folder(name), folder_.path(),
        fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  std::string Error(bool with_tokenizer = false) {
    const std::string message =
        ErrorOf([&] { (void)OpenModel(folder_.path(), with_tokenizer); });
    EXPECT_EQ(message.back(), '.') << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  // Replaces text of the same length in model.bin.
  void Patch(const std::string& from, const std::string& to) {
    ASSERT_EQ(from.size(), to.size());
    const fs::path path = folder_.path() / "model.bin";
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    const size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos);
    WriteFile(path, bytes.replace(at, from.size(), to));
  }

  TempFolder folder_;
};

TEST_F(CTranslate2ErrorTest, OtherSpecsAreNamed) {
  Copy("fairseq");
  Patch("TransformerSpec", "Wav2WhisperSpec");
  EXPECT_THAT(Error(), HasSubstr("a Wav2WhisperSpec; only TransformerSpec"));
}

TEST_F(CTranslate2ErrorTest, AttributesThatAreSetAreNamed) {
  Copy("fairseq");
  Patch("decoder/alignment_layer", "decoder/sliding_windows");
  EXPECT_THAT(Error(),
              HasSubstr("decoder/sliding_windows is set, which is not"));
}

TEST_F(CTranslate2ErrorTest, AMissingFileIsNamed) {
  Copy("fairseq");
  fs::remove(folder_.path() / "shared_vocabulary.json");
  EXPECT_THAT(Error(), HasSubstr("has neither shared_vocabulary.json nor"));
  fs::remove(folder_.path() / "config.json");
  EXPECT_THAT(Error(), HasSubstr("copy all files that CTranslate2 wrote"));
}

TEST_F(CTranslate2ErrorTest, AVocabularyOfAnotherModelIsRefused) {
  Copy("fairseq");
  WriteFile(folder_.path() / "shared_vocabulary.json", R"(["</s>", "<unk>"])");
  EXPECT_THAT(Error(), HasSubstr("has 2 tokens, but the embedding has 90"));
  WriteFile(folder_.path() / "shared_vocabulary.json", R"({"a": 1})");
  EXPECT_THAT(Error(), HasSubstr("it should be a list of tokens"));
}

TEST_F(CTranslate2ErrorTest, ATokenThatTheVocabularyLacksIsNamed) {
  Copy("fairseq");
  WriteFile(folder_.path() / "config.json", R"({"eos_token": "<end>"})");
  EXPECT_THAT(Error(), HasSubstr("lacks the token <end> that config.json"));
  WriteFile(folder_.path() / "config.json", R"({"layer_norm_epsilon": 0})");
  EXPECT_THAT(Error(), HasSubstr("layer_norm_epsilon is 0; it must be"));
  WriteFile(folder_.path() / "config.json", R"({"decoder_start_token": null})");
  EXPECT_THAT(Error(), HasSubstr("decoder_start_token is null"));
}

TEST_F(CTranslate2ErrorTest, SaysWhichFilesATokenizerNeeds) {
  Copy("fairseq");
  EXPECT_THAT(Error(/*with_tokenizer=*/true),
              AllOf(HasSubstr("CTranslate2 keeps no tokenizer"),
                    HasSubstr("--no-tokenizer")));
  Copy("text_nllb_json");
  EXPECT_THAT(Error(/*with_tokenizer=*/true), HasSubstr("keeps no tokenizer"));
  WriteFile(folder_.path() / "tokenizer_config.json",
            R"({"tokenizer_class": "IndicTransTokenizer"})");
  EXPECT_THAT(Error(/*with_tokenizer=*/true),
              AllOf(HasSubstr("from Hugging Face's folders only"),
                    HasSubstr("--no-tokenizer")));
}

TEST_F(CTranslate2ErrorTest, ATokenizerOfAnotherModelIsRefused) {
  Copy("text_nllb_json");
  fs::copy(TestData("huggingface_tokenizer/nllb_json/tokenizer.json"),
           folder_.path());
  nlohmann::json tokens = nlohmann::json::parse(
      ReadText(Folder("text_nllb_json") / "shared_vocabulary.json"));
  std::rotate(tokens.begin() + 5, tokens.begin() + 6, tokens.end());
  WriteFile(folder_.path() / "shared_vocabulary.json", tokens.dump());
  EXPECT_THAT(Error(/*with_tokenizer=*/true),
              HasSubstr("the files do not belong together"));
}

TEST_F(CTranslate2ErrorTest, MissingTensorsAreNamed) {
  Copy("fairseq");
  Patch("encoder/layer_1/ffn/linear_1/bias",
        "encoder/layer_1/ffn/linear_1/bios");
  EXPECT_THAT(Error(), HasSubstr("unexpected tensors: encoder/layer_1"));
  Patch("encoder/layer_1/ffn/linear_0/weight",
        "encoder/layer_1/ffn/linear_0/wright");
  EXPECT_THAT(Error(), HasSubstr("missing tensors: encoder/layer_1/ffn"));
}

}  // namespace latimer::ctranslate2_test
