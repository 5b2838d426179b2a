// latimer-convert leaves a whole model or none, whatever happens.
// Tests converter/main.cc, converter/output_file.cc, converter/input_file.cc,
// converter/system.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/process.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::converter_faults_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// LATIMER_FAULT_ROUNDS sets more rounds, for more than a few seconds.
int Rounds() {
  const char* rounds = std::getenv("LATIMER_FAULT_ROUNDS");
  return rounds == nullptr ? 1 : std::atoi(rounds);
}

// For the record.
void CountFaults(const char* what, int count) {
  std::printf("%d faults: %s\n", count, what);
}

class ConverterFaultsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    good_ = std::make_unique<TempFolder>();
    ASSERT_EQ(Run(good_->path() / "model.ltm").code, 0);
    model_ =
        std::make_unique<std::string>(ReadFile(good_->path() / "model.ltm"));
  }
  static void TearDownTestSuite() {
    good_.reset();
    model_.reset();
  }
  void SetUp() override {
    if (kEmulated) GTEST_SKIP() << "Limits are the emulator's own.";
  }

  static std::vector<std::string> Arguments(const fs::path& out) {
    return {SmallDemoDirectory(), "-o", out, "--tile", NameOf(UsableTile())};
  }
  static Outcome Run(const fs::path& out) {
    return RunProgram("latimer-convert", Arguments(out));
  }

  fs::path Out() const { return folder_.path() / "model.ltm"; }
  fs::path Errors() const { return good_->path() / "errors"; }

  // Expects exit code 1, one sentence, and nothing in the folder. Returns the
  // sentence.
  std::string ExpectCleanFailure(int code) {
    const std::string text = ReadFile(Errors());
    EXPECT_EQ(code, 1) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_TRUE(text.starts_with("latimer-convert: ")) << text;
    EXPECT_THAT(NamesIn(folder_.path()), IsEmpty());
    return text;
  }

  static std::unique_ptr<TempFolder> good_;
  static std::unique_ptr<std::string> model_;
  TempFolder folder_;
};

std::unique_ptr<TempFolder> ConverterFaultsTest::good_;
std::unique_ptr<std::string> ConverterFaultsTest::model_;

TEST_F(ConverterFaultsTest, KilledAtAnyTimeItLeavesNoPartialModel) {
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  ASSERT_EQ(Run(Out()).code, 0);
  const auto whole = steady_clock::now() - begin;
  fs::remove(Out());
  std::mt19937 random(1);
  const int kills = 10 * Rounds();
  int finished = 0, left_behind = 0;
  for (int i = 0; i < kills; ++i) {
    Process process("latimer-convert", Arguments(Out()), {});
    std::this_thread::sleep_for(whole * (random() % 1000) / 1000);
    process.Send(SIGKILL);
    process.Wait();
    if (fs::exists(Out())) {
      EXPECT_EQ(ReadFile(Out()), *model_);
      fs::remove(Out());
      ++finished;
    }
    left_behind += static_cast<int>(NamesIn(folder_.path()).size());
  }
  std::printf("%d left a temporary file, %d were finished\n", left_behind,
              finished);
  // The next conversion removes what was left.
  ASSERT_EQ(Run(Out()).code, 0);
  EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("model.ltm"));
  EXPECT_EQ(ReadFile(Out()), *model_);
  CountFaults("SIGKILL at random times of a conversion", kills);
}

TEST_F(ConverterFaultsTest, WithoutMemoryItSaysSoAndLeavesNothing) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers need the address space.";
  int failed = 0, succeeded = 0;
  const std::string sentences = good_->path() / "sentences";
  WriteFile(sentences, "One.\nTwo.\n");
  for (const bool certify : {false, true}) {
    const uint64_t most = uint64_t{certify ? 1500u : 48u} << 20;
    const uint64_t least = uint64_t{12} << 20;
    const int steps = 6 * Rounds();
    for (int i = 0; i < steps; ++i) {
      const uint64_t memory = least + (most - least) *
                                          static_cast<uint64_t>(i) /
                                          static_cast<uint64_t>(steps);
      std::vector<std::string> arguments = Arguments(Out());
      if (certify) {
        arguments.insert(arguments.end(), {"--certify", sentences});
      }
      Process process("latimer-convert", arguments,
                      {.memory = memory, .err = Errors()});
      const int code = process.Wait();
      if (code == 0) {
        EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("model.ltm"));
        if (!certify) {
          EXPECT_EQ(ReadFile(Out()), *model_);
        }
        fs::remove(Out());
        ++succeeded;
      } else if (code == 127) {  // Not even the program fits.
        EXPECT_THAT(NamesIn(folder_.path()), IsEmpty());
      } else {
        ExpectCleanFailure(code);
        ++failed;
      }
    }
  }
  std::printf("%d had enough memory\n", succeeded);
  EXPECT_GT(failed, 2);
  CountFaults("address spaces that are too small", failed);
}

