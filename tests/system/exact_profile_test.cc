// What the converter's bill and profile say is what a build with that profile
// reserves, and such a build translates like the build for any model.

#include "converter/exact_profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "converter/bill.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

Workspace workspace;

class ExactProfileTest : public testing::Test {
 protected:
  ExactProfileTest()
      : model_(ReadHuggingFaceMarian(DemoDirectory(), true)),
        profile_(ExactProfile(model_, WeightType::kInt8, {}, "en_de")) {}

  const CanonicalModel model_;
  const Profile profile_;
};

TEST_F(ExactProfileTest, TheCommittedProfileIsWhatTheConverterWrites) {
  const fs::path path =
      fs::path(LATIMER_SOURCE_DIR) / "targets" / "models" / "en_de.h";
  std::ifstream file(path);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(committed, ProfileHeader(profile_));
}

TEST_F(ExactProfileTest, ABuildWithItReservesTheBillAndTranslatesTheSame) {
  const ModelBytes bytes = ConvertDemo(WeightType::kInt8);
  Translator translator;
  const Status status = translator.Load(bytes.bytes(), &workspace);
  ASSERT_TRUE(status.ok()) << status.message();

  const fs::path folder = fs::path(testing::TempDir()) /
                          ("exact_profile." + std::to_string(getpid()));
  fs::create_directories(folder);
  WriteFileAtomically(folder / "model.ltm", bytes.bytes());
  std::ofstream input(folder / "input");
  std::string expected =
      std::to_string(MakeBill(translator.model_info(), profile_)
                         .at("ram_bytes")
                         .get<uint64_t>()) +
      "\n";
  for (const FixtureRow& row : ReadDemoFixture()) {
    input << row.source_text << "\n";
    const auto result = translator.Translate(row.source_text);
    ASSERT_TRUE(result.ok());
    expected += std::string(result->text) + "\n";
  }
  input.close();

  const std::string command = std::string(LATIMER_EXACT_PROFILE_PROGRAM) +
                              " '" + (folder / "model.ltm").string() + "' < '" +
                              (folder / "input").string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    output.append(buffer, n);
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(output, expected);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace latimer
