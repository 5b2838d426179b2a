// latimer translate: many lines at a time, each written in order and as soon as
// possible.
// Tests programs/cli/translate.cc, programs/cli/ordered_writer.cc,
// programs/cli/text_store.cc, programs/cli/input.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::translate_lines_test {

using ::testing::HasSubstr;

class TranslateLinesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes file = ConvertDemo(WeightType::kInt8);
    std::ofstream(Model(), std::ios::binary)
        .write(reinterpret_cast<const char*>(file.bytes().data()),
               static_cast<std::streamsize>(file.bytes().size()));
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Model() { return folder_->path() / "demo.ltm"; }

  static Outcome Translate(const std::string& input,
                           std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"translate", Model()});
    return RunProgram("latimer", options, input);
  }

  static std::unique_ptr<TempFolder> folder_;
};
std::unique_ptr<TempFolder> TranslateLinesTest::folder_;

// Long and short lines in turn, empty ones, and one with a sentence that is
// cut.
std::string ManyLines() {
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  std::string text;
  for (size_t i = 0; i < FewerIfSlow(size_t{300}, size_t{12}); ++i) {
    text += lines[i];
    if (i % 7 == 3) {
      for (size_t j = 1; j < 6; ++j) text.append(" ").append(lines[i + j]);
    }
    text += i % 31 == 30 ? "\n\n" : "\n";
  }
  if (kEmulated) return text;
  for (int i = 0; i < 120; ++i) text += "Tom wants to learn German, and ";
  return text + "\nThe end.\n";
}

TEST_F(TranslateLinesTest, AllLinesComeInTheirOrderWithTheirOwnText) {
  const std::string input = ManyLines();
  const Outcome one = Translate(input, {"--lanes", "1"});
  EXPECT_EQ(one.code, 0) << one.err;
  const Outcome many = Translate(input);
  EXPECT_EQ(many.code, 0);
  EXPECT_EQ(many.out, one.out);
  EXPECT_EQ(many.err, one.err);
  EXPECT_EQ(many.err.find("was translated in") == std::string::npos, kEmulated);
}

TEST_F(TranslateLinesTest, LinesWithOtherNumbersAreReported) {
  const std::string input = "Tom has 1988 cats.\n\nTom is here.\n";
  EXPECT_EQ(Translate(input, {"--check-numbers"}).err, "");
  const std::vector<std::string> options = {"--check-numbers",
                                            "--max-target-tokens", "2"};
  const Outcome lines = Translate(input, options);
  EXPECT_EQ(lines.code, 0);
  EXPECT_THAT(lines.err, HasSubstr("latimer: warning: line 1: the translation "
                                   "lacks 1988.\n"));
  EXPECT_EQ(lines.err.find("line 3: the translation lacks"), std::string::npos);
  EXPECT_EQ(Translate(input, {"--max-target-tokens", "2"}).out, lines.out);

  const char* const numbers = R"("numbers":{"missing":["1988"],"surplus":[]})";
  const char* const none = R"("numbers":{"missing":[],"surplus":[]})";
  std::vector<std::string> json = options;
  json.emplace_back("--json");
  for (const char* how : {"", "--paragraphs"}) {
    if (*how != '\0') json.emplace_back(how);
    const std::string out = Translate(input, json).out;
    EXPECT_THAT(out, HasSubstr(numbers)) << how;
    EXPECT_THAT(out, HasSubstr(none)) << how;
  }
  EXPECT_THAT(Translate(input, json).err,
              HasSubstr("the sentence at line 1: the translation lacks 1988."));
  EXPECT_EQ(Translate("1\n", {"--ids", "--check-numbers"}).code, 2);
  EXPECT_EQ(Translate("1\n", {"--html", "--check-numbers"}).code, 2);
  EXPECT_EQ(Translate("1\n", {Model(), "--check-numbers"}).code, 2);
}

TEST_F(TranslateLinesTest, NumbersOfALineInPartsAreThoseOfAllParts) {
  std::string line = "Tom has $1,988.50. ";
  for (int i = 0; i < 120; ++i) line += "Tom wants to learn German, and ";
  const Outcome outcome =
      Translate(line + "\n", {"--check-numbers", "--protect"});
  EXPECT_THAT(outcome.err, HasSubstr("was translated in"));
  for (const char* said : {"the translation lacks", "the translation has"}) {
    EXPECT_EQ(outcome.err.find(said), std::string::npos) << outcome.err;
  }
}

