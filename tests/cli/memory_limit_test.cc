// What latimer takes of the memory that a limit leaves: what the model at hand
// needs, and nothing before a model is loaded.
// Tests programs/cli/session.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/process.h"
#include "tests/system/program.h"

namespace latimer::memory_limit_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

// For the program, its libraries and its stack.
constexpr uint64_t kProgramBytes = 8'000'000;
constexpr char kFiveLines[] = "One.\nTwo.\nThree.\nFour.\nFive.\n";
const std::string kManyLines(100'000, '\n');

class MemoryLimitTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes model = ConvertDemo(WeightType::kInt8);
    model_bytes_ = model.bytes().size();
    WriteFile(
        Path("model.ltm"),
        {reinterpret_cast<const char*>(model.bytes().data()), model_bytes_});
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    if (kEmulated || kSanitized) {
      GTEST_SKIP() << "Emulators and sanitizers reserve memory of their own.";
    }
  }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }

  struct Limited {
    int code = -1;
    std::string out, err;
  };
  // Runs latimer under a limit of addresses.
  static Limited Run(const std::vector<std::string>& arguments, uint64_t bytes,
                     const std::string& input = kFiveLines) {
    WriteFile(Path("in"), input);
    const int in = open(Path("in").c_str(), O_RDONLY | O_CLOEXEC);
    const int out = open(Path("out").c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    Process process(
        "latimer", arguments,
        {.in = in, .out = out, .memory = bytes, .err = Path("err")});
    close(in);
    close(out);
    const int code = process.Wait();
    return {code, ReadFile(Path("out")), ReadFile(Path("err"))};
  }

  // With one lane.
  static uint64_t WorkspaceBytesOfTheModel() {
    const Outcome outcome = RunProgram(
        "latimer", {"bench", Path("model.ltm"), "--repeat", "1", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["workspace_bytes"];
  }

  // What the program says that it would reserve.
  static uint64_t Reserved(const std::string& model, const std::string& input,
                           const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"translate", Path(model)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string err =
        Run(arguments, model_bytes_ + kProgramBytes, input).err;
    const std::string before = "the workspace of ";
    const size_t at = err.find(before);
    EXPECT_NE(at, std::string::npos) << err;
    return at == std::string::npos
               ? 0
               : std::stoull(err.substr(at + before.size()));
  }

  static inline std::unique_ptr<TempFolder> folder_;
  static inline size_t model_bytes_ = 0;
};

TEST_F(MemoryLimitTest, WithoutAModelThereIsNoWorkspace) {
  const Limited version = Run({"--version"}, kProgramBytes);
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, HasSubstr("latimer "));
}

TEST_F(MemoryLimitTest, AModelTakesWhatItNeeds) {
  const uint64_t workspace = WorkspaceBytesOfTheModel();
  EXPECT_LT(workspace, sizeof(Workspace) / 10);
  const uint64_t limit = model_bytes_ + workspace + kProgramBytes;
  const std::string model = Path("model.ltm");
  const Limited one = Run({"translate", model, "--lanes", "1"}, limit);
  EXPECT_EQ(one.code, 0) << one.err;
  // The same as without a limit.
  EXPECT_EQ(one.out, Run({"translate", model}, 0).out);
  EXPECT_EQ(std::ranges::count(one.out, '\n'), 5);
}

TEST_F(MemoryLimitTest, FiveLinesDoNotReserveAllLanes) {
  EXPECT_LT(2 * Reserved("model.ltm", kFiveLines),
            Reserved("model.ltm", kManyLines));
}

// More lanes than that would be slower.
TEST_F(MemoryLimitTest, WithAShortlistEightLanesAreReserved) {
  CanonicalModel model = OpenModel(DemoDirectory(), /*with_tokenizer=*/true);
  CanonicalShortlist& list = model.shortlist.emplace();
  list.first = 100;
  list.offsets.resize(size_t{model.architecture.source_vocabulary} + 1);
  const ModelBytes file = WriteForThisCpu(model, WeightType::kInt8);
  WriteFile(Path("short.ltm"),
            {reinterpret_cast<const char*>(file.bytes().data()),
             file.bytes().size()});
  const uint64_t by_itself = Reserved("short.ltm", kManyLines);
  EXPECT_EQ(by_itself, Reserved("short.ltm", kManyLines, {"--lanes", "8"}));
  EXPECT_LT(by_itself, Reserved("short.ltm", kManyLines, {"--lanes", "9"}));
  EXPECT_LT(Reserved("model.ltm", kManyLines, {"--lanes", "8"}),
            Reserved("model.ltm", kManyLines));
}

TEST_F(MemoryLimitTest, TooLittleMemoryIsSaidInOneSentence) {
  const uint64_t workspace = WorkspaceBytesOfTheModel();
  const std::string model = Path("model.ltm");
  const Limited one =
      Run({"translate", model, "--lanes", "1"}, model_bytes_ + workspace);
  EXPECT_EQ(one.code, 1);
  EXPECT_EQ(one.err, "latimer: " + model +
                         ": cannot reserve the workspace of " +
                         std::to_string(workspace) +
                         " bytes (Cannot allocate memory).\n");
  const Limited five = Run({"translate", model}, model_bytes_ + workspace);
  EXPECT_EQ(five.code, 1);
  EXPECT_THAT(five.err,
              AllOf(HasSubstr("cannot reserve the workspace of "),
                    HasSubstr("--lanes 1 needs " + std::to_string(workspace))));
  const Limited none = Run({"translate", model}, model_bytes_ + 1'000'000);
  EXPECT_EQ(none.code, 1);
}

}  // namespace latimer::memory_limit_test
