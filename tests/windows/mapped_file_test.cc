// What MappedFile does with names and files of Windows.
// Tests runtime/include/latimer/hosted_model.h, runtime/base/windows.cc,
// runtime/base/mapped_file.cc.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "latimer/hosted_model.h"

namespace latimer::mapped_file_test {

namespace fs = std::filesystem;

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest()
      : folder_(fs::temp_directory_path() / fs::path(u8"latimer Grüße 世界")) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~MappedFileTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  // Returns the path in UTF-8.
  std::string Write(const char8_t* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return Utf8(folder_ / name);
  }
  static std::string Utf8(const fs::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
  }
  static std::string_view Text(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()),
            file.bytes().size()};
  }
  static std::string Refusal(const std::string& path) {
    MappedFile file;
    const Status status = file.Open(path.c_str());
    EXPECT_EQ(status.code(), StatusCode::kResourceUnavailable);
    EXPECT_TRUE(file.bytes().empty());
    const std::string_view message = status.message();
    const size_t why = message.find(": cannot map the model, because ");
    EXPECT_NE(why, message.npos) << message;
    return std::string(message.substr(why == message.npos ? 0 : why + 32));
  }

  fs::path folder_;
};

TEST_F(MappedFileTest, TakesUtf8AndHasTheBytesOfTheFile) {
  const std::string text(100'000, 'x');
  MappedFile file;
  const Status status = file.Open(Write(u8"моделъ.ltm", text).c_str());
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Text(file), text);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.bytes().data()) % 4096, 0u);
}

TEST_F(MappedFileTest, AFileInUseCanBeRenamedAndANewOneTakeItsName) {
  const std::string path = Write(u8"model", "old");
  MappedFile file;
  ASSERT_TRUE(file.Open(path.c_str()).ok());
  fs::rename(folder_ / "model", folder_ / "before");
  Write(u8"new", "new");
  fs::rename(folder_ / "new", folder_ / "model");
  EXPECT_EQ(Text(file), "old");
  ASSERT_TRUE(file.Open(path.c_str()).ok());
  EXPECT_EQ(Text(file), "new");
}

TEST_F(MappedFileTest, WhatIsNoRegularFileIsRefused) {
  EXPECT_EQ(Refusal(Utf8(folder_ / "none")), "there is no such file.");
  EXPECT_EQ(Refusal(Utf8(folder_ / "none" / "none")), "there is no such file.");
  EXPECT_EQ(Refusal(Utf8(folder_)), "it is a folder.");
  EXPECT_EQ(Refusal(Write(u8"empty", "")), "it is empty.");
  EXPECT_EQ(Refusal("NUL"), "it is not a regular file.");
  EXPECT_EQ(Refusal("caf\xe9"), "its path is not UTF-8.");
  EXPECT_EQ(Refusal(std::string(300, 'x')), "its path is too long.");
}

}  // namespace latimer::mapped_file_test
