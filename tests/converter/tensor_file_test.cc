// All formats of weights give one model file; files in shards are one.
// Tests converter/readers/tensor_file.cc.
#include "converter/readers/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::tensor_file_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

fs::path Checkpoints() { return TestData("checkpoints"); }

std::string Converted(const fs::path& folder) {
  CanonicalModel model = ReadHuggingFaceBart(folder, /*with_tokenizer=*/false);
  model.source = "the same";  // By default the folder's name.
  const ModelBytes file = WriteModel(model, {.progress = {}});
  return {reinterpret_cast<const char*>(file.bytes().data()),
          file.bytes().size()};
}

TEST(TensorFileTest, EveryFormatGivesTheSameModelFile) {
  const std::string expected = Converted(TinyModelsFolder() / "float16");
  for (const char* folder : {"bin", "shards", "bin_shards"}) {
    EXPECT_TRUE(Converted(Checkpoints() / folder) == expected) << folder;
  }
}

TEST(TensorFileTest, TakesTheFirstOfTheWeightFiles) {
  TempFolder folder;
  EXPECT_THAT(ErrorOf([&] { (void)FindWeights(folder.path()); }),
              HasSubstr("neither model.safetensors nor pytorch_model.bin"));
  for (const char* name :
       {"pytorch_model.bin.index.json", "pytorch_model.bin",
        "model.safetensors.index.json", "model.safetensors"}) {
    WriteFile(folder.path() / name, "");
    EXPECT_EQ(FindWeights(folder.path()), folder.path() / name);
  }
}

TEST(TensorFileTest, RefusesNumbersOfEightBitsThatAreFloats) {
  TempFolder folder;
  const fs::path path = folder.path() / "model.safetensors";
  WriteFile(path, SafetensorsBytes({{"w", "F8_E4M3", {2}, "ab"}}));
  EXPECT_THAT(ErrorOf([&] { (void)OpenTensorFile(path); }),
              HasSubstr("tensor w has type F8_E4M3; save the float model's"));
}

// A folder of two shards and an index that a test edits.
class ShardsTest : public ::testing::Test {
 protected:
  ShardsTest() {
    WriteShard("1", {F32Tensor("a", {1}, {1}), F32Tensor("b", {1}, {2})});
    WriteShard("2", {F32Tensor("c", {1}, {3})});
  }

  void WriteShard(const std::string& name,
                  const std::vector<StoredTensor>& tensors) {
    WriteFile(folder_.path() / name, SafetensorsBytes(tensors));
  }

  TensorFile Open(const std::string& index) {
    const fs::path path = folder_.path() / "model.safetensors.index.json";
    WriteFile(path, index);
    return OpenTensorFile(path);
  }

  std::string OpenError(const std::string& index) {
    const std::string message = ErrorOf([&] { (void)Open(index); });
    EXPECT_THAT(message, HasSubstr("model.safetensors.index.json: "));
    return message;
  }

  static constexpr char kIndex[] =
      R"({"weight_map": {"a": "1", "b": "1", "c": "2"}})";
  TempFolder folder_;
};

TEST_F(ShardsTest, GiveTheTensorsOfAll) {
  const auto file = Open(kIndex);
  ASSERT_EQ(file.tensors.size(), 3u);
  float value = 0;
  file.tensors.at("c").Read(0, {&value, 1});
  EXPECT_EQ(value, 3);
}

TEST_F(ShardsTest, NamesTheShardThatIsMissing) {
  fs::remove(folder_.path() / "2");
  EXPECT_THAT(OpenError(kIndex), HasSubstr("2 is missing"));
}

TEST_F(ShardsTest, NamesATensorThatIsListedButAbsent) {
  EXPECT_THAT(OpenError(R"({"weight_map": {"a": "1", "d": "2"}})"),
              HasSubstr("tensor d is absent from 2"));
  EXPECT_THAT(OpenError(R"({"weight_map": {"c": "1", "a": "2"}})"),
              HasSubstr("tensor c is absent from 1"));
}

TEST_F(ShardsTest, NamesATensorThatLiesInTwoShards) {
  WriteShard("2", {F32Tensor("a", {1}, {1}), F32Tensor("c", {1}, {3})});
  EXPECT_THAT(OpenError(kIndex), HasSubstr("tensor a lies in both 1 and 2"));
}

TEST_F(ShardsTest, RefusesAnIndexThatNamesNoFiles) {
  for (const char* index :
       {"{}", R"({"weight_map": {}})", R"({"weight_map": ["1"]})"}) {
    EXPECT_THAT(OpenError(index), HasSubstr("no weight_map")) << index;
  }
  for (const char* file : {"1", "\"\"", "\"../1\"", "\"/etc/passwd\"",
                           "\"model.safetensors.index.json\""}) {
    EXPECT_THAT(
        OpenError(std::string(R"({"weight_map": {"a": )") + file + "}}"),
        HasSubstr("tensor a no file of the same folder"))
        << file;
  }
}

TEST_F(ShardsTest, TheErrorOfAShardNamesTheShard) {
  WriteFile(folder_.path() / "2", "PK");
  EXPECT_THAT(ErrorOf([&] { (void)Open(kIndex); }),
              AllOf(HasSubstr("/2: "), HasSubstr("safetensors")));
}

}  // namespace latimer::tensor_file_test
