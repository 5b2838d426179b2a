// latimer-convert and latimer with files that are no plain files, hold escape
// sequences, or would be lost.
// Tests converter/main.cc, programs/os/system.cc, converter/output_file.cc,
// converter/system.cc, converter/readers/license.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/system/program.h"
#include "tests/system/tiny_model.h"
#include "tests/system/usable_tile.h"

namespace latimer::unusual_files_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr int kFailure = 1;

class UnusualFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(TinyModel("no_scale"), model_, fs::copy_options::recursive);
  }

  Outcome Convert(const fs::path& output) const {
    return RunProgram("latimer-convert",
                      {model_, "-o", output, "--no-tokenizer"});
  }

  // Puts something else in the place of a file.
  fs::path Replace(const char* name) const {
    fs::remove(model_ / name);
    return model_ / name;
  }

  TempFolder folder_;
  const fs::path model_ = folder_.path() / "model";
  const fs::path output_ = folder_.path() / "out.ltm";
};

TEST_F(UnusualFilesTest, AFifoIsRefusedInsteadOfWaitedFor) {
  for (const char* name : {"generation_config.json", "LICENSE",
                           "model.safetensors", "config.json"}) {
    ASSERT_EQ(mkfifo(Replace(name).c_str(), 0600), 0) << name;
    EXPECT_THAT(ErrorSentence(Convert(output_), kFailure),
                AllOf(HasSubstr(name), HasSubstr("not a regular file")));
    fs::remove(model_ / name);
  }
  const std::string fifo = folder_.path() / "fifo.ltm";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(ErrorSentence(RunProgram("latimer", {"inspect", fifo}), kFailure),
              HasSubstr("not a regular file"));
}

// What a pruned cache of downloads leaves.
TEST_F(UnusualFilesTest, ALinkToNothingIsCalledOne) {
  const auto expect_link = [&](const fs::path& original, const char* name) {
    const fs::path copy = folder_.path() / "copy";
    fs::remove_all(copy);
    fs::copy(original, copy, fs::copy_options::recursive);
    fs::remove(copy / name);
    fs::create_symlink("../blobs/0a1b", copy / name);
    EXPECT_THAT(
        ErrorSentence(RunProgram("latimer-convert", {copy, "-o", output_}),
                      kFailure),
        HasSubstr(Concat((copy / name).string(),
                         ": is a link to ../blobs/0a1b, which is not "
                         "there; download it again.")));
  };
  const fs::path family = folder_.path() / "family";
  CopyFamily("marian_codes", family);
  for (const char* name :
       {"config.json", "generation_config.json", "model.safetensors",
        "source.spm", "vocab.json", "tokenizer_config.json", "LICENSE"}) {
    expect_link(family, name);
  }
  for (const char* name :
       {"config.json", "model.bin", "shared_vocabulary.json"}) {
    expect_link(TestData("ctranslate2/text_marian"), name);
  }
  for (const char* name : {"decoder.yml", "vocab.source.yml", "model.npz"}) {
    expect_link(TestData("tiny_native/separate"), name);
  }
  fs::create_symlink("gone", folder_.path() / "model.npz");
  EXPECT_THAT(
      ErrorSentence(RunProgram("latimer-convert",
                               {folder_.path() / "model.npz", "-o", output_}),
                    kFailure),
      HasSubstr("is a link to gone, which is not there"));
}

TEST_F(UnusualFilesTest, ADeviceIsRefusedInsteadOfReadWithoutEnd) {
  fs::create_symlink("/dev/zero", Replace("config.json"));
  EXPECT_THAT(ErrorSentence(Convert(output_), kFailure),
              AllOf(HasSubstr("config.json"), HasSubstr("not a regular file")));
}

TEST_F(UnusualFilesTest, ALicenceOutsideTheFolderIsNotCopied) {
  const fs::path secret = folder_.path() / "secret";
  WriteFile(secret, "secret");
  fs::create_symlink(secret, model_ / "LICENSE");
  EXPECT_THAT(ErrorSentence(Convert(output_), kFailure),
              AllOf(HasSubstr("LICENSE"), HasSubstr("--license")));
  fs::remove(model_ / "LICENSE");
  WriteFile(model_ / "terms", "Do as you like.");
  fs::create_symlink("terms", model_ / "LICENSE");
  EXPECT_EQ(Convert(output_).code, 0);
  EXPECT_THAT(RunProgram("latimer", {"inspect", output_}).out,
              HasSubstr("Do as you like."));
}

TEST_F(UnusualFilesTest, AnOutputReplacesModelsOnly) {
  const fs::path weights = model_ / "model.safetensors";
  const auto bytes = fs::file_size(weights);
  EXPECT_THAT(
      ErrorSentence(Convert(weights), kFailure),
      AllOf(HasSubstr("model.safetensors"), HasSubstr("not a Latimer model")));
  EXPECT_EQ(fs::file_size(weights), bytes);
  EXPECT_EQ(Convert(output_).code, 0);
  EXPECT_EQ(Convert(output_).code, 0);
}

TEST_F(UnusualFilesTest, EscapeSequencesDoNotReachTheTerminal) {
  const std::string header =
      "{\"\\u001b]0;x\\u0007\": {\"dtype\": \"F32\", \"shape\": [1], "
      "\"data_offsets\": [0, 9]}}";
  std::string file(sizeof(uint64_t), '\0');
  file[0] = static_cast<char>(header.size());
  WriteFile(model_ / "model.safetensors", file + header + "12345678");
  EXPECT_THAT(ErrorSentence(Convert(output_), kFailure),
              AllOf(HasSubstr("?]0;x?"), Not(HasSubstr("\x1b"))));
}

}  // namespace latimer::unusual_files_test
