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
#include "tests/system/recurrent_models.h"

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

class ExactGruProfileTest : public testing::Test {
 protected:
  ExactGruProfileTest() {
    ModelInfo info;
    EXPECT_TRUE(ReadModelInfo(bytes_.bytes(), true, &workspace, &info).ok());
    profile_ = *ExactProfile(info, {}, "gru");
    WriteFileAtomically(model_, bytes_.bytes());
  }

  const ModelBytes bytes_ = ConvertRecurrent("bahdanau", WeightType::kInt8);
  const TempFolder folder_;
  const fs::path model_ = folder_.path() / "model.ltm";
  Profile profile_;
};

TEST_F(ExactGruProfileTest, TheCommittedProfileIsWhatTheConverterWrites) {
  const auto fields = [](const std::string& header) {
    const size_t begin = header.find("inline");
    return header.substr(begin, header.find("};") - begin);
  };
  EXPECT_EQ(fields(ReadFile(fs::path(LATIMER_SOURCE_DIR) / "tests" / "data" /
                            "gru_profile.h")),
            fields(ProfileHeader(profile_)));
}

TEST_F(ExactGruProfileTest, ABuildWithItReservesTheBillAndTranslatesTheSame) {
  Translator translator;
  ASSERT_TRUE(translator.Load(bytes_.bytes(), &workspace).ok());
  std::string input;
  std::string expected = std::to_string(WorkspaceBytes(profile_)) + "\n";
  const OwnModel model = RecurrentModel("bahdanau");
  for (const auto& row : model.fixture["sequences"]) {
    const auto ids = row["src_ids"].get<std::vector<int32_t>>();
    for (const int32_t id : ids) input += std::to_string(id) + " ";
    input += "\n";
    const auto result = translator.TranslateIds(ids);
    ASSERT_TRUE(result.ok());
    for (const int32_t id : result->tokens) {
      expected += std::to_string(id) + " ";
    }
    expected += "\n";
  }
  const Outcome outcome =
      RunProgram("tests/exact_gru_profile_program", {model_}, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected);
}

TEST_F(ExactGruProfileTest, ABuildWithoutGrusSaysWhatItLacks) {
  const Outcome outcome = RunProgram("tests/exact_profile_program", {model_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "The model's decoder has a GRU, which profile \"en_de\" of this "
            "build leaves out; build with a profile for this model "
            "(latimer-convert --profile).\n");
}

TEST_F(ExactGruProfileTest, ABuildWithoutTransformersSaysWhatItLacks) {
  WriteFileAtomically(
      model_,
      ConvertModel(TinyModel("heads_1_relu"), WeightType::kInt8).bytes());
  const Outcome outcome =
      RunProgram("tests/exact_gru_profile_program", {model_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("profile \"gru\" of this build"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace latimer