TEST_F(ConverterFaultsTest, OnAFullDiskItSaysSoAndLeavesNothing) {
  int faults = 0;
  // The last is for another CPU: the model is written twice.
  for (const char* tile : {NameOf(UsableTile()), "8x2s4"}) {
    const auto steps = static_cast<uint64_t>(3 * Rounds());
    for (uint64_t i = 0; i < steps; ++i) {
      std::vector<std::string> arguments = Arguments(Out());
      arguments.back() = tile;
      const uint64_t bytes = (i + 1) * (model_->size() - 1) / steps;
      Process process(
          "latimer-convert", arguments,
          {.limits_files = true, .file_bytes = bytes, .err = Errors()});
      EXPECT_THAT(
          ExpectCleanFailure(process.Wait()),
          AllOf(HasSubstr("model.ltm"), HasSubstr("cannot write the file")));
      ++faults;
    }
  }
  CountFaults("files that may not grow so large", faults);
}

TEST_F(ConverterFaultsTest, OnASmallFileSystemItSaysSoAndLeavesNothing) {
  const std::string mount =
      "mount -t tmpfs -o size=1m none " + folder_.path().string() + " && ";
  if (RunCommand({"unshare", "-rm", "sh", "-c", mount + "true"}).code != 0) {
    GTEST_SKIP() << "No file system can be mounted here.";
  }
  std::string command = mount + LATIMER_BINARY_DIR + "/latimer-convert";
  for (const std::string& argument : Arguments(Out())) {
    command += " " + argument;
  }
  command += "; code=$?; ls -A " + folder_.path().string() + "; exit $code";
  const Outcome outcome = RunCommand({"unshare", "-rm", "sh", "-c", command});
  EXPECT_THAT(ErrorSentence(outcome, 1),
              AllOf(HasSubstr("cannot write the file"), HasSubstr("space")));
  CountFaults("full file systems", 1);
}

TEST_F(ConverterFaultsTest, TellsWhenItCannotPrint) {
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  for (const bool json : {false, true}) {
    std::vector<std::string> arguments = Arguments(Out());
    if (json) arguments.emplace_back("--json");
    Process process("latimer-convert", arguments,
                    {.out = full, .err = Errors()});
    EXPECT_EQ(process.Wait(), 1);
    EXPECT_THAT(ReadFile(Errors()), HasSubstr("standard output"));
    EXPECT_EQ(ReadFile(Out()), *model_);
  }
  close(full);
  EXPECT_THAT(ErrorSentence(Run("/dev/full"), 1),
              HasSubstr("not a regular file"));
  EXPECT_THAT(ErrorSentence(Run("/proc/model.ltm"), 1),
              HasSubstr("cannot create the file"));
  CountFaults("outputs that take nothing", 4);
}

TEST_F(ConverterFaultsTest, ManyAtOnceIntoOneFileLeaveAWholeOne) {
  constexpr int kProcesses = 4;
  for (int round = 0; round < Rounds(); ++round) {
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < kProcesses; ++i) {
      processes.push_back(std::make_unique<Process>(
          "latimer-convert", Arguments(Out()), Conditions{}));
    }
    for (const auto& process : processes) EXPECT_EQ(process->Wait(), 0);
    EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("model.ltm"));
    EXPECT_EQ(ReadFile(Out()), *model_);
  }
  CountFaults("conversions into a file that others write",
              Rounds() * kProcesses);
}

TEST_F(ConverterFaultsTest, AFileThatEndsEarlyIsNamed) {
  const fs::path tiny = TinyModel("no_scale");
  const fs::path copy = good_->path() / "short";
  int faults = 0;
  for (const char* name : {"model.safetensors", "config.json"}) {
    const std::string bytes = ReadFile(tiny / name);
    for (size_t i = 0; i < 6; ++i) {
      fs::remove_all(copy);
      fs::copy(tiny, copy);
      // The last is a few bytes short.
      const size_t size = i < 5 ? i * bytes.size() / 5 : bytes.size() - 4;
      fs::permissions(copy / name, fs::perms::owner_all);
      WriteFile(copy / name, bytes.substr(0, size));
      Process process("latimer-convert", {copy, "-o", Out(), "--no-tokenizer"},
                      {.err = Errors()});
      ExpectCleanFailure(process.Wait());
      ++faults;
    }
  }
  CountFaults("input files that end early", faults);
}

TEST_F(ConverterFaultsTest, ATextMayComeInSmallPieces) {
  const std::string text = "How are you?\nThe house is red.\n\nYes.\n";
  const std::string file = good_->path() / "text";
  const std::string pipe = good_->path() / "pipe";
  WriteFile(file, text);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<std::string> arguments = Arguments(Out());
  arguments.insert(arguments.end(), {"--certify", file});
  ASSERT_EQ(RunProgram("latimer-convert", arguments).code, 0);
  const std::string expected = ReadFile(Out());
  arguments.back() = pipe;
  Process process("latimer-convert", arguments, {.err = Errors()});
  const int writer = open(pipe.c_str(), O_WRONLY);
  ASSERT_GE(writer, 0);
  for (const char byte : text) {
    ASSERT_EQ(write(writer, &byte, 1), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  close(writer);
  EXPECT_EQ(process.Wait(), 0) << ReadFile(Errors());
  EXPECT_EQ(ReadFile(Out()), expected);
  CountFaults("short reads", static_cast<int>(text.size()));
}

}  // namespace latimer::converter_faults_test
