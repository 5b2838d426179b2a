// A mapped file has the bytes of the file, or a sentence that says why not.
// Tests runtime/base/mapped_file.cc, runtime/base/file_mapping.cc.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "latimer/hosted_model.h"
#include "latimer/latimer.h"

namespace latimer::mapped_file_test {

namespace fs = std::filesystem;

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() {
    std::string name = testing::TempDir() + "mapped_file_XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~MappedFileTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
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
    EXPECT_TRUE(std::string_view(status.message()).starts_with(path + ": "));
    return status.message() + path.size() + 2;
  }

  fs::path folder_;
};

TEST_F(MappedFileTest, HasTheBytesOfTheFileAtAPage) {
  const std::string text(100'000, 'x');
  const std::string path = Write("model", text);
  MappedFile file;
  EXPECT_TRUE(file.bytes().empty());
  const Status status = file.Open(path.c_str());
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Text(file), text);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.bytes().data()) % 4096, 0u);
  // A file that is replaced by another goes on to exist for who maps it.
  fs::rename(Write("new", "new"), path);
  EXPECT_EQ(Text(file), text);
  ASSERT_TRUE(file.Open(path.c_str()).ok());
  EXPECT_EQ(Text(file), "new");
}

TEST_F(MappedFileTest, WhatIsNoRegularFileIsRefusedAtOnce) {
  EXPECT_EQ(Refusal(folder_ / "none"),
            "cannot map the model, because there is no such file.");
  EXPECT_EQ(Refusal(folder_), "cannot map the model, because it is a folder.");
  EXPECT_EQ(Refusal(Write("empty", "")),
            "cannot map the model, because it is empty.");
  // Nobody writes to this pipe, so opening it could wait for ever.
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Refusal(pipe),
            "cannot map the model, because it is not a regular file.");
  fs::create_symlink("/dev/zero", folder_ / "device");
  EXPECT_EQ(Refusal(folder_ / "device"),
            "cannot map the model, because it is not a regular file.");
}

TEST_F(MappedFileTest, AFileThatMayNotBeReadIsRefused) {
  const std::string path = Write("secret", "x");
  fs::permissions(path, fs::perms::none);
  if (access(path.c_str(), R_OK) == 0) GTEST_SKIP() << "root may read it";
  EXPECT_EQ(Refusal(path), "cannot map the model, because it may not be read.");
}

TEST_F(MappedFileTest, AFailureLeavesNothingOfTheFileBefore) {
  MappedFile file;
  ASSERT_TRUE(file.Open(Write("model", "text").c_str()).ok());
  EXPECT_FALSE(file.Open((folder_ / "none").c_str()).ok());
  EXPECT_TRUE(file.bytes().empty());
}

TEST_F(MappedFileTest, NoPathIsRefused) {
  MappedFile file;
  EXPECT_EQ(file.Open(nullptr).code(), StatusCode::kInvalidArgument);
  const void* image = nullptr;
  size_t bytes = 1;
  char message[LATIMER_MESSAGE_BYTES] = "";
  EXPECT_EQ(latimer_map_file(nullptr, &image, &bytes, message, sizeof(message)),
            LATIMER_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "The path of the model is null; give one.");
  EXPECT_EQ(bytes, 0u);
}

TEST_F(MappedFileTest, TheCApiDoesTheSame) {
  const std::string path = Write("model", "text");
  const void* image = nullptr;
  size_t bytes = 0;
  char message[LATIMER_MESSAGE_BYTES] = "before";
  ASSERT_EQ(
      latimer_map_file(path.c_str(), &image, &bytes, message, sizeof(message)),
      LATIMER_OK);
  EXPECT_STREQ(message, "");
  EXPECT_EQ(std::string_view(static_cast<const char*>(image), bytes), "text");
  latimer_unmap_file(image, bytes);
  char cut[8];
  EXPECT_EQ(latimer_map_file("/none", &image, &bytes, cut, sizeof(cut)),
            LATIMER_RESOURCE_UNAVAILABLE);
  EXPECT_STREQ(cut, "/none: ");
  EXPECT_EQ(image, nullptr);
  EXPECT_EQ(bytes, 0u);
  latimer_unmap_file(image, bytes);
}

}  // namespace latimer::mapped_file_test
