// A program with an embedded model translates without opening a file.
// Tests runtime/include/latimer/embedded_model.h, programs/cli/image_linked.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/system/program.h"

namespace latimer::embedded_model_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kText[] = "Where is the nearest train station?";

// The output of the program that reads the model from a file.
std::string Expected() {
  const Outcome outcome =
      RunProgram("latimer", {"translate", LATIMER_TEST_MODEL, "--text", kText});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_GT(outcome.out.size(), 10u);
  return outcome.out;
}

// The output of nm for a program: "name type address" on each line.
std::istringstream Symbols(const std::string& program,
                           const std::string& option) {
  const Outcome outcome =
      RunCommand({LATIMER_NM, option, "--format=posix",
                  std::string(LATIMER_BINARY_DIR) + "/tests/" + program});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out, "");
  return std::istringstream(outcome.out);
}

TEST(EmbeddedModelTest, TheExampleTranslatesLikeTheFile) {
  const Outcome outcome = RunProgram("tests/embedded_program", {kText});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, Expected());
}

TEST(EmbeddedModelTest, TheExampleHasNoFunctionThatOpensOrMapsAFile) {
  std::istringstream symbols = Symbols("embedded_program", "-u");
  bool prints = false;
  bool dynamic = false;
  for (std::string name, line; symbols >> name && getline(symbols, line);) {
    name = name.substr(0, name.find('@'));
    // What starts a static program may ask for it.
    if (name == "_DYNAMIC") continue;
    dynamic = dynamic || line.starts_with(" U");
    for (const char* function :
         {"open", "open64", "openat", "openat64", "fopen", "fopen64", "freopen",
          "fdopen", "read", "fread", "mmap", "mmap64", "syscall", "dlopen"}) {
      EXPECT_NE(name, function);
    }
    prints = prints || name == "fputs" || name == "fwrite";
  }
  if (!dynamic) GTEST_SKIP() << "it is linked to a static C library";
  EXPECT_TRUE(prints) << "these are not the symbols of the example";
}

TEST(EmbeddedModelTest, TheModelLiesAlignedInReadOnlyData) {
  std::istringstream symbols = Symbols("embedded_program", "--defined-only");
  uint64_t begin = 0, end = 0;
  std::string type, address;
  for (std::string name, line; symbols >> name >> type >> address;
       getline(symbols, line)) {
    if (!name.starts_with("latimer_model_")) continue;
    EXPECT_THAT(type, testing::AnyOf("r", "R")) << name;
    (name.ends_with("_begin") ? begin : end) =
        std::stoull(address, nullptr, 16);
  }
  EXPECT_GT(begin, 0u);
  EXPECT_EQ(begin % 64, 0u);
  EXPECT_EQ(end - begin, std::filesystem::file_size(LATIMER_TEST_MODEL));
}

TEST(EmbeddedModelTest, TheCommandLineTakesNoModel) {
  const Outcome outcome =
      RunProgram("tests/latimer_with_model", {"translate", "--text", kText});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, Expected());
  EXPECT_EQ(RunProgram("tests/latimer_with_model", {"inspect"}).code, 0);
}

TEST(EmbeddedModelTest, TheCommandLineRefusesAModel) {
  EXPECT_THAT(
      ErrorSentence(RunProgram("tests/latimer_with_model",
                               {"translate", "other.ltm", "--text", kText}),
                    2),
      AllOf(HasSubstr("other.ltm"), HasSubstr("carries its model")));
}

}  // namespace latimer::embedded_model_test
