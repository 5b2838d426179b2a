// Text files, and what is said of those that cannot be read.
// Tests converter/readers/text_file.cc.
#include "converter/readers/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/converter/model_folder.h"

namespace latimer::text_file_test {

using testing::HasSubstr;

TEST(TextFileTest, ReadsEveryByte) {
  const TempFolder folder;
  for (const size_t size : {0, 1, 16383, 16384, 16385, 100000}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 251);
    WriteFile(folder.path() / "file", bytes);
    EXPECT_EQ(ReadText(folder.path() / "file"), bytes) << size;
  }
}

TEST(TextFileTest, SaysWhyAFileCannotBeRead) {
  const TempFolder folder;
  EXPECT_EQ(ErrorOf([&] { ReadText(folder.path() / "none"); }),
            (folder.path() / "none").string() +
                ": cannot be read (No such file or directory).");
  EXPECT_EQ(ErrorOf([&] { ReadText(folder.path()); }),
            folder.path().string() + ": cannot be read (Is a directory).");
}

TEST(TextFileTest, AFileOfATokenizerIsNamedWithTheWayOut) {
  const TempFolder folder;
  WriteFile(folder.path() / "source.spm", "");
  const auto error = [&] {
    return ErrorOf([&] {
      RequireTokenizerFiles(folder.path(), {"source.spm", "target.spm"});
    });
  };
  EXPECT_EQ(error(), (folder.path() / "target.spm").string() +
                         ": cannot be read (No such file or directory), and "
                         "the tokenizer needs it; download it, or convert "
                         "with --no-tokenizer.");
  ASSERT_EQ(mkfifo((folder.path() / "target.spm").c_str(), 0600), 0);
  EXPECT_THAT(error(), HasSubstr("target.spm: not a regular file"));
}

}  // namespace latimer::text_file_test
