// Progress on a terminal, and none elsewhere.
// Tests programs/cli/progress.cc, converter/main.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::progress_test {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProgressTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes model = ConvertSmallDemo(WeightType::kInt8);
    WriteFile(Path("model.ltm"),
              {reinterpret_cast<const char*>(model.bytes().data()),
               model.bytes().size()});
    WriteFile(Path("text"), "Hello. Tom is here.\n\nGo home!\nWhy?");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }

  // What the terminal got; the translations are in Path("out").
  static std::string Translate(std::vector<std::string> arguments,
                               int input = -1) {
    arguments.insert(arguments.begin(), {"translate", Path("model.ltm")});
    return OnTerminal("latimer", arguments, Path("out"), input);
  }

  static inline std::unique_ptr<TempFolder> folder_;
};

TEST_F(ProgressTest, FilesShowTheirShareAndTheirLines) {
  const std::string text = Translate({Path("text"), Path("text")});
  EXPECT_THAT(text, StartsWith("\rlatimer: 0 %, 0 lines, 0.0 lines/s\033[K"));
  EXPECT_THAT(text, HasSubstr("\rlatimer: 100 %, 8 lines, "));
  EXPECT_THAT(text, EndsWith(" lines/s\033[K\r\n"));
  const std::string out = ReadFile(Path("out"));
  EXPECT_EQ(RunProgram("latimer", {"translate", Path("model.ltm"), Path("text"),
                                   Path("text")})
                .out,
            out);
  // As FILE, so standard input.
  const int input = open(Path("text").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_THAT(Translate({}, input), HasSubstr("\rlatimer: 100 %, 4 lines, "));
  close(input);
  EXPECT_THAT(Translate({"--paragraphs", Path("text")}),
              HasSubstr("\rlatimer: 100 %, 4 sentences, "));
}

TEST_F(ProgressTest, AWarningTakesTheLine) {
  const std::string text =
      Translate({Path("text"), "--max-target-tokens", "1"});
  EXPECT_THAT(text, HasSubstr("\033[K\r\033[Klatimer: warning: line 1: the "
                              "length limit cut the translation.\r\n"));
  EXPECT_THAT(text, HasSubstr("\rlatimer: 100 %, 4 lines, "));
}

TEST_F(ProgressTest, NothingIsShownWhereNobodyLooks) {
  EXPECT_EQ(Translate({Path("text"), "--quiet"}), "");
  EXPECT_EQ(Translate({"--text", "Hello."}), "");
  Pipe pipe;
  pipe.Write("Hello.\n");
  pipe.CloseWriter();
  EXPECT_EQ(Translate({}, pipe.reader()), "");
  EXPECT_EQ(
      RunProgram("latimer", {"translate", Path("model.ltm"), Path("text")}).err,
      "");
}

TEST_F(ProgressTest, TheConverterShowsEachStep) {
  WriteFile(Path("lines"), "Hello.\nTom is here.\nGo home!\n");
  const auto convert = [&](std::vector<std::string> options) {
    options.insert(options.begin(),
                   {SmallDemoDirectory(), "-o", Path("new.ltm"), "--certify",
                    Path("lines")});
    return OnTerminal("latimer-convert", options, Path("out"));
  };
  const std::string text = convert({});
  EXPECT_THAT(text, StartsWith("\rpacking weights "));
  EXPECT_THAT(text, HasSubstr("\rpacking weights 100 %\033[K\r\033[K"));
  EXPECT_THAT(text, HasSubstr("\rpacking f32 weights 100 %\033[K"));
  EXPECT_THAT(text, HasSubstr("\rcertifying  33 %\033[K"));
  EXPECT_THAT(text, HasSubstr("\rcertifying 100 %\033[K\r\033[K"));
  EXPECT_THAT(text, EndsWith("\r\033[K"));
  EXPECT_EQ(convert({"--quiet"}), "");
  EXPECT_EQ(convert({"--json"}), "");
}

}  // namespace latimer::progress_test
