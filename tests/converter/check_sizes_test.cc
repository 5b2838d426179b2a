// Impossible sizes in a configuration are refused before anything is allocated
// for them: a table of a terabyte, names of a billion layers.
// Tests converter/readers/bart_config.cc, converter/canonical_model.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/canonical_model.h"
#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::check_sizes_test {

using ::testing::HasSubstr;

constexpr uint32_t kHuge = 2147483647;

std::string ErrorOfField(const std::string& field) {
  TinyModelCopy model;
  model.EditConfig({{field, kHuge}});
  return ErrorOf([&] { (void)OpenModel(model.path(), false); });
}

TEST(CheckSizesTest, BillionsOfLayersAreRefused) {
  EXPECT_THAT(ErrorOfField("encoder_layers"),
              HasSubstr("encoder layer count is 2147483647"));
  EXPECT_THAT(ErrorOfField("decoder_layers"),
              HasSubstr("decoder layer count is 2147483647"));
}

TEST(CheckSizesTest, BillionsOfPositionsAreRefused) {
  EXPECT_THAT(ErrorOfField("max_position_embeddings"),
              HasSubstr("source position count is 2147483647"));
}

TEST(CheckSizesTest, ATableOfPositionsFitsAModelFile) {
  Architecture a{};
  a.d_model = 1024;
  a.source_positions = 500'000;
  EXPECT_NO_THROW(CheckSizes(a));
  a.source_positions = 530'000;
  EXPECT_THROW(CheckSizes(a), ConversionError);
}

// The output reads this matrix although it may be ignored.
TEST(CheckSizesTest, ASharedMatrixOfT5HasTheVocabularysRows) {
  const TempFolder folder;
  const auto from = TinyModelsFolder().parent_path() / "t5" / "relu_tied";
  std::filesystem::copy(from, folder.path());
  auto config = nlohmann::json::parse(ReadFile(from / "config.json"));
  config["vocab_size"] = 9;
  WriteFile(folder.path() / "config.json", config.dump());
  EXPECT_THAT(ErrorOf([&] { (void)OpenModel(folder.path(), false); }),
              HasSubstr("shared.weight"));
}

TEST(CheckSizesTest, ATokenizersFieldOfAnotherTypeIsRefusedWithTheFilesName) {
  const TempFolder folder;
  CopyFamily("nllb_json", folder.path());
  const auto path = folder.path() / "tokenizer.json";
  auto json = nlohmann::json::parse(ReadFile(path));
  json["normalizer"]["normalizers"][0] = 3;
  WriteFile(path, json.dump());
  EXPECT_EQ(ErrorOf([&] { (void)OpenModel(folder.path(), true); }),
            path.string() + ": a field is not of the type that it must have.");
}

}  // namespace latimer::check_sizes_test
