// The number of workers changes the time of latimer translate, never a byte.
// Tests programs/cli/workers.cc, programs/cli/ordered_writer.cc,
// programs/cli/html.cc, programs/cli/session.cc, programs/cli/plan.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/format.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"

namespace latimer::workers_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Options = std::vector<std::string>;

class WorkersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes model = ConvertSmallDemo(WeightType::kInt8);
    WriteFile(Model(), {reinterpret_cast<const char*>(model.bytes().data()),
                        model.bytes().size()});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Model() { return folder_->path() / "demo.ltm"; }

  static Outcome Run(const std::string& command, const Options& options,
                     const std::string& input = "") {
    Options all = {command, Model()};
    all.insert(all.end(), options.begin(), options.end());
    return RunProgram("latimer", all, input);
  }

  static Outcome Translate(const std::string& input, const char* workers,
                           Options options) {
    options.insert(options.end(), {"--workers", workers});
    return Run("translate", options, input);
  }

  static void ExpectSameBytes(const std::string& input,
                              const Options& options) {
    const Outcome one = Translate(input, "1", options);
    for (const char* workers : {"2", "3"}) {
      const Outcome more = Translate(input, workers, options);
      const std::string what =
          (options.empty() ? "" : options.front()) + " " + workers;
      EXPECT_EQ(more.code, one.code) << what;
      EXPECT_EQ(more.out, one.out) << what;
      EXPECT_EQ(more.err, one.err) << what;
    }
  }

  static std::unique_ptr<TempFolder> folder_;
};
std::unique_ptr<TempFolder> WorkersTest::folder_;

std::vector<std::string> SomeLines() {
  std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  lines.resize(FewerIfSlow(size_t{120}, size_t{12}));
  return lines;
}

// Short lines, long ones, empty ones, bytes that are no UTF-8, and a line of
// several parts.
std::string AllKindsOfLines() {
  const std::vector<std::string> lines = SomeLines();
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    for (size_t j = i; i % 7 == 3 && j < std::min(i + 5, lines.size()); ++j) {
      text += " " + lines[j];
    }
    if (i % 11 == 5) text += " \xff\xc3( odd";
    text += i % 13 == 12 ? "\n\n" : "\n";
  }
  if (kEmulated) return text;
  for (int i = 0; i < 120; ++i) text += "Tom wants to learn German. ";
  return text + "\n\nThe end.";
}

TEST_F(WorkersTest, LinesAreTheSame) {
  const std::string text = AllKindsOfLines();
  ExpectSameBytes(text, {});
  ExpectSameBytes(text, {"--lanes", "1"});
  ExpectSameBytes(text, {"--threads", "2"});
  EXPECT_EQ(Run("translate", {}, text).out, Translate(text, "1", {}).out);
}

TEST_F(WorkersTest, WhatIsWrittenBesideLinesIsTheSame) {
  const std::string text = AllKindsOfLines();
  for (const Options& options :
       {Options{"--json"}, Options{"--scores"}, Options{"--alignment"},
        Options{"--n-best", "3"}, Options{"--n-best", "2", "--json"},
        Options{"--budget-tokens", "30"}}) {
    ExpectSameBytes(text, options);
  }
}

// What is drawn depends on the line.
TEST_F(WorkersTest, SamplesAreTheSame) {
  const std::string text = AllKindsOfLines();
  ExpectSameBytes(text, {"--sample", "--seed", "7"});
  EXPECT_NE(Translate(text, "2", {"--sample", "--seed", "7"}).out,
            Translate(text, "2", {"--sample", "--seed", "8"}).out);
}

TEST_F(WorkersTest, ParagraphsAreTheSame) {
  const std::string text = AllKindsOfLines();
  ExpectSameBytes(text, {"--paragraphs"});
  ExpectSameBytes(text, {"--paragraphs", "--json"});
}

TEST_F(WorkersTest, HtmlIsTheSame) {
  std::string html = "<html><body>\n";
  for (const std::string& line : SomeLines()) {
    html += "<p>" + line + " <b>Tom</b> is <i>here</i>.\n\n";
  }
  html += "<td>\xff odd";
  for (int i = 0; !kEmulated && i < 200; ++i) html += ", Tom is here";
  ExpectSameBytes(html, {"--html"});
  ExpectSameBytes(html, {"--html", "--sample", "--seed", "7"});
}

TEST_F(WorkersTest, FewerLinesThanWorkersAreTranslated) {
  ExpectSameBytes("", {});
  ExpectSameBytes("\n", {});
  ExpectSameBytes("Hello.", {});
  ExpectSameBytes("Hello.\n\nGood morning.\n", {});
  ExpectSameBytes("", {"--html"});
  ExpectSameBytes("<p>Hello.", {"--html"});
}

TEST_F(WorkersTest, WhatCameBeforeABadLineIsWrittenInFull) {
  std::string ids;
  for (int i = 0; i < 40; ++i) ids += i % 3 == 0 ? "22 31 29 0\n" : "22 0\n";
  ExpectSameBytes(ids, {"--ids"});
  const std::string bad = ids + "9 x\n22 31 29 0\n9 y\n";
  ExpectSameBytes(bad, {"--ids"});
  EXPECT_EQ(Translate(bad, "3", {"--ids"}).err,
            "latimer: line 41: \"x\" is no token id.\n");
}

TEST_F(WorkersTest, WhatMakesNoSenseIsRefusedWithASentence) {
  for (const char* workers : {"0", "65", "-1", "two"}) {
    EXPECT_THAT(ErrorSentence(Translate("", workers, {}), 2),
                HasSubstr(std::string("--workers ") + workers +
                          ": give a whole number from 1 to 64."));
  }
  for (const Options& options :
       {Options{"--draw-attention", "a.html"}, Options{Model()}}) {
    EXPECT_THAT(
        ErrorSentence(Translate("", "2", options), 2),
        HasSubstr("--workers goes without --draw-attention, and with one "
                  "model only."));
  }
  EXPECT_EQ(Translate("Hello.", "1", {Model()}).code, 0);
}

uint64_t PlannedRam(const Outcome& plan) {
  EXPECT_EQ(plan.code, 0) << plan.err;
  return cli::Json::parse(plan.out)["ram_bytes"].get<uint64_t>();
}

TEST_F(WorkersTest, PlanCountsAWorkspaceForEach) {
  const uint64_t one = PlannedRam(Run("plan", {"--json"}));
  const uint64_t lanes = PlannedRam(Run("plan", {"--json", "--lanes", "8"}));
  EXPECT_GT(lanes, one);
  EXPECT_EQ(PlannedRam(Run("plan", {"--json", "--workers", "3"})), 3 * one);
  EXPECT_EQ(
      PlannedRam(Run("plan", {"--json", "--workers", "3", "--lanes", "8"})),
      3 * lanes);
  // The copied image is that of all.
  const uint64_t copied = PlannedRam(Run("plan", {"--json", "--copy-image"}));
  EXPECT_EQ(
      PlannedRam(Run("plan", {"--json", "--workers", "3", "--copy-image"})),
      copied + 2 * one);
  const Outcome no_room =
      Run("plan", {"--workers", "3", "--ram", std::to_string(2 * one)});
  EXPECT_EQ(no_room.code, 1);
  EXPECT_THAT(no_room.out,
              AllOf(HasSubstr("other_workers"), HasSubstr("DOES NOT FIT"),
                    HasSubstr("It would fit with")));
}

}  // namespace latimer::workers_test
