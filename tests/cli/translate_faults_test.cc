// latimer translate when its input, its output or its user goes away.
// Tests programs/cli/interrupt.cc, programs/cli/lines.cc,
// programs/cli/ordered_writer.cc, programs/cli/input.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/process.h"
#include "tests/system/program.h"

namespace latimer::translate_faults_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void CountFaults(const char* what, int count) {
  std::printf("%d faults: %s\n", count, what);
}

class TranslateFaultsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes model = ConvertSmallDemo(WeightType::kInt8);
    WriteFile(Path("model.ltm"),
              {reinterpret_cast<const char*>(model.bytes().data()),
               model.bytes().size()});
    std::string text;
    for (const std::string& line :
         ReadLines(DemoDirectory() / "data" / "test.en")) {
      text += line + "\n";
      if (text.size() > 20000) break;
    }
    WriteFile(Path("text"), text);
    const Outcome outcome =
        RunProgram("latimer", {"translate", Path("model.ltm")}, text);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    expected_ = std::make_unique<std::string>(outcome.out);
    ASSERT_GT(expected_->size(), 10000u);
  }
  static void TearDownTestSuite() {
    folder_.reset();
    expected_.reset();
  }
  void SetUp() override {
    if (kEmulated) GTEST_SKIP() << "Signals are the emulator's own.";
  }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }
  static std::unique_ptr<Process> Start(Conditions conditions) {
    conditions.err = Path("errors");
    return std::make_unique<Process>(
        "latimer", std::vector<std::string>{"translate", Path("model.ltm")},
        conditions);
  }
  static std::string Errors() { return ReadFile(Path("errors")); }

  // Whole lines from the beginning.
  static void ExpectWholeLines(const std::string& out) {
    EXPECT_TRUE(expected_->starts_with(out)) << out;
    EXPECT_TRUE(out.empty() || out.back() == '\n') << out;
  }

  static std::unique_ptr<TempFolder> folder_;
  static std::unique_ptr<std::string> expected_;
};

std::unique_ptr<TempFolder> TranslateFaultsTest::folder_;
std::unique_ptr<std::string> TranslateFaultsTest::expected_;

int OpenText(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_GE(file, 0);
  return file;
}

TEST_F(TranslateFaultsTest, WhenNobodyReadsItEndsQuietly) {
  // Ignored, as in services, or not.
  for (const int ignored : {0, SIGPIPE}) {
    Pipe out;
    const int in = OpenText(Path("text"));
    const auto process =
        Start({.in = in, .out = out.writer(), .ignored_signal = ignored});
    close(in);
    out.CloseWriter();
    EXPECT_TRUE(expected_->starts_with(out.ReadLine()));
    out.CloseReader();
    EXPECT_EQ(process->Wait(), ignored == 0 ? 128 + SIGPIPE : 1);
    EXPECT_EQ(Errors(), "");
  }
  CountFaults("readers that go away", 2);
}

TEST_F(TranslateFaultsTest, WhenTheOutputIsFullItSaysSo) {
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  {
    const int in = OpenText(Path("text"));
    const auto process = Start({.in = in, .out = full});
    close(in);
    EXPECT_EQ(process->Wait(), 1);
    EXPECT_THAT(Errors(),
                HasSubstr("cannot write to standard output (No space"));
    EXPECT_EQ(std::ranges::count(Errors(), '\n'), 1);
  }
  const Outcome named = RunProgram(
      "latimer",
      {"translate", Path("model.ltm"), Path("text"), "-o", "/dev/full"});
  EXPECT_THAT(ErrorSentence(named, 1),
              HasSubstr("cannot write to /dev/full (No space"));
  const Outcome limited = RunCommand(
      {"sh", "-c",
       std::string("(ulimit -f 0; exec ") + LATIMER_BINARY_DIR +
           "/latimer translate " + Path("model.ltm") + " " + Path("text") +
           " -o " + Path("limited") + ") 2>&1 | cat >&2"});
  EXPECT_THAT(limited.err, HasSubstr("cannot write to " + Path("limited")));
  for (const std::string command : {"inspect", "plan", "tokenize"}) {
    Pipe in;
    in.Write("One.\n");
    in.CloseWriter();
    Process process("latimer", {command, Path("model.ltm")},
                    {.in = in.reader(), .out = full, .err = Path("errors")});
    EXPECT_EQ(process.Wait(), 1) << command;
    EXPECT_THAT(Errors(), HasSubstr("No space")) << command;
    EXPECT_EQ(std::ranges::count(Errors(), '\n'), 1) << Errors();
  }
  close(full);
  CountFaults("outputs that are full", 4);
}

TEST_F(TranslateFaultsTest, AnInterruptFlushesWhatIsFinished) {
  int faults = 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    // Until it has finished something, on a machine of any speed.
    size_t bytes = 0;
    for (int wait_ms = 50; bytes == 0; wait_ms *= 2) {
      ASSERT_LT(wait_ms, 60000);
      const int in = OpenText(Path("text"));
      const int out =
          open(Path("out").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
      const auto process = Start({.in = in, .out = out});
      close(in);
      close(out);
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      process->Send(signal);
      const int code = process->Wait();
      const std::string text = ReadFile(Path("out"));
      if (text == *expected_) break;  // Too fast for us.
      EXPECT_EQ(code, 128 + signal);
      EXPECT_EQ(Errors(), "");
      ExpectWholeLines(text);
      bytes = text.size();
      ++faults;
    }
  }
  CountFaults("interrupts while it translates a file", faults);
}

