// How large a profile and a board must be for a model, for a program and for
// latimer plan.
// Tests runtime/plan/plan.cc, programs/cli/plan.cc,
// programs/report/prediction.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "internals.h"
#include "latimer/board_list.h"
#include "latimer/internal/memory_plan.h"
#include "report/bill.h"
#include "tests/converter/model_folder.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "text/normalizer.h"

namespace latimer::plan_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Workspace& workspace = test_workspace;

const Board* NamedBoard(const char* name) {
  std::string error;
  return FindBoard(name, &error);
}

// The profile of a tiny model, or the sentence that says why there is none.
struct Planned {
  Profile profile;
  std::string error;
};

Planned Exact(const char* name, WeightType weights,
              const ProfileLimits& limits = {}) {
  const ModelBytes bytes =
      WriteModel(ReadHuggingFaceBart(TinyModelsFolder() / name, false),
                 {.weights = weights, .progress = {}});
  ModelDescription info;
  const Status status = ReadModelInfo(bytes.bytes(), true, &workspace, &info);
  EXPECT_TRUE(status.ok()) << status.message();
  const Result<Profile> profile = ExactProfile(info, limits, "tiny");
  return {*profile, profile.status().message()};
}

TEST(PlanTest, HoldsExactlyTheModel) {
  const Profile p = Exact("heads_2_6_gelu", WeightType::kInt8).profile;
  EXPECT_STREQ(p.name, "tiny");
  EXPECT_EQ(p.d_model, 24u);
  EXPECT_EQ(p.d_ffn, 61u);
  EXPECT_EQ(p.heads, 6u);
  EXPECT_EQ(p.encoder_layers, 2u);
  EXPECT_EQ(p.decoder_layers, 2u);
  EXPECT_EQ(p.source_vocabulary, 100u);
  EXPECT_EQ(p.target_vocabulary, 100u);
  EXPECT_EQ(p.source_tokens, 64u);
  EXPECT_EQ(p.target_tokens, 64u);
  EXPECT_EQ(p.threads, 1u);
  EXPECT_TRUE(p.int8_weights);
  EXPECT_FALSE(p.f32_weights);
  EXPECT_FALSE(p.tokenizer);
}

TEST(PlanTest, KeepsSourceAndTargetApart) {
  const Profile p = Exact("separate_vocabs", WeightType::kF32).profile;
  EXPECT_EQ(p.source_vocabulary, 110u);
  EXPECT_EQ(p.target_vocabulary, 95u);
  EXPECT_FALSE(p.int8_weights);
  EXPECT_FALSE(p.f16_weights);
  EXPECT_TRUE(p.f32_weights);
  // max_length 9 counts the start token.
  EXPECT_EQ(Exact("lengths", WeightType::kF32).profile.target_tokens, 8u);
}

TEST(PlanTest, KnowsF16) {
  const Profile p = Exact("no_scale", WeightType::kF16).profile;
  EXPECT_TRUE(p.f16_weights);
  EXPECT_FALSE(p.int8_weights);
  EXPECT_FALSE(p.f32_weights);
}

TEST(PlanTest, LimitsMakeItSmaller) {
  const Profile p =
      Exact("no_scale", WeightType::kInt8,
            {.source_tokens = 40, .target_tokens = 7, .threads = 4})
          .profile;
  EXPECT_EQ(p.source_tokens, 40u);
  EXPECT_EQ(p.target_tokens, 7u);
  EXPECT_EQ(p.threads, 4u);
}

TEST(PlanTest, AttentionIsThatOfTheLongestSentence) {
  const Profile none = Exact("no_scale", WeightType::kInt8).profile;
  EXPECT_EQ(none.attention, 0u);
  EXPECT_FALSE(none.scores);
  const Profile p = Exact("no_scale", WeightType::kInt8,
                          {.source_tokens = 40,
                           .target_tokens = 7,
                           .attention = true,
                           .scores = true})
                        .profile;
  // The encoder's, of 2 layers with 2 heads, is the largest.
  EXPECT_EQ(p.attention, 2u * 2 * 40 * 40);
  EXPECT_TRUE(p.scores);
}

