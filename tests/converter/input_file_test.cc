// A mapped file of the converter, whose pages can be given back.
// Tests converter/input_file.cc.
#include "converter/input_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/converter/model_folder.h"

namespace latimer::input_file_test {

// Memory of this process that holds pages of files, in KB.
int64_t FilePages() {
  std::ifstream status("/proc/self/status");
  int64_t sum = 0;
  for (std::string word; status >> word;) {
    int64_t value = 0;
    if ((word == "RssFile:" || word == "RssShmem:") && status >> value) {
      sum += value;
    }
  }
  return sum;
}

uint64_t Sum(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (const std::byte byte : bytes) sum += static_cast<uint8_t>(byte);
  return sum;
}

TEST(InputFileTest, WhatIsForgottenTakesNoMemoryAndCanBeReadAgain) {
  constexpr int64_t kBytes = 32 << 20;
  TempFolder folder;
  const std::filesystem::path path = folder.path() / "large";
  WriteFile(path, std::string(kBytes, '\3'));
  const InputFile file(path);
  const int64_t before = FilePages();
  EXPECT_EQ(Sum(file.bytes()), uint64_t{3} * kBytes);
  const int64_t read = FilePages();
  EXPECT_GT(read, before + kBytes / 1024 * 3 / 4);
  // Not whole pages.
  file.Forget(file.bytes().subspan(100, kBytes - 200));
  EXPECT_LT(FilePages(), before + kBytes / 1024 / 4);
  EXPECT_EQ(Sum(file.bytes()), uint64_t{3} * kBytes);
  file.Forget(file.bytes().first(1));
  file.Forget(file.bytes().last(1));
  file.Forget({});
  EXPECT_EQ(Sum(file.bytes()), uint64_t{3} * kBytes);
}

}  // namespace latimer::input_file_test
