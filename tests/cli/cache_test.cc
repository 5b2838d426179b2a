// With a cache, latimer translate writes the same bytes in less time.
// Tests programs/cli/ordered_writer.cc, programs/cli/translate.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/base/growth.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"

namespace latimer::cache_test {

using ::testing::HasSubstr;

using Options = std::vector<std::string>;

class CacheTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes model = ConvertSmallDemo(WeightType::kInt8);
    WriteFile(Model(), {reinterpret_cast<const char*>(model.bytes().data()),
                        model.bytes().size()});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Model() { return folder_->path() / "demo.ltm"; }

  static Outcome Translate(const std::string& input, Options options) {
    options.insert(options.begin(), {"translate", Model()});
    return RunProgram("latimer", options, input);
  }

  static void ExpectSame(const std::string& input, Options options,
                         const std::string& mib) {
    const Outcome plain = Translate(input, options);
    options.insert(options.end(), {"--cache", mib});
    const Outcome cached = Translate(input, options);
    const std::string what = ::testing::PrintToString(options);
    EXPECT_EQ(cached.code, plain.code) << what;
    EXPECT_EQ(cached.out, plain.out) << what;
    EXPECT_EQ(cached.err, plain.err) << what;
  }

  static std::unique_ptr<TempFolder> folder_;
};
std::unique_ptr<TempFolder> CacheTest::folder_;

// Lines of a word or two, most of them again and again.
std::string LinesThatRepeat(size_t count) {
  std::vector<std::string> words;
  for (const std::string& line :
       ReadLines(DemoDirectory() / "data" / "test.en")) {
    words.push_back(line.substr(0, line.find(' ')));
  }
  std::mt19937 random(1);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const size_t most = i % 4 == 0 ? words.size() : 20;
    text += words[random() % most];
    if (i % 8 == 0) text += " " + words[random() % most];
    text += i % 100 == 99 ? "\n\n" : "\n";
  }
  return text;
}

// Those, and long ones, some in several parts, bytes that are no UTF-8, what
// comes out as it is, and numbers.
std::string AllKindsOfLines() {
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  std::string text = LinesThatRepeat(40);
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < 20; ++i) text += lines[i % 7] + "\n";
    text += "\xff\xc3( odd\n---\n\U0001F642 12:30\nIt is 5 km to 3.\n\n";
    text += "\tTom\r\n Tom\nTom \nTom\n";
    text += "  Tom is here.\t Where is Mary? \U0001F642  Go!\r\n";
    for (int i = 0; i < 60; ++i) text += "Tom wants to learn German. ";
    text += "\n";
  }
  return text;
}

TEST_F(CacheTest, TenThousandLinesAreTheSame) {
  const std::string text = LinesThatRepeat(FewerIfSlow(10'000, 100));
  for (const char* workers : {"1", "2"}) {
    ExpectSame(text, {"--workers", workers}, "64");
  }
}

TEST_F(CacheTest, AllKindsOfLinesAreTheSame) {
  const std::string text = AllKindsOfLines();
  for (const Options& options :
       {Options{}, Options{"--lanes", "1"}, Options{"--paragraphs"},
        Options{"--check-numbers"}, Options{"--protect"},
        Options{"--no-keep-unknown"}, Options{"--beams", "2"},
        Options{"--budget-tokens", "9"}, Options{"--max-target-tokens", "4"},
        Options{"--workers", "3"}}) {
    ExpectSame(text, options, "1");
  }
  ExpectSame("5 9 2\n5 9 2\n\n7 2\n5 9 2\n", {"--ids"}, "1");
  ExpectSame("5 9 2\nx\n", {"--ids"}, "1");
}

TEST_F(CacheTest, BothOfTwoModelsHaveOne) {
  const std::string text = LinesThatRepeat(300);
  ExpectSame(text, {Model()}, "2");
  ExpectSame(text, {Model(), "--paragraphs"}, "1");
}

TEST_F(CacheTest, EqualLinesAreTranslatedOnce) {
  const std::string text = Repeated(
      "Tom wants to learn German. Tom is here.  Where is Mary?\n", 1000);
  const auto seconds = [&](const Options& options) {
    const double begin = CpuSeconds();
    EXPECT_EQ(Translate(text, options).code, 0);
    return CpuSeconds() - begin;
  };
  EXPECT_LT(4 * seconds({"--lanes", "4", "--cache", "1"}),
            seconds({"--lanes", "4"}));
}

TEST_F(CacheTest, WhatItCannotKeepIsRefused) {
  for (const Options& options :
       {Options{"--json"}, Options{"--scores"}, Options{"--alignment"},
        Options{"--html"}, Options{"--n-best", "2"}, Options{"--sample"}}) {
    Options all = options;
    all.insert(all.end(), {"--cache", "1"});
    EXPECT_THAT(ErrorSentence(Translate("", all), 2),
                HasSubstr("--cache keeps translations of lines alone"));
  }
  EXPECT_EQ(Translate("", {"--cache", "0"}).code, 2);
  EXPECT_EQ(Translate("", {"--cache", "2048"}).code, 2);
}

}  // namespace latimer::cache_test
