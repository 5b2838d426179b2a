// What the converter's bill and profile say is what a build with that profile
// reserves, and such a build translates like the build for any model.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cli/bill.h"
#include "converter/profile_header.h"
#include "latimer/plan.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

Workspace workspace;

class ExactProfileTest : public testing::Test {
 protected:
  ExactProfileTest() : bytes_(ConvertDemo(WeightType::kInt8)) {
    ModelInfo info;
    EXPECT_TRUE(ReadModelInfo(bytes_.bytes(), true, &workspace, &info).ok());
    profile_ = *ExactProfile(info, {}, "en_de");
  }

  const ModelBytes bytes_;
  Profile profile_;
};

TEST_F(ExactProfileTest, TheCommittedProfileIsWhatTheConverterWrites) {
  const fs::path path =
      fs::path(LATIMER_SOURCE_DIR) / "targets" / "models" / "en_de.h";
  std::ifstream file(path);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(committed, ProfileHeader(profile_));
}

TEST_F(ExactProfileTest, ABuildWithItReservesTheBillAndTranslatesTheSame) {
  Translator translator;
  const Status status = translator.Load(bytes_.bytes(), &workspace);
  ASSERT_TRUE(status.ok()) << status.message();

  const TempFolder folder;
  WriteFileAtomically(folder.path() / "model.ltm", bytes_.bytes());
  std::string input;
  std::string expected =
      std::to_string(MakeBill(translator.model_info(), profile_)
                         .at("workspace_bytes")
                         .get<uint64_t>()) +
      "\n";
  const std::vector<FixtureRow> rows = ReadDemoFixture();
  for (size_t i = 0; i < Emulated(rows.size(), 20); ++i) {
    const FixtureRow& row = rows[i];
    input += row.source_text + "\n";
    const auto result = translator.Translate(row.source_text);
    ASSERT_TRUE(result.ok());
    expected += std::string(result->text) + "\n";
  }
  const Outcome outcome = RunProgram("tests/exact_profile_program",
                                     {folder.path() / "model.ltm"}, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected);
}

}  // namespace
}  // namespace latimer
