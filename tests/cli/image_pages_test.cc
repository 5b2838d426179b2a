// The pages of a model file that `latimer` translates with, mapped and copied:
// huge ones if the system has them, and checked to the last byte before
// anything is translated.
// Tests programs/cli/image_file.cc, runtime/base/mapped_file.cc,
// programs/os/system.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/emulator.h"
#include "tests/system/process.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::image_pages_test {

using ::testing::HasSubstr;

// A process's memory region of at least `bytes` that holds the file or, if
// `path` is empty, a copy of it: the kernel's flags of it, such as "rd mr hg".
std::string FlagsOfRegion(pid_t id, const std::string& path, size_t bytes) {
  std::ifstream regions("/proc/" + std::to_string(id) + "/smaps");
  bool found = false;
  for (std::string line; std::getline(regions, line);) {
    std::istringstream fields(line);
    std::string first, access, offset, device, node, name;
    fields >> first >> access >> offset >> device >> node >> name;
    const size_t dash = first.find('-');
    if (dash != std::string::npos) {
      const uint64_t begin = std::stoull(first, nullptr, 16);
      const uint64_t end = std::stoull(first.substr(dash + 1), nullptr, 16);
      found = access == "r--p" && name == path && end - begin >= bytes;
    } else if (found && first == "VmFlags:") {
      return line;
    }
  }
  return "";
}

class ImagePagesTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const ModelBytes model =
        ConvertModel(TinyModel("no_scale"), WeightType::kInt8);
    bytes_ = {reinterpret_cast<const char*>(model.bytes().data()),
              model.bytes().size()};
  }

  bool is_copy() const { return GetParam(); }

  std::string Save() const {
    const std::string path =
        std::filesystem::canonical(folder_.path()) / "model.ltm";
    WriteFile(path, bytes_);
    return path;
  }

  std::vector<std::string> Translate(const std::string& path) const {
    std::vector<std::string> words = {"translate", path, "--ids"};
    if (is_copy()) words.push_back("--copy");
    return words;
  }

  std::string bytes_;
  TempFolder folder_;
};

TEST_P(ImagePagesTest, HugePagesAreAskedFor) {
  if (kEmulated) GTEST_SKIP() << "An emulator maps pages of its own.";
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    GTEST_SKIP() << "This system has no huge pages.";
  }
  const std::string path = Save();
  Pipe in, out;
  const Process process("latimer", Translate(path),
                        {.in = in.reader(), .out = out.writer()});
  in.Write("5 6 7\n");
  ASSERT_FALSE(out.ReadLine().empty());  // So the model is loaded.
  EXPECT_THAT(
      FlagsOfRegion(process.id(), is_copy() ? "" : path, bytes_.size()) + " ",
      HasSubstr(" hg "));
}

TEST_P(ImagePagesTest, NothingIsTranslatedWithADamagedByte) {
  const std::string path = Save();
  EXPECT_EQ(RunProgram("latimer", Translate(path), "5 6 7\n").code, 0);
  // The end of a block of weights, which only the checksum can tell.
  const std::string whole = bytes_;
  for (const size_t at : {whole.size() / 2, whole.size() - 1}) {
    bytes_ = whole;
    bytes_[at] = static_cast<char>(bytes_[at] ^ 0x10);
    EXPECT_THAT(
        ErrorSentence(RunProgram("latimer", Translate(Save()), "5 6 7\n"), 1),
        HasSubstr("checksum"))
        << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Options, ImagePagesTest, ::testing::Bool(),
                         [](const auto& copy) {
                           return copy.param ? "Copied" : "Mapped";
                         });

}  // namespace latimer::image_pages_test