TEST(PlanTest, RefusesALimitBeyondTheModel) {
  EXPECT_THAT(Exact("no_scale", WeightType::kF32, {.source_tokens = 41}).error,
              AllOf(HasSubstr("--max-source-tokens 41"), HasSubstr("of 40")));
  EXPECT_THAT(Exact("no_scale", WeightType::kF32, {.target_tokens = 41}).error,
              AllOf(HasSubstr("--max-target-tokens 41"), HasSubstr("of 40")));
}

TEST(PlanTest, TextNeverHasLessRoomThanTheNormalizerNeeds) {
  const ModelBytes bytes = ConvertSmallDemo(WeightType::kInt8);
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(bytes.bytes(), true, &workspace, &info).ok());
  const Result<Profile> p =
      ExactProfile(info, {.source_tokens = 2, .target_tokens = 2}, "tiny");
  ASSERT_TRUE(p.ok()) << p.status().message();
  EXPECT_GE(p->text_bytes, kMinNormalizedBytes);
  EXPECT_TRUE(p->tokenizer);
}

TEST(PlanTest, AnyTilesModelIsRead) {
  const CanonicalModel model =
      ReadHuggingFaceBart(TinyModelsFolder() / "no_scale", false);
  for (const Tile tile : {Tile::k4x8, Tile::k8x8, Tile::k16x8, Tile::k8x2s4}) {
    const ModelBytes bytes = WriteModel(
        model, {.weights = WeightType::kInt8, .tile = tile, .progress = {}});
    ModelDescription info;
    EXPECT_TRUE(ReadModelInfo(bytes.bytes(), true, &workspace, &info).ok());
    EXPECT_STREQ(info.tile, NameOf(tile));
  }
}

TEST(PlanTest, ADamagedFileIsRefused) {
  const ModelBytes bytes = ConvertSmallDemo(WeightType::kInt8);
  ModelDescription info;
  const Status status =
      ReadModelInfo(bytes.bytes().first(1000), true, &workspace, &info);
  EXPECT_EQ(status.code(), StatusCode::kTruncated) << status.message();
}

// ---- latimer plan, latimer-convert --board ----------------------------------

using Json = nlohmann::json;