TEST_F(TranslateFaultsTest, AnInterruptEndsItWhileItWaits) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Pipe in, out;
    const auto process = Start({.in = in.reader(), .out = out.writer()});
    in.CloseReader();
    out.CloseWriter();
    in.Write("How are you?\n");
    EXPECT_FALSE(out.ReadLine().empty());
    process->Send(signal);  // The input stays open.
    EXPECT_EQ(out.ReadAll(), "");
    EXPECT_EQ(process->Wait(), 128 + signal);
    EXPECT_EQ(Errors(), "");
  }
  CountFaults("interrupts while it waits for input", 2);
}

TEST_F(TranslateFaultsTest, AnInterruptDoesNotWaitForAllPartsOfALine) {
  std::string line;
  for (int i = 0; i < 8000; ++i) line += "How are you? ";
  Pipe in, out;
  const auto process = Start({.in = in.reader(), .out = out.writer()});
  in.CloseReader();
  out.CloseWriter();
  in.Write("How are you?\n");
  EXPECT_FALSE(out.ReadLine().empty());
  in.Write(line + "\nHow are you?\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  process->Send(SIGTERM);
  // Not the end of that line, nor what comes after it.
  EXPECT_EQ(out.ReadAll().find('\n'), std::string::npos);
  EXPECT_EQ(process->Wait(), 128 + SIGTERM);
  EXPECT_EQ(Errors(), "");
  CountFaults("interrupts within a long line", 1);
}

TEST_F(TranslateFaultsTest, AnInterruptThatIsIgnoredStaysSo) {
  Pipe in, out;
  const auto process =
      Start({.in = in.reader(), .out = out.writer(), .ignored_signal = SIGINT});
  in.CloseReader();
  out.CloseWriter();
  in.Write("How are you?\n");
  EXPECT_FALSE(out.ReadLine().empty());
  process->Send(SIGINT);
  in.Write("How are you?\n");
  EXPECT_FALSE(out.ReadLine().empty());
  in.CloseWriter();
  EXPECT_EQ(process->Wait(), 0);
  CountFaults("interrupts that are ignored", 1);
}

TEST_F(TranslateFaultsTest, ASlowReaderGetsEverything) {
  Pipe out;
  // A page, the smallest size of a pipe.
  fcntl(out.writer(), F_SETPIPE_SZ, 4096);
  const int in = OpenText(Path("text"));
  const auto process = Start({.in = in, .out = out.writer()});
  close(in);
  out.CloseWriter();
  std::string text;
  for (std::string part = out.ReadSome(100); !part.empty();
       part = out.ReadSome(100)) {
    text += part;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  EXPECT_EQ(text, *expected_);
  EXPECT_EQ(process->Wait(), 0);
  CountFaults("reads of a slow reader", static_cast<int>(text.size() / 100));
}

TEST_F(TranslateFaultsTest, AnInterruptLosesNothingToASlowReader) {
  Pipe out;
  fcntl(out.writer(), F_SETPIPE_SZ, 4096);
  const int in = OpenText(Path("text"));
  const auto process = Start({.in = in, .out = out.writer()});
  close(in);
  out.CloseWriter();
  std::string text = out.ReadLine();
  // By now or soon it waits for us, with more finished output than a pipe
  // holds.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process->Send(SIGINT);
  text += out.ReadAll();
  ExpectWholeLines(text);
  EXPECT_GT(text.size(), 4096u);
  EXPECT_EQ(process->Wait(), 128 + SIGINT);
  CountFaults("interrupts while the reader is slow", 1);
}

TEST_F(TranslateFaultsTest, ALineTooLongToTokenizeIsRefusedInLittleMemory) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers reserve terabytes.";
  constexpr size_t kBytes = 20'000'000;
  WriteFile(Path("long"), std::string(kBytes, 'a') + "\n");
  const int in = OpenText(Path("long"));
  Process process("latimer", {"tokenize", Path("model.ltm")},
                  {.in = in, .memory = 40 * kBytes, .err = Path("errors")});
  close(in);
  EXPECT_EQ(process.Wait(), 1);
  EXPECT_THAT(Errors(),
              HasSubstr("line 1: The text of 20000000 bytes exceeds"));
  CountFaults("lines that are too long", 1);
}

TEST_F(TranslateFaultsTest, AModelThatIsReadOnlyOrReplacedIsReadOn) {
  TempFolder folder;
  const fs::path model = folder.path() / "model.ltm";
  fs::copy(Path("model.ltm"), model);
  fs::permissions(model, fs::perms::owner_read);
  Pipe in, out;
  Process process("latimer", {"translate", model},
                  {.in = in.reader(), .out = out.writer()});
  in.CloseReader();
  out.CloseWriter();
  in.Write("How are you?\n");
  const std::string before = out.ReadLine();
  // As the converter does.
  WriteFile(folder.path() / "other", "not a model");
  fs::rename(folder.path() / "other", model);
  in.Write("How are you?\n");
  in.CloseWriter();
  EXPECT_EQ(out.ReadLine(), before);
  EXPECT_EQ(process.Wait(), 0);
  CountFaults("models that are replaced while they are used", 1);
}

}  // namespace latimer::translate_faults_test
