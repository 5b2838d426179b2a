// A build whose profile keeps RAM for the model file reads the file into it,
// and --copy reads it into memory of its own: later changes of the file do not
// matter.
// Tests programs/cli/image_file.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/system/program.h"

namespace latimer::copied_image_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr size_t kRoom = 4096;  // tests/CMakeLists.txt

Outcome OpenImageOf(const std::string& bytes) {
  const TempFolder folder;
  WriteFile(folder.path() / "model.ltm", bytes);
  return RunProgram("tests/copied_image_program",
                    {folder.path() / "model.ltm"});
}

TEST(CopiedImageTest, AFileThatFillsTheRoomIsReadWhole) {
  std::string bytes(kRoom, 'x');
  bytes.front() = 'a';
  bytes.back() = 'z';
  const Outcome outcome = OpenImageOf(bytes);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, bytes);
}

TEST(CopiedImageTest, AFileThatIsLargerIsRefusedWithBothSizes) {
  EXPECT_THAT(ErrorSentence(OpenImageOf(std::string(kRoom + 1, 'x')), 1),
              AllOf(HasSubstr("4097"), HasSubstr("4096"),
                    HasSubstr("\"copying\""), HasSubstr("--copy-image")));
}

TEST(CopiedImageTest, ACopyThatIsAskedForOutlivesTheFile) {
  const TempFolder folder;
  std::string bytes(3 * kRoom + 5, 'x');
  bytes.front() = 'a';
  bytes.back() = 'z';
  WriteFile(folder.path() / "model.ltm", bytes);
  const Outcome outcome = RunProgram("tests/asked_copy_program",
                                     {folder.path() / "model.ltm", "--copy"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, bytes);
}

TEST(CopiedImageTest, AnEmptyFileIsRefused) {
  EXPECT_THAT(ErrorSentence(OpenImageOf(""), 1), HasSubstr("it is empty"));
}

}  // namespace latimer::copied_image_test
