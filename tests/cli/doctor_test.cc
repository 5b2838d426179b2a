// latimer doctor: what it says of this machine, and of models good and bad.
// Tests programs/cli/doctor.cc, programs/cli/doctor_model.cc,
// programs/cli/report.cc, programs/cli/isas.cc, programs/cli/machine.cc,
// programs/report/prediction.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cpu.h"
#include "base/cpu_table.h"
#include "converter/known_answer.h"
#include "converter/readers/open_model.h"
#include "latimer/board_config.h"
#include "latimer/board_list.h"
#include "latimer/version.h"
#include "ops/xnnpack/gemm.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::doctor_test {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kFailure = 1;
constexpr int kUsage = 2;

Outcome Doctor(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "doctor");
  return RunProgram("latimer", arguments);
}

// The JSON, after comparing the exit code with the verdict.
Json Report(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const Outcome outcome = Doctor(arguments);
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(outcome.code, json["verdict"] == "FAIL" ? kFailure : 0);
  return json;
}

// The finding about `what`; null if there is none.
Json FindingAbout(const Json& report, const std::string& what) {
  for (const Json& finding : report["findings"]) {
    if (finding["about"] == what) return finding;
  }
  return {};
}

class DoctorTest : public ::testing::Test {
 protected:
  static ModelBytes Convert(WeightType weights, Tile tile = UsableTile()) {
    std::vector<std::string> warnings;
    return WriteModelWithKnownAnswer(
        ReadHuggingFaceBart(TinyModel("no_scale"), /*with_tokenizer=*/false),
        OptionsForThisCpu(weights, tile), &warnings);
  }