TEST_F(TranslateLinesTest, EachSentenceOfALineIsTranslatedAsALine) {
  const std::string a = "Where is the station?", b = "Tom is here.";
  const std::string lines = Translate(a + "\n" + b + "\n").out;
  const size_t end = lines.find('\n');
  const std::string both = lines.substr(0, end) + "  " + lines.substr(end + 1);
  const Outcome one = Translate(a + "  " + b + " \n");
  EXPECT_EQ(one.out, both);
  EXPECT_EQ(one.err, "");
  EXPECT_NE(Translate(a + "  " + b + "\n", {"--no-sentences"}).out, "");
  // Words are counted in the whole line.
  EXPECT_THAT(Translate(a + "  " + b + "\n", {"--alignment"}).out,
              testing::HasSubstr(" 4-"));
}

TEST_F(TranslateLinesTest, WhatCameBeforeABadLineIsWrittenInFull) {
  std::string input;
  for (int i = 0; i < 40; ++i) input += "22 31 29 0\n";
  const Outcome good = Translate(input, {"--ids"});
  const Outcome bad = Translate(input + "9 x\n22 31 29 0\n", {"--ids"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.out, good.out);
  EXPECT_EQ(bad.err, "latimer: line 41: \"x\" is no token id.\n");
}

TEST_F(TranslateLinesTest, AnEndWithoutANewlineIsALine) {
  EXPECT_EQ(Translate("Hello.\nGood morning.").out,
            Translate("Hello.\nGood morning.\n").out);
}

TEST_F(TranslateLinesTest, MoreLanesThanTheBuildHasAreRefused) {
  EXPECT_THAT(ErrorSentence(Translate("", {"--lanes", "1000"}), 2),
              HasSubstr("--lanes 1000 exceeds the"));
}

// The program with a pipe at either end.
class Conversation {
 public:
  explicit Conversation(std::vector<std::string> arguments) {
    int in[2], out[2];
    EXPECT_EQ(pipe(in), 0);
    EXPECT_EQ(pipe(out), 0);
    std::vector<std::string> words;
    std::istringstream emulator(LATIMER_EMULATOR);
    for (std::string word; emulator >> word;) words.push_back(word);
    words.push_back(std::string(LATIMER_BINARY_DIR) + "/latimer");
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    for (const int file : {in[0], in[1], out[0], out[1]}) {
      posix_spawn_file_actions_addclose(&files, file);
    }
    EXPECT_EQ(
        posix_spawnp(&process_, argv[0], &files, nullptr, argv.data(), environ),
        0);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }

  void Say(const std::string& text) {
    EXPECT_EQ(write(to_, text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  // The next line, or "" if none comes in time, so that the test does not hang.
  std::string Hear() {
    std::string line;
    for (;;) {
      pollfd input = {from_, POLLIN, 0};
      if (poll(&input, 1, 120000) <= 0) return "";
      char c;
      if (read(from_, &c, 1) != 1) return line;
      line += c;
      if (c == '\n') return line;
    }
  }

  int End() {
    close(to_);
    close(from_);
    int status = 0;
    waitpid(process_, &status, 0);
    return status;
  }

 private:
  pid_t process_ = 0;
  int to_ = -1, from_ = -1;
};

TEST_F(TranslateLinesTest, ALineIsAnsweredBeforeTheNextOneComes) {
  const std::string hello = Translate("Hello.\n").out;
  const std::string morning = Translate("Good morning.\n").out;
  ASSERT_NE(hello, "");
  for (const char* workers : {"1", "3"}) {
    Conversation talk({"translate", Model(), "--workers", workers});
    talk.Say("Hello.\n");
    EXPECT_EQ(talk.Hear(), hello);
    // Two lines and the beginning of a third: nothing waits for its end.
    talk.Say("Good morning.\nHello.\nGood mor");
    EXPECT_EQ(talk.Hear(), morning);
    EXPECT_EQ(talk.Hear(), hello);
    talk.Say("ning.\n\n");
    EXPECT_EQ(talk.Hear(), morning);
    EXPECT_EQ(talk.Hear(), "\n");
    EXPECT_EQ(talk.End(), 0);
  }
}

}  // namespace latimer::translate_lines_test
