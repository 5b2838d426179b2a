// A file that is written is whole or is not there, and replaces what it may.
// Tests converter/output_file.cc, converter/system.cc.
#include "converter/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "tests/converter/model_folder.h"

namespace latimer::output_file_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(OutputFileTest, WritesAndReplacesAndLeavesNothingElse) {
  TempFolder folder;
  const fs::path path = folder.path() / "model.ltm";
  const std::string large(3 << 20, 'x');
  WriteFileAtomically(path, Bytes(large));
  EXPECT_EQ(ReadFile(path), large);
  WriteFileAtomically(path, Bytes("new"));
  EXPECT_EQ(ReadFile(path), "new");
  WriteFileAtomically(path, {});
  EXPECT_EQ(ReadFile(path), "");
  EXPECT_THAT(NamesIn(folder.path()), ElementsAre("model.ltm"));
}

TEST(OutputFileTest, SaysWhyInOneSentenceWhereItCannot) {
  TempFolder folder;
  WriteFile(folder.path() / "file", "kept");
  for (const char* name : {"no_such_folder/model.ltm", "file/model.ltm"}) {
    const std::string message =
        ErrorOf([&] { WriteFileAtomically(folder.path() / name, Bytes("x")); });
    EXPECT_THAT(message,
                AllOf(HasSubstr(name), HasSubstr("cannot create the file")));
    EXPECT_EQ(message.back(), '.');
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_THAT(NamesIn(folder.path()), ElementsAre("file"));
  EXPECT_EQ(ReadFile(folder.path() / "file"), "kept");
}

TEST(OutputFileTest, NeverReplacesWhatIsNoRegularFile) {
  TempFolder folder;
  fs::create_directory(folder.path() / "folder");
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const char* name : {"folder", "pipe"}) {
    EXPECT_THAT(
        ErrorOf([&] { WriteFileAtomically(folder.path() / name, Bytes("x")); }),
        AllOf(HasSubstr(name), HasSubstr("not a regular file")));
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_THAT(NamesIn(folder.path()), ElementsAre("folder", "pipe"));
}

TEST(OutputFileTest, WritesWhatALinkLeadsTo) {
  TempFolder folder;
  fs::create_directory(folder.path() / "models");
  WriteFile(folder.path() / "models" / "old", "old");
  fs::create_symlink("models/old", folder.path() / "first");
  fs::create_symlink("first", folder.path() / "second");
  fs::create_symlink(folder.path() / "models" / "new", folder.path() / "none");
  for (const char* name : {"second", "none"}) {
    WriteFileAtomically(folder.path() / name, Bytes("written"));
    EXPECT_TRUE(fs::is_symlink(folder.path() / name)) << name;
  }
  EXPECT_THAT(NamesIn(folder.path() / "models"), ElementsAre("new", "old"));
  EXPECT_EQ(ReadFile(folder.path() / "models" / "old"), "written");
  fs::create_symlink("round", folder.path() / "round");
  EXPECT_THAT(
      ErrorOf([&] { WriteFileAtomically(folder.path() / "round", {}); }),
      HasSubstr("too many symbolic links"));
}

TEST(OutputFileTest, LeavesNothingUnlessItIsCommitted) {
  TempFolder folder;
  const fs::path path = folder.path() / "model.ltm";
  WriteFile(path, "before");
  {
    OutputFile first(path);
    OutputFile second(path);
    first.Reserve(10000);
    second.Reserve(3);
    std::memset(first.bytes().data(), 'x', 10000);
    EXPECT_EQ(second.bytes()[0], std::byte{0});
    EXPECT_EQ(ReadFile(path), "before");
  }
  EXPECT_EQ(ReadFile(path), "before");
  EXPECT_THAT(NamesIn(folder.path()), ElementsAre("model.ltm"));
}

TEST(OutputFileTest, RemovesWhatAKilledConversionLeftAndNothingElse) {
  TempFolder folder;
  const fs::path path = folder.path() / "model.ltm";
  WriteFile(folder.path() / "model.ltm.partial.1.0", "left behind");
  WriteFile(folder.path() / "model.ltm.partial.2.0", "in use");
  WriteFile(folder.path() / "other.ltm.partial.1.0", "another model's");
  const std::vector<std::string> precious = {
      "model.ltm.partial.1",   "model.ltm.partial.1.0.old",
      "model.ltm.partial.1.",  "model.ltm.partial..0",
      "model.ltm.partial.1.x", "model.ltm.partial.notes"};
  for (const std::string& name : precious) {
    WriteFile(folder.path() / name, "precious");
  }
  const int in_use =
      open((folder.path() / "model.ltm.partial.2.0").c_str(), O_RDWR);
  ASSERT_GE(in_use, 0);
  ASSERT_EQ(flock(in_use, LOCK_EX), 0);
  WriteFileAtomically(path, Bytes("x"));
  close(in_use);
  std::vector<std::string> kept = precious;
  kept.insert(kept.end(),
              {"model.ltm", "model.ltm.partial.2.0", "other.ltm.partial.1.0"});
  EXPECT_THAT(NamesIn(folder.path()), UnorderedElementsAreArray(kept));
}

TEST(OutputFileTest, BytesStayAndCanChangeAfterCommit) {
  TempFolder folder;
  const fs::path path = folder.path() / "model.ltm";
  OutputFile file(path);
  file.Reserve(3);
  std::memcpy(file.bytes().data(), "abc", 3);
  file.Commit();
  EXPECT_EQ(std::memcmp(file.bytes().data(), "abc", 3), 0);
  EXPECT_EQ(ReadFile(path), "abc");
}

TEST(OutputFileTest, SaysBeforeTheWorkThatThereIsNoRoom) {
  TempFolder folder;
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 1 << 16;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = ErrorOf([&] {
    OutputFile file(folder.path() / "model.ltm");
    file.Reserve(1 << 20);
  });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, AllOf(HasSubstr("model.ltm"),
                             HasSubstr("cannot write the file")));
  EXPECT_THAT(NamesIn(folder.path()), IsEmpty());
}

}  // namespace latimer::output_file_test