// A tiny model for a board of another architecture than most PCs have.
class PlanCommandTest : public ::testing::Test {
 protected:
  PlanCommandTest() {
    const Outcome outcome =
        RunProgram("latimer-convert",
                   {(TinyModelsFolder() / "no_scale").string(), "-o", model_,
                    "--no-tokenizer", "--json", "--board", "raspberry_pi_4"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    conversion_ = Json::parse(outcome.out);
  }

  Outcome Plan(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plan", model_});
    return RunProgram("latimer", arguments);
  }

  const TempFolder folder_;
  const std::string model_ = folder_.path() / "model.ltm";
  Json conversion_;
};

TEST_F(PlanCommandTest, TheConverterPacksForTheBoard) {
  const Board* board = NamedBoard("raspberry_pi_4");
  ASSERT_NE(board, nullptr);
  EXPECT_EQ(conversion_["tile"], board->tile);
  EXPECT_EQ(conversion_["board"]["name"], board->name);
  EXPECT_EQ(conversion_["board"]["ram_bytes"], board->ram_bytes);
  EXPECT_EQ(conversion_["board"]["fits"], true);
  EXPECT_EQ(conversion_["bill"]["profile"]["threads"], board->threads);
}

TEST_F(PlanCommandTest, TheConverterTakesTheTileOfBoardAndWeights) {
  const auto tile = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {(TinyModelsFolder() / "no_scale").string(), "-o",
                      folder_.path() / "tile.ltm", "--no-tokenizer", "--json"});
    const Outcome outcome = RunProgram("latimer-convert", arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["tile"].get<std::string>();
  };
  EXPECT_EQ(tile({"--board", "riscv64"}), "4x4");
  EXPECT_EQ(tile({"--board", "riscv64", "--weights", "f32"}), "4x1");
  EXPECT_EQ(tile({"--board", "raspberry_pi_5"}), "16x4");
  EXPECT_EQ(tile({"--board", "raspberry_pi_5", "--weights", "f32"}), "8x1");
  EXPECT_EQ(tile({"--weights", "f32", "--tile", "4x1"}), "4x1");
  EXPECT_EQ(tile({"--board", "riscv64", "--weights", "f16"}), "16x1");
  EXPECT_EQ(tile({"--weights", "f16"}), "16x1");
}

// On a machine whose RAM or flash is too small, the file is written, and the
// exit code is not that of success.
TEST_F(PlanCommandTest, TheConverterSaysWhatWouldFitTheBoard) {
  const std::string out = folder_.path() / "demo.ltm";
  const auto convert = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {DemoDirectory(), "-o", out, "--board",
                                         "cortex_m7", "--quiet"});
    return RunProgram("latimer-convert", arguments);
  };
  const std::string sentence = ErrorSentence(convert({}), 1);
  EXPECT_THAT(sentence, AllOf(HasSubstr("written, but cortex_m7 has"),
                              HasSubstr("It would fit with")));
  EXPECT_TRUE(std::filesystem::exists(out));
  const size_t at = sentence.find("--max-source-tokens");
  std::istringstream words(sentence.substr(at, sentence.rfind('.') - at));
  std::vector<std::string> limits;
  for (std::string word; words >> word;) limits.push_back(word);
  const Outcome fits = convert(limits);
  EXPECT_EQ(fits.code, 0) << fits.err;
  limits.insert(limits.end(), {"--weights", "f32"});
  EXPECT_THAT(ErrorSentence(convert(limits), 1), HasSubstr("bytes of flash"));
  // Shorter sentences are no advice then.
  EXPECT_THAT(ErrorSentence(convert({"--weights", "f32"}), 1),
              AllOf(HasSubstr("bytes of flash"), HasSubstr("bytes of RAM"),
                    Not(HasSubstr("It would fit with"))));
  const Outcome plan = RunProgram(
      "latimer", {"plan", out, "--board", "cortex_m7", "--skip-checksum"});
  EXPECT_EQ(plan.code, 1) << plan.err;
  EXPECT_THAT(plan.out, AllOf(HasSubstr("bytes of flash needed"),
                              HasSubstr("bytes of RAM needed"),
                              Not(HasSubstr("It would fit with"))));

  ErrorSentence(convert({}), 1);  // A model whose sentences may be long again.
  EXPECT_THAT(
      ErrorSentence(RunProgram("latimer-convert",
                               {out, "--profile", folder_.path() / "p.h",
                                "--board", "cortex_m7", "--quiet"}),
                    1),
      HasSubstr("p.h: written, but cortex_m7 has"));
}

