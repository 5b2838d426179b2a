// Once it has read its first line, latimer translate takes no memory.
// Tests programs/cli/text_store.cc, programs/cli/parts.cc,
// programs/cli/ordered_writer.cc,
// programs/cli/input.cc, programs/cli/progress.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/terminal.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"

namespace latimer::heap_test {

class HeapTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes model = ConvertSmallDemo(WeightType::kInt8);
    WriteFile(Path("model.ltm"),
              {reinterpret_cast<const char*>(model.bytes().data()),
               model.bytes().size()});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }

  struct Taken {
    long calls = -1;  // Of allocators, after the first line was read.
    long peak_kilobytes = -1;
  };
  // What the program took for this input.
  static Taken Translate(const std::string& input,
                         const std::vector<std::string>& options) {
    const std::string bin = LATIMER_BINARY_DIR;
    std::vector<std::string> words = {
        "env",
        "LD_PRELOAD=" + bin + "/tests/libheap_counter.so",
        "LATIMER_HEAP_COUNT=" + Path("count"),
        bin + "/latimer",
        "translate",
        Path("model.ltm"),
        "--max-target-tokens",
        "4"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = RunCommand(words, input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    Taken taken;
    std::istringstream(ReadFile(Path("count"))) >> taken.calls >>
        taken.peak_kilobytes;
    return taken;
  }

  static std::unique_ptr<TempFolder> folder_;
};
std::unique_ptr<TempFolder> HeapTest::folder_;

// Short lines, some empty and some the same.
std::string ShortLines(size_t count) {
  const std::vector<std::string> some = {"Hello.",   "Tom is here.", "",
                                         "Go home!", "I like it.",   "Why?"};
  std::string text;
  for (size_t i = 0; i < count; ++i) text += some[i % some.size()] + "\n";
  return text;
}

// Sentences of the test set; every tenth line has so many that it is translated
// in parts.
std::string LongLines(size_t count, const char* between) {
  const std::vector<std::string> some =
      ReadLines(DemoDirectory() / "data" / "test.en");
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += some[i];
    for (int j = 0; i % 10 == 9 && j < 100; ++j) text += " Tom is here.";
    text += between;
  }
  return text;
}

TEST_F(HeapTest, ThousandsOfLinesTakeNoMoreMemoryThanHundreds) {
  EXPECT_EQ(Translate(ShortLines(10), {}).calls, 0);
  // More than all lanes.
  const Taken some = Translate(ShortLines(10'000 / 16), {"--lanes", "32"});
  const Taken many = Translate(ShortLines(10'000), {"--lanes", "32"});
  EXPECT_EQ(some.calls, 0);
  EXPECT_EQ(many.calls, 0);
  ASSERT_GT(some.peak_kilobytes, 0);
  EXPECT_LT(many.peak_kilobytes, some.peak_kilobytes + 256);
}

TEST_F(HeapTest, LongLinesIdsSentencesAndASingleLaneTakeNone) {
  EXPECT_EQ(Translate(LongLines(60, "\n"), {}).calls, 0);
  EXPECT_EQ(Translate(LongLines(60, "\n\n"), {"--paragraphs"}).calls, 0);
  EXPECT_EQ(Translate(ShortLines(100), {"--lanes", "1"}).calls, 0);
  std::string ids;
  for (int i = 0; i < 100; ++i) ids += "22 31 29 0\n";
  EXPECT_EQ(Translate(ids, {"--ids"}).calls, 0);
}

TEST_F(HeapTest, WorkersTakeNone) {
  EXPECT_EQ(Translate(LongLines(60, "\n"), {"--workers", "3"}).calls, 0);
  EXPECT_EQ(Translate(ShortLines(1000), {"--workers", "2"}).calls, 0);
}

TEST_F(HeapTest, TwoModelsTakeNone) {
  const std::string model = Path("model.ltm");
  EXPECT_EQ(Translate(ShortLines(1000), {model}).calls, 0);
  EXPECT_EQ(Translate(LongLines(60, "\n\n"), {model, "--paragraphs"}).calls, 0);
}

TEST_F(HeapTest, ProgressOnATerminalTakesNone) {
  WriteFile(Path("text"), ShortLines(2000));
  setenv("LD_PRELOAD", LATIMER_BINARY_DIR "/tests/libheap_counter.so", 1);
  setenv("LATIMER_HEAP_COUNT", Path("count").c_str(), 1);
  const std::string text =
      OnTerminal("latimer",
                 {"translate", Path("model.ltm"), Path("text"),
                  "--max-target-tokens", "4"},
                 Path("out"));
  unsetenv("LD_PRELOAD");
  unsetenv("LATIMER_HEAP_COUNT");
  EXPECT_THAT(text, ::testing::HasSubstr("100 %, 2000 lines"));
  long calls = -1;
  std::istringstream(ReadFile(Path("count"))) >> calls;
  EXPECT_EQ(calls, 0);
}

}  // namespace latimer::heap_test
