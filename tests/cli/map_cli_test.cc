// latimer-convert --map as a user runs it: what is wrong gets one sentence and
// leaves no file.
// Tests converter/readers/map_json.cc, converter/readers/model_map.cc,
// converter/main.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/own_model.h"
#include "tests/converter/zip_bytes.h"
#include "tests/system/program.h"
#include "tests/system/usable_tile.h"

namespace latimer::map_cli_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kFailure = 1;
constexpr int kUsage = 2;

class MapCliTest : public ::testing::Test {
 protected:
  std::string output() const { return folder_.path() / "out.ltm"; }

  Outcome Convert(const OwnModel& model, const std::string& map,
                  const std::vector<std::string>& settings) const {
    const bool wide = UsableTile(WeightType::kF32) == Tile::k8x1;
    std::vector<std::string> arguments = {
        model.weights, "--map",  map,
        "-o",          output(), "--weights",
        "f32",         "--tile", wide ? "8x1" : "4x1"};
    for (const std::string& setting : settings) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    return RunProgram("latimer-convert", arguments);
  }

  TempFolder folder_;
};

TEST_F(MapCliTest, APresetWithItsSettingsMakesAModel) {
  const OwnModel model("encoder_layers_words");
  const Outcome outcome = Convert(model, model.map, model.settings);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json row = model.fixture["sequences"][0];
  const Outcome translated = RunProgram("latimer", {"translate", output()},
                                        row["src_text"].get<std::string>());
  EXPECT_EQ(translated.out, row["output_text"].get<std::string>() + "\n")
      << translated.err;
}

TEST_F(MapCliTest, EachAssumptionIsALineAndInTheFile) {
  const OwnModel model("encoder_layers_words");
  std::vector<std::string> settings = model.settings;
  settings.push_back("norm_epsilon=null");
  const Outcome outcome = Convert(model, model.map, settings);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("Assumed, because preset:encoder_layers does not "
                              "say it (--set FLAG=VALUE does):\n"),
                    HasSubstr("\n  norm_epsilon: norms add the epsilon 1e-5\n"),
                    Not(HasSubstr("embedding_norm_order"))));
  const Outcome inspected = RunProgram("latimer", {"inspect", output()});
  EXPECT_THAT(inspected.out,
              ::testing::ContainsRegex("assumptions.norm_epsilon +norms add"));
}

TEST_F(MapCliTest, APrintedPresetIsAMapFile) {
  const Outcome printed =
      RunProgram("latimer-convert", {"--print-map", "encoder_layers"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  const std::string map = folder_.path() / "map.json";
  WriteFile(map, printed.out);
  const OwnModel model("encoder_layers_words");
  EXPECT_EQ(Convert(model, map, model.settings).code, 0);
  EXPECT_THAT(
      ErrorSentence(RunProgram("latimer-convert", {"--print-map", "x"}),
                    kUsage),
      HasSubstr("--print-map x: the presets are annotated_transformer, "));
}

TEST_F(MapCliTest, WhatIsWrongGetsOneSentenceAndLeavesNoFile) {
  struct Case {
    const char* model;
    const char* map;  // Null: the model's own.
    std::vector<std::string> settings;
    const char* expected;
  };
  const Case cases[] = {
      {"encoder_layers_words", nullptr, {"heads=5"}, "heads is 5, but"},
      {"encoder_layers_words", nullptr, {"heads=null"}, "heads is missing"},
      {"encoder_layers_words", nullptr, {"head=4"}, "head is unknown"},
      {"encoder_layers_words", "preset:x", {}, "the presets are "},
      {"encoder_layers_words", "none.json", {}, "cannot read this map"},
      {"encoder_layers_words", "preset:per_head", {}, "preset:encoder_layers."},
      {"encoder_layers_words",
       nullptr,
       {"tensors.output=head"},
       "missing tensors: head.weight (\"output\"); unexpected tensors: "
       "output_layer.bias, output_layer.weight"},
      {"encoder_layers_words",
       nullptr,
       {"target_vocabulary.file={folder}/source.json"},
       "has 71 pieces and the target embedding 66 rows; a vocabulary cannot"},
      {"per_head_2",
       nullptr,
       {R"(ignore=["*.linear_out.*"])",
        "tensors.encoder.self_attention.out=x."
        "{layer}"},
       "the 2 heads of encoder.self_attention are 48 wide"},
  };
  for (const Case& c : cases) {
    OwnModel model(c.model);
    std::vector<std::string> settings;
    if (c.map == nullptr) settings = model.settings;
    for (std::string setting : c.settings) {
      settings.push_back(model.Placed(std::move(setting)));
    }
    const std::string sentence = ErrorSentence(
        Convert(model, c.map == nullptr ? model.map : c.map, settings),
        kFailure);
    EXPECT_THAT(sentence, HasSubstr(c.expected));
    EXPECT_FALSE(std::filesystem::exists(output())) << c.expected;
  }
}

// The preset asks for heads, which would not help.
TEST_F(MapCliTest, WhatAFileIsComesBeforeHowItsModelIsBuilt) {
  const std::string file = folder_.path() / "model.pt";
  const std::pair<std::string, const char*> cases[] = {
      {ZipBytes({{"decoder.yml", "a: b"}}), "is a zip file"},
      {"\x89HDF\r\n\x1a\n", "a Keras model"},
      {"<!DOCTYPE html>\n<html>", "a web page"},
      {"\x80\x04}\x94.", "a pickle of Python"},
      {"weights", "model.pt"},
  };
  for (const auto& [bytes, expected] : cases) {
    WriteFile(file, bytes);
    for (const char* name : {"model.pt", "model"}) {
      const std::string renamed = folder_.path() / name;
      std::filesystem::rename(file, renamed);
      const std::string sentence = ErrorSentence(
          RunProgram(
              "latimer-convert",
              {renamed, "--map", "preset:encoder_layers", "-o", output()}),
          kFailure);
      EXPECT_THAT(sentence, AllOf(HasSubstr(name), Not(HasSubstr("heads"))));
      if (expected != std::string("model.pt")) {
        EXPECT_THAT(sentence, HasSubstr(expected)) << name;
      }
      std::filesystem::rename(renamed, file);
    }
  }
}

TEST_F(MapCliTest, AFileWithoutAMapIsToldOfMaps) {
  const OwnModel model("nn_transformer");
  EXPECT_THAT(
      ErrorSentence(RunProgram("latimer-convert",
                               {model.weights.string(), "-o", output()}),
                    kFailure),
      HasSubstr("--map"));
  EXPECT_FALSE(std::filesystem::exists(output()));
}

}  // namespace latimer::map_cli_test