  std::string Save(std::span<const std::byte> bytes) {
    const std::string path = folder_.path() / "model.ltm";
    WriteFile(path,
              {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return path;
  }

  const TempFolder folder_;
};

TEST_F(DoctorTest, WithoutAModelLooksAtTheMachine) {
  const Json report = Report({});
  EXPECT_NE(report["verdict"], "FAIL");
  EXPECT_EQ(report["program"]["version"], LATIMER_VERSION);
  EXPECT_EQ(report["program"]["profile"], kProfile.name);
  EXPECT_FALSE(report["program"]["kernels"].empty());
  EXPECT_FALSE(report["cpu"]["features"].empty());
  EXPECT_GE(report["cpu"]["cores"], 1);
  EXPECT_GE(report["cpu"]["page_bytes"], 4096);
  EXPECT_GT(report["memory"]["total_bytes"], 0);
  EXPECT_EQ(report["memory"]["workspace_bytes"], sizeof(Workspace));
  EXPECT_GT(report["speed"]["read_gb_per_s"], 0.0);
  EXPECT_FALSE(report.contains("model"));
  EXPECT_FALSE(report["speed"].contains("ms_per_token"));
}

TEST_F(DoctorTest, WhatTheSystemDoesNotSayIsUnknown) {
  const std::string path = Save(Convert(WeightType::kInt8).bytes());
  const std::string hide =
      "mount -t tmpfs none /proc && mount -t tmpfs none /sys && ";
  if (RunCommand({"unshare", "-rm", "sh", "-c", hide + "true"}).code != 0) {
    GTEST_SKIP() << "No file system can be mounted here.";
  }
  const auto run = [&](const std::string& arguments) {
    return RunCommand({"unshare", "-rm", "sh", "-c",
                       hide + LATIMER_BINARY_DIR + "/latimer " + arguments});
  };
  const std::string doctor = run("doctor " + path).out;
  EXPECT_THAT(doctor, AllOf(HasSubstr("the largest cache: unknown"),
                            Not(HasSubstr(" 0.0 KB"))));
  const Json memory = Json::parse(run("doctor --json " + path).out)["memory"];
  EXPECT_TRUE(memory["total_bytes"].is_null());
  EXPECT_TRUE(memory["available_bytes"].is_null());
  const std::string bench = "bench --source-tokens 4 --repeat 1 " + path;
  EXPECT_TRUE(
      Json::parse(run(bench + " --json").out)["peak_rss_bytes"].is_null());
  EXPECT_THAT(run(bench).out,
              testing::ContainsRegex("peak_rss_bytes +unknown"));
}

TEST_F(DoctorTest, AGoodModelAnswersRightly) {
  const ModelBytes file = Convert(WeightType::kInt8);
  const std::string path = Save(file.bytes());
  const Json report = Report({path});
  EXPECT_NE(report["verdict"], "FAIL");
  const Json& model = report["model"];
  EXPECT_EQ(model["known_answer"], "right");
  EXPECT_EQ(model["file_bytes"], file.bytes().size());
  EXPECT_EQ(model["weights"], "int8");
  EXPECT_EQ(model["tile"], NameOf(UsableTile()));
  EXPECT_FALSE(model["kernels"].empty());
  EXPECT_GE(model["alignment"], 64);
  // What is more than all of the bandwidth is no share of it.
  const Json& share = report["speed"]["share_of_bandwidth"];
  EXPECT_TRUE(share.is_null() || share <= 1.0) << share;
  for (const char* field : {"first_load_ms", "load_ms", "checksum_ms"}) {
    EXPECT_GE(model[field], 0.0) << field;
  }
  for (const char* field : {"ms_per_token", "tokens_per_second",
                            "weights_gb_per_s", "model_read_gb_per_s"}) {
    EXPECT_GT(report["speed"][field], 0.0) << field;
  }

  const Outcome text = Doctor({path, "--skip-checksum", "--threads", "2"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("known_answer"), HasSubstr("verdict: "),
                              HasSubstr(" ids right")));
}

TEST_F(DoctorTest, ShowsTheVersionOfTheModelWithoutControlCharacters) {
  EXPECT_EQ(Report({Save(
                Convert(WeightType::kInt8).bytes())})["model"]["model_version"],
            "");
  CanonicalModel model =
      ReadHuggingFaceBart(TinyModel("no_scale"), /*with_tokenizer=*/false);
  model.version = "7\033[2J";
  const std::string path =
      Save(WriteForThisCpu(model, WeightType::kInt8).bytes());
  EXPECT_EQ(Report({path})["model"]["model_version"], model.version);
  EXPECT_THAT(Doctor({path}).out, AllOf(HasSubstr("model_version        7 [2J"),
                                        Not(HasSubstr("\033"))));
}

TEST_F(DoctorTest, OnABoardThePredictionStandsBesideTheMeasurement) {
  const Json report = Report({Save(Convert(WeightType::kInt8).bytes())});
  const Json& speed = report["speed"];
  ASSERT_EQ(speed.contains("predicted_ms_per_token"), kBoard.clock_mhz != 0);
  if (kBoard.clock_mhz == 0) return;
  EXPECT_GT(speed["predicted_ms_per_token"][0], 0.0);
  EXPECT_GE(speed["predicted_ms_per_token"][1],
            speed["predicted_ms_per_token"][0]);
  const Json f32 = Report({Save(Convert(WeightType::kF32).bytes())});
  EXPECT_FALSE(f32["speed"].contains("predicted_ms_per_token"));
}

TEST_F(DoctorTest, TheReportNamesNoFolder) {
  const std::string file = folder_.path() / "report.json";
  const std::string model = Save(Convert(WeightType::kInt8).bytes());
  const Outcome outcome = Doctor({model, "--report", file});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verdict: "));
  const std::string text = ReadFile(file);
  EXPECT_THAT(text, Not(HasSubstr(folder_.path().string())));
  const Json report = Json::parse(text);
  EXPECT_EQ(report["model"]["file"], "model.ltm");
  EXPECT_EQ(report["model"]["known_answer"], "right");
  EXPECT_GT(report["speed"]["ms_per_token"], 0.0);
  EXPECT_TRUE(report.contains("verdict"));
}

TEST_F(DoctorTest, AFailureIsReportedWithoutItsFolderToo) {
  const std::string file = folder_.path() / "report.json";
  const std::string model = folder_.path() / "none.ltm";
  EXPECT_EQ(Doctor({model, "--report", file}).code, kFailure);
  const std::string text = ReadFile(file);
  EXPECT_THAT(text, AllOf(HasSubstr("No such file or directory"),
                          Not(HasSubstr(folder_.path().string()))));
  EXPECT_EQ(Json::parse(text)["verdict"], "FAIL");
}

TEST_F(DoctorTest, AReportThatCannotBeWrittenFails) {
  EXPECT_THAT(
      ErrorSentence(Doctor({"--report", folder_.path().string()}), kFailure),
      AllOf(HasSubstr("cannot write the report"), HasSubstr("Is a directory")));
}

TEST_F(DoctorTest, AWrongAnswerFails) {
  Image image(Convert(WeightType::kInt8).bytes());
  auto* target = image.root().mutable_known_answer()->mutable_target();
  constexpr int kPosition = 5;
  const int32_t right = target->Get(kPosition);
  const int32_t wrong = right == 7 ? 8 : 7;
  target->Mutate(kPosition, wrong);
  image.FixChecksum();
  const std::string path = Save(image.bytes());

  const Json report = Report({path});
  EXPECT_EQ(report["verdict"], "FAIL");
  EXPECT_EQ(report["model"]["known_answer"], "wrong");
  const Json finding = FindingAbout(report, "model.known_answer");
  EXPECT_EQ(finding["verdict"], "FAIL");
  EXPECT_THAT(finding["advice"].get<std::string>(),
              HasSubstr("Token 6 is " + std::to_string(right) + ", should be " +
                        std::to_string(wrong)));

  const Outcome text = Doctor({path});
  EXPECT_EQ(text.code, kFailure);
  EXPECT_THAT(text.out, HasSubstr("5 of 24 ids"));
  EXPECT_THAT(text.out, HasSubstr("verdict: FAIL"));
}

// A Whisper hears a sound that the program makes.
TEST_F(DoctorTest, AModelThatReadsSpeechIsCheckedWithASound) {
  if (!kProfile.speech()) GTEST_SKIP() << "This build reads no speech.";
  std::vector<std::string> warnings;
  const ModelBytes file = WriteModelWithKnownAnswer(
      OpenModel(TestData("tiny_whisper") / "english", /*with_tokenizer=*/true),
      OptionsForThisCpu(WeightType::kInt8), &warnings);
  const Json report = Report({Save(file.bytes())});
  EXPECT_NE(report["verdict"], "FAIL") << report;
  EXPECT_EQ(report["model"]["known_answer"], "right");
  EXPECT_GT(report["speed"]["encode_ms"], 0.0);
  EXPECT_GT(report["speed"]["ms_per_token"], 0.0);

  Image image(file.bytes());
  auto* target = image.root().mutable_known_answer()->mutable_target();
  target->Mutate(0, target->Get(0) == 7 ? 8 : 7);
  image.FixChecksum();
  const Json wrong = Report({Save(image.bytes())});
  EXPECT_EQ(wrong["verdict"], "FAIL");
  EXPECT_EQ(wrong["model"]["known_answer"], "wrong");
  EXPECT_THAT(
      FindingAbout(wrong, "model.known_answer")["advice"].get<std::string>(),
      HasSubstr("Token 1 is "));
}

TEST_F(DoctorTest, F32ModelsHaveNoAnswerToCompare) {
  const Json report = Report({Save(Convert(WeightType::kF32).bytes())});
  EXPECT_EQ(report["model"]["known_answer"], "none");
  EXPECT_TRUE(FindingAbout(report, "model.known_answer").is_null());
}

TEST_F(DoctorTest, AFileThatIsNoModelFails) {
  const auto advice = [](const std::string& path) {
    const Json report = Report({path});
    EXPECT_EQ(report["verdict"], "FAIL");
    EXPECT_FALSE(report["model"].contains("known_answer"));
    EXPECT_TRUE(report["speed"].contains("read_gb_per_s"));
    return FindingAbout(report, "model.file")["advice"].get<std::string>();
  };
  EXPECT_THAT(advice("none.ltm"), HasSubstr("No such file or directory"));
  EXPECT_THAT(advice("/"), HasSubstr("it is a directory"));
  EXPECT_THAT(advice(Save(std::vector<std::byte>(1000))),
              HasSubstr("not a Latimer model"));
  Image image(Convert(WeightType::kInt8).bytes());
  image.bytes()[image.bytes().size() / 2] ^= std::byte{1};
  EXPECT_THAT(advice(Save(image.bytes())), HasSubstr("checksum"));
}

// The tile of the board that uses the newest kernels of this CPU; "" if
// unknown.
std::string BestTile() {
  const CpuFeatures cpu = DetectCpuFeatures();
  std::string newest;
  for (int i = 0; i < kIsaCount; ++i) {
    if (cpu.*kIsas[i].usable) newest = kIsas[i].name;
  }
  for (const Board& board : kBoards) {
    const std::string isas = std::string(" ").append(board.isas);
    if (isas.ends_with(std::string(" ").append(newest))) {
      return board.tile;
    }
  }
  return "";
}

TEST_F(DoctorTest, NamesTheTileThatIsFaster) {
  const std::string best = BestTile();
  for (const Tile tile : {Tile::k8x8, Tile::k4x8, Tile::k8x2s4, Tile::k16x8}) {
    GemmKernels kernels;
    if (!SelectGemmKernels(DetectCpuFeatures(), WeightType::kInt8, tile,
                           &kernels)
             .ok()) {
      continue;
    }
    const Json report =
        Report({Save(Convert(WeightType::kInt8, tile).bytes())});
    EXPECT_EQ(report["model"]["tile"], NameOf(tile));
    const Json finding = FindingAbout(report, "model.tile");
    ASSERT_EQ(finding.is_null(), best.empty() || best == NameOf(tile)) << best;
    if (finding.is_null()) continue;
    EXPECT_EQ(finding["verdict"], "warning");
    EXPECT_THAT(finding["advice"].get<std::string>(),
                HasSubstr("--tile " + best));
  }
}

TEST_F(DoctorTest, WarnsOfMoreThreadsThanCores) {
  const std::string most = std::to_string(kProfile.threads);
  const Json report = Report({"--threads", most});
  const Json finding = FindingAbout(report, "cpu.cores");
  EXPECT_EQ(!finding.is_null(),
            report["cpu"]["cores"].get<uint32_t>() < kProfile.threads);
}

TEST_F(DoctorTest, TakesOneModelAtMost) {
  EXPECT_THAT(ErrorSentence(Doctor({"a.ltm", "b.ltm"}), kUsage),
              HasSubstr("give one model file"));
  EXPECT_THAT(ErrorSentence(Doctor({"--repeat", "2"}), kUsage),
              HasSubstr("unknown option --repeat"));
}

}  // namespace latimer::doctor_test
