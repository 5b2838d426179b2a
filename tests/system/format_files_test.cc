// Files that older converters wrote translate as they did then. They are kept
// for ever: tests/reference/make_format_file made them.
// Tests runtime/model/model_file.cc.
#include <gtest/gtest.h>

#include "internals.h"
#include "tests/system/demo_model.h"
#include "tests/system/tiny_model.h"

namespace latimer::format_files_test {

namespace fs = std::filesystem;

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(TestData("formats"))) {
    if (entry.path().extension() == ".ltm") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// The folder's name.
std::string VersionOf(const fs::path& file) {
  return file.parent_path().filename().string();
}

class FormatFileTest : public ::testing::TestWithParam<fs::path> {
 protected:
  FormatFileTest()
      : bytes_(ReadFile(GetParam())),
        image_(std::as_bytes(std::span(bytes_))) {}

  const std::string bytes_;
  Image image_;
};

INSTANTIATE_TEST_SUITE_P(Files, FormatFileTest, ::testing::ValuesIn(Files()),
                         [](const auto& file) {
                           return "Version" + VersionOf(file.param) + "_" +
                                  file.param.stem().string();
                         });

TEST_P(FormatFileTest, HasTheVersionOfItsFolder) {
  ModelDescription info;
  const Status read = ReadModelInfo(image_.bytes(), /*verify_checksum=*/true,
                                    &test_workspace, &info);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(std::to_string(info.format_version), VersionOf(GetParam()));
}

TEST_P(FormatFileTest, TranslatesAsItDidWhenItWasWritten) {
  Translator translator;
  const Status loaded = translator.Load(image_.bytes(), &test_workspace);
  if (loaded.code() == StatusCode::kTileNotInBuild ||
      loaded.code() == StatusCode::kUnsupportedCpu) {
    GTEST_SKIP() << loaded.message();
  }
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  TranslateOptions options;
  options.guards = false;  // There were none at first.
  options.keep_unknown = false;
  fs::path texts = GetParam();
  size_t lines = 0;
  for (const std::string& line : ReadLines(texts.replace_extension(".tsv"))) {
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const Result<Translation> result =
        translator.Translate(line.substr(0, tab), options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->text, line.substr(tab + 1)) << line;
    ++lines;
  }
  EXPECT_GE(lines, 5u);
}

}  // namespace latimer::format_files_test
