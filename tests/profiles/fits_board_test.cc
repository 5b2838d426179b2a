// A model that needs more RAM than its board has does not compile.
// Tests runtime/plan/fits_board.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "converter/profile_header.h"
#include "latimer/internal/any_profile.h"
#include "latimer/internal/memory_plan.h"
#include "tests/system/count.h"
#include "tests/system/program.h"

namespace latimer::fits_board_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Profile kModel = [] {
  Profile profile = kProfile;
  profile.name = "large_model";
  profile.d_model = 1024;
  profile.source_tokens = 512;
  profile.target_tokens = 512;
  profile.threads = 4;
  return profile;
}();

// Compiles fits_board.cc for `profile` and a board with this much RAM.
Outcome Compile(const Profile& profile, uint64_t ram_bytes) {
  const TempFolder folder;
  const auto config = folder.path() / "latimer";
  std::filesystem::create_directory(config);
  WriteFile(config / "profile_config.h", ProfileHeader(profile) +
                                             "#define LATIMER_PROFILE_NAME \"" +
                                             profile.name + "\"\n");
  WriteFile(config / "board_config.h",
            "#include \"base/board.h\"\n"
            "#define LATIMER_BOARD_NAME \"small_board\"\n"
            "namespace latimer {\ninline constexpr Board kBoard = "
            "{\"small_board\", " +
                std::to_string(ram_bytes) +
                "u, 1, \"\", \"\"};\n}  // namespace latimer\n");
  const std::string runtime = std::string(LATIMER_SOURCE_DIR) + "/runtime";
  std::vector<std::string> words;
  std::istringstream compiler(LATIMER_CXX);
  for (std::string word; compiler >> word;) words.push_back(word);
  for (const std::string& word :
       {std::string("-std=c++20"), "-I" + folder.path().string(),
        "-I" + runtime + "/include", "-I" + runtime, std::string("-c"),
        runtime + "/plan/fits_board.cc", std::string("-o"),
        (folder.path() / "fits_board.o").string()}) {
    words.push_back(word);
  }
  return RunCommand(words);
}

void ExpectRefusal(const Outcome& outcome, uint64_t needed, uint64_t on_board) {
  EXPECT_NE(outcome.code, 0);
  EXPECT_EQ(Count(outcome.err, "error:"), 1u) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("Model large_model needs more RAM than "
                              "board small_board"),
                    HasSubstr(std::to_string(needed)),
                    HasSubstr(std::to_string(on_board)),
                    HasSubstr("-DLATIMER_BOARD_RAM_MIB=N")));
}

TEST(FitsBoardTest, ABoardWithJustEnoughRamTakesTheModel) {
  const Outcome outcome = Compile(kModel, RamBytes(kModel));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST(FitsBoardTest, OneByteLessIsOneErrorThatNamesBothSizes) {
  const uint64_t needed = RamBytes(kModel);
  ASSERT_GT(needed, WorkspaceBytes(kModel));
  ExpectRefusal(Compile(kModel, needed - 1), needed, needed - 1);
}

TEST(FitsBoardTest, AProfileForAnyModelNamesTheWayToOneModel) {
  const Outcome outcome = Compile(AnyProfile("any", 24, 12), uint64_t{4} << 20);
  EXPECT_NE(outcome.code, 0);
  EXPECT_EQ(Count(outcome.err, "error:"), 1u) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("Profile any holds any model and needs more RAM "
                              "than board small_board"),
                    HasSubstr("-DLATIMER_MODEL=NAME")));
}

TEST(FitsBoardTest, AnImageThatIsCopiedToRamCounts) {
  Profile copying = kModel;
  copying.copied_image_bytes = 64 << 20;
  const uint64_t needed = RamBytes(kModel) + (64 << 20);
  EXPECT_EQ(Compile(copying, needed).code, 0);
  ExpectRefusal(Compile(copying, RamBytes(kModel)), needed, RamBytes(kModel));
}

}  // namespace latimer::fits_board_test