TEST_F(PlanCommandTest, AgreesWithTheConvertersBill) {
  const Outcome outcome = Plan({"--board", "raspberry_pi_4", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json plan = Json::parse(outcome.out);
  for (const char* field : {"flash_bytes", "ram_bytes", "ram",
                            "workspace_bytes", "weight_bytes_per_token"}) {
    EXPECT_EQ(plan[field], conversion_["bill"][field]) << field;
  }
  for (const char* field : {"name", "ram_bytes", "fits", "weights_stay"}) {
    EXPECT_EQ(plan["place"][field], conversion_["board"][field]) << field;
  }
  EXPECT_EQ(plan["place"]["fits"], true);
  EXPECT_EQ(plan["place"]["weights_stay"], true);
  EXPECT_EQ(plan["place"]["reads_tile"], true);
}

TEST_F(PlanCommandTest, PredictsTheSpeedOfABoardFromItsFigures) {
  const auto predict = [&](const std::string& threads) {
    const Outcome outcome =
        Plan({"--board", "raspberry_pi_4", "--json", "--threads", threads});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Board& board = *NamedBoard("raspberry_pi_4");
  ASSERT_GT(board.clock_mhz, 0u);
  const Json plan = predict("1");
  const auto bytes = plan["weight_bytes_per_token"].get<double>();
  const Json& one = plan["place"]["predicted"];
  const double memory = bytes / board.read_mb_s / 1e3;
  const double cpu = bytes / 1e3 * board.cycles_per_kb / board.clock_mhz / 1e3;
  EXPECT_NEAR(one["memory_ms"].get<double>(), memory, 1e-9 + memory / 1e6);
  EXPECT_NEAR(one["cpu_ms"].get<double>(), cpu, 1e-9 + cpu / 1e6);
  const auto low = [](const Json& p) {
    return p["ms_per_token"][0].get<double>();
  };
  const auto high = [](const Json& p) {
    return p["ms_per_token"][1].get<double>();
  };
  EXPECT_DOUBLE_EQ(low(one), std::max(memory, cpu));
  EXPECT_DOUBLE_EQ(high(one), memory + cpu);
  // Threads share the computing, not the reading.
  const Json four = predict("4")["place"]["predicted"];
  EXPECT_EQ(four["threads"], 4);
  EXPECT_LE(low(four), low(one));
  EXPECT_GE(low(four), memory);
  EXPECT_LT(high(four), high(one));
  EXPECT_GT(high(four), low(four));

  EXPECT_THAT(Plan({"--board", "raspberry_pi_4"}).out,
              HasSubstr("raspberry_pi_4: predicted, not measured: "));
}

TEST_F(PlanCommandTest, PredictsNothingWithoutFigures) {
  // Of many boards at once, of no board, and for other weights than int8.
  ASSERT_EQ(NamedBoard("x86_64_v3")->clock_mhz, 0u);
  const std::string f32 = folder_.path() / "f32.ltm";
  RunProgram("latimer-convert",
             {(TinyModelsFolder() / "no_scale").string(), "-o", f32,
              "--no-tokenizer", "--weights", "f32", "--tile", "8x1"});
  for (const Outcome& outcome :
       {Plan({"--board", "x86_64_v3"}), Plan({"--ram", "1G"}), Plan({}),
        RunProgram("latimer", {"plan", f32, "--board", "raspberry_pi_4"})}) {
    EXPECT_THAT(outcome.out, HasSubstr("per token"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("predicted")));
  }
}

// A Whisper that hears two seconds at once.
class SpeechPlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kProfile.speech()) GTEST_SKIP() << "This build reads no speech.";
    WriteFile(board_,
              "latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a72\n"
              "  ISAS neon TILE 8x2s4 RAM_MIB 64 THREADS 1\n"
              "  SPEED 1000 500 2000 400)\n");
    const Outcome outcome = RunProgram(
        "latimer-convert", {(TestData("tiny_whisper") / "english").string(),
                            "-o", model_, "--board", board_, "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }

  Outcome Plan(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plan", model_});
    return RunProgram("latimer", arguments);
  }

  const TempFolder folder_;
  const std::string board_ = folder_.path() / "slow.cmake";
  const std::string model_ = folder_.path() / "model.ltm";
};

TEST_F(SpeechPlanTest, PredictsSecondsOfSpeechPerSecond) {
  const Outcome outcome = Plan({"--board", board_, "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json plan = Json::parse(outcome.out);
  EXPECT_EQ(plan["place"]["fits"], true);
  const Json& predicted = plan["place"]["predicted"];
  const Json& speech = predicted["speech"];
  EXPECT_EQ(speech["window_seconds"], 2.0);
  EXPECT_NEAR(speech["tokens"].get<double>(), 100.0 / 15, 1e-9);
  // 100 positions of 16 numbers, 80 bins, 2 + 2 layers of 32 inner numbers. The
  // second product of attention takes two.
  const double multiplications =
      100 * (3 * (2 * 80 * 16 + 16 * 16) +
             2 * (4 * 16 * 16 + 2 * 16 * 32 + 3 * 100 * 16) + 2 * 2 * 16 * 16);
  const double computing = multiplications / 1e3 * 400 / 1e6;
  const double reading = (plan["flash"]["encoder"].get<double>() +
                          plan["flash"]["cross_kv"].get<double>()) /
                         500e3;
  const auto low = [](const Json& band) { return band[0].get<double>(); };
  const auto high = [](const Json& band) { return band[1].get<double>(); };
  EXPECT_NEAR(low(speech["window_ms"]), std::max(computing, reading), 1e-9);
  EXPECT_NEAR(high(speech["window_ms"]), computing + reading, 1e-9);
  // A token reads keys and values beside the weights, of which no argmax is
  // pruned.
  EXPECT_EQ(plan["weight_bytes_per_token"],
            plan["flash"]["decoder"].get<uint64_t>() +
                plan["flash"]["output"].get<uint64_t>());
  const auto bytes = predicted["memory_ms"].get<double>() * 500e3;
  EXPECT_NEAR(bytes,
              plan["weight_bytes_per_token"].get<double>() +
                  static_cast<double>(PackedCrossBytes(2, 2, 8, 100)),
              1e-3);
  const Json& rate = speech["seconds_per_second"];
  EXPECT_NEAR(low(rate),
              2000 / (high(speech["window_ms"]) +
                      100.0 / 15 * high(predicted["ms_per_token"])),
              1e-6);
  EXPECT_NEAR(high(rate),
              2000 / (low(speech["window_ms"]) +
                      100.0 / 15 * low(predicted["ms_per_token"])),
              1e-6);
  EXPECT_THAT(Plan({"--board", board_}).out,
              AllOf(HasSubstr("slow: predicted, not measured: "),
                    HasSubstr(" seconds of speech per second with 1 thread")));
  EXPECT_THAT(Plan({"--board", "raspberry_pi_2"}).out,
              Not(HasSubstr("predicted")));
}

// How long texts may be is no advice for speech.
TEST_F(SpeechPlanTest, SaysThatASmallBoardIsTooSmall) {
  const Outcome outcome = Plan({"--ram", "64K"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("DOES NOT FIT"),
                                 Not(HasSubstr("would fit with"))));
  EXPECT_FALSE(
      Json::parse(Plan({"--ram", "64K", "--json"}).out)["place"].contains(
          "longest_that_fits"));
}

TEST_F(PlanCommandTest, SaysHowLongSentencesMayBeWhereTheModelDoesNotFit) {
  const uint64_t needed =
      Json::parse(Plan({"--json"}).out)["ram_bytes"].get<uint64_t>();
  const auto fits = [&](uint64_t ram) {
    return Plan({"--ram", std::to_string(ram), "--json"});
  };
  EXPECT_EQ(fits(needed).code, 0);
  const Outcome outcome = fits(needed - 1);
  EXPECT_EQ(outcome.code, 1);
  const Json place = Json::parse(outcome.out)["place"];
  EXPECT_EQ(place["fits"], false);
  // With that many tokens it fits, with one more it does not.
  const auto tokens = place["longest_that_fits"].get<uint32_t>();
  ASSERT_GT(tokens, 0u);
  const auto with = [&](uint32_t count) {
    const std::string text = std::to_string(count);
    return Plan({"--ram", std::to_string(needed - 1), "--max-source-tokens",
                 text, "--max-target-tokens", text})
        .code;
  };
  EXPECT_EQ(with(tokens), 0);
  EXPECT_EQ(with(tokens + 1), 1);
}

TEST_F(PlanCommandTest, SaysWhatRoomForFeaturesTakes) {
  const std::string words =
      "attention,scores,alignment,phrases,sampling,beams=4";
  const Json plain = Json::parse(Plan({"--json"}).out);
  EXPECT_FALSE(plain.contains("room_for"));
  const Json plan = Json::parse(Plan({"--json", "--room-for", words}).out);
  EXPECT_GT(plan["ram_bytes"], plain["ram_bytes"]);
  EXPECT_EQ(plan["room_for"].size(), 6u);
  EXPECT_GT(plan["room_for"]["attention"], 0);
  EXPECT_EQ(plan["room_for"]["phrases"], 0);
  EXPECT_THAT(Plan({"--room-for", "phrases"}).out,
              HasSubstr("What --room-for takes of that\n  phrases "));
  EXPECT_THAT(ErrorSentence(Plan({"--room-for", "phrases,colour"}), 2),
              HasSubstr("latimer plan: --room-for: \"colour\" is none of its "
                        "words; give one or more of attention, scores, "));
  EXPECT_THAT(ErrorSentence(Plan({"--room-for", ""}), 2),
              HasSubstr("--room-for: nothing is named; give "));
}

// The converter counts and writes the same, and the search that --beams asks
// for has room.
TEST_F(PlanCommandTest, TheConverterHasTheSameWords) {
  const std::string model = folder_.path() / "room.ltm";
  const std::string profile = folder_.path() / "room.h";
  const auto convert = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {(TinyModelsFolder() / "no_scale").string(), "-o", model,
                      "--no-tokenizer", "--json", "--profile", profile});
    const Outcome outcome = RunProgram("latimer-convert", arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::ifstream file(profile);
    return std::pair(Json::parse(outcome.out),
                     std::string(std::istreambuf_iterator<char>(file), {}));
  };
  const std::string words = "sampling,scores,beams=4";
  const auto [json, header] = convert({"--room-for", words});
  for (const char* line : {".sampling = true,", ".scores = true,",
                           ".phrases = false,", ".beams = 4,", ".lanes = 4,"}) {
    EXPECT_THAT(header, HasSubstr(line));
  }
  const auto plan = [&](const std::string& room) {
    return Json::parse(
        RunProgram("latimer", {"plan", model, "--json", "--room-for", room})
            .out);
  };
  EXPECT_EQ(json["bill"]["room_for"], plan(words)["room_for"]);
  EXPECT_EQ(json["bill"]["ram_bytes"], plan(words)["ram_bytes"]);
  EXPECT_EQ(json["bill"]["room_for"].size(), 3u);

  const auto [searched, with_beams] = convert({"--beams", "3"});
  EXPECT_THAT(with_beams, HasSubstr(".beams = 3,"));
  EXPECT_EQ(searched["bill"]["ram_bytes"], plan("beams=3")["ram_bytes"]);
}

TEST_F(PlanCommandTest, SaysWhenTheWeightsAreForOtherKernels) {
  const std::string other = folder_.path() / "other.ltm";
  RunProgram("latimer-convert",
             {(TinyModelsFolder() / "no_scale").string(), "-o", other,
              "--no-tokenizer", "--tile", "4x8"});
  const Outcome outcome =
      RunProgram("latimer", {"plan", other, "--board", "raspberry_pi_4"});
  EXPECT_EQ(outcome.code, 0);  // It will fit.
  const std::string command =
      "latimer-convert MODEL -o FILE --board raspberry_pi_4\n";
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("raspberry_pi_4: fits"), HasSubstr(command)));
  EXPECT_THAT(Plan({"--board", "raspberry_pi_4"}).out,
              Not(HasSubstr("latimer-convert")));
  // The board keeps the type of the weights.
  RunProgram("latimer-convert",
             {(TinyModelsFolder() / "no_scale").string(), "-o", other,
              "--no-tokenizer", "--weights", "f32", "--tile", "4x1"});
  EXPECT_THAT(
      RunProgram("latimer", {"plan", other, "--board", "raspberry_pi_4"}).out,
      HasSubstr("latimer-convert MODEL -o FILE --board raspberry_pi_4 "
                "--weights f32\n"));
}

// What it says to type must work with a board file, too.
TEST_F(PlanCommandTest, NamesABoardFileByItsPath) {
  const std::string file = folder_.path() / "own_board.cmake";
  WriteFile(file,
            "latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a76\n"
            "  ISAS neon dotprod TILE 16x4 RAM_MIB 512 THREADS 4)\n");
  const Outcome outcome = Plan({"--board", file});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("--board " + file));
}

TEST_F(PlanCommandTest, WarnsWhereTheWeightsDoNotStayInRam) {
  const Json bill = Json::parse(Plan({"--json"}).out);
  const auto bytes = [&](const char* name) {
    return bill[name].get<uint64_t>();
  };
  const uint64_t token = bytes("ram_bytes") + bytes("weight_bytes_per_token");
  const uint64_t all = token + bytes("weight_bytes_per_sentence");
  const auto with = [&](uint64_t ram) {
    const std::string text = std::to_string(ram);
    const Outcome outcome = Plan({"--ram", text});
    EXPECT_EQ(outcome.code, 0) << "It fits, if slowly.";
    const Json place =
        Json::parse(Plan({"--ram", text, "--json"}).out)["place"];
    EXPECT_EQ(place["weights_stay"], ram >= all);
    return outcome.out;
  };
  EXPECT_THAT(with(all), Not(HasSubstr("WARNING")));
  EXPECT_THAT(with(all - 1), HasSubstr("again for each sentence"));
  EXPECT_THAT(with(token), HasSubstr("again for each sentence"));
  EXPECT_THAT(with(token - 1), HasSubstr("again for each token"));
}

TEST(BoardWeightsTest, AMachineReadsThemFromItsFlash) {
  const Json bill = {{"flash_bytes", 900},
                     {"ram_bytes", 10},
                     {"ram", Json::object()},
                     {"weight_bytes_per_token", 20},
                     {"weight_bytes_per_sentence", 0}};
  Board board = {};
  board.name = "machine";
  board.ram_bytes = 29;
  EXPECT_THAT(WeightsText(bill, board), HasSubstr("machine: WARNING"));
  EXPECT_TRUE(Fits(bill, board));
  board.flash_bytes = 900;
  EXPECT_EQ(WeightsText(bill, board), "");
  EXPECT_TRUE(Fits(bill, board));
  board.flash_bytes = 899;
  EXPECT_THAT(WeightsText(bill, board),
              HasSubstr("machine: DOES NOT FIT: 900 bytes of flash needed"));
  EXPECT_FALSE(Fits(bill, board));
  board.flash_bytes = 900;
  board.ram_bytes = 9;
  EXPECT_FALSE(Fits(bill, board));
}

TEST_F(PlanCommandTest, WithoutAPlaceAllBoardsAreListed) {
  const Outcome outcome = Plan({});
  EXPECT_EQ(outcome.code, 0);
  for (const Board& board : kBoards) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string(board.name) + " "));
    EXPECT_EQ(outcome.out.find(std::string("--board ") + board.name + "\n") !=
                  std::string::npos,
              board.tile != conversion_["tile"])
        << board.name;
  }
}

TEST_F(PlanCommandTest, RefusesWhatIsNoPlace) {
  EXPECT_THAT(ErrorSentence(Plan({"--board", "toaster"}), 2),
              AllOf(HasSubstr("toaster"), HasSubstr("raspberry_pi_4")));
  for (const char* ram : {"0", "-5", "many", "5X", "5MB", "99999999999G"}) {
    EXPECT_THAT(ErrorSentence(Plan({"--ram", ram}), 2), HasSubstr(ram));
  }
  EXPECT_THAT(
      ErrorSentence(Plan({"--ram", "1G", "--board", "raspberry_pi_4"}), 2),
      HasSubstr("not both"));
  EXPECT_THAT(ErrorSentence(Plan({"--max-source-tokens", "41"}), 1),
              HasSubstr("limit of 40"));
  EXPECT_THAT(ErrorSentence(RunProgram("latimer-convert",
                                       {"x", "-o", "y", "--board", "toaster"}),
                            2),
              HasSubstr("toaster"));
}

}  // namespace latimer::plan_test
