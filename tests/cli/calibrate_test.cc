// latimer-convert --calibrate lowers what quantization costs.
// Tests converter/calibrate.cc, converter/observe.cc, converter/agreement.cc.
#include "converter/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "converter/agreement.h"
#include "converter/certify.h"
#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "converter/tensor_plan.h"
#include "tests/converter/model_folder.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"

namespace latimer::calibrate_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;

// Lines [begin, begin + count) of the demo's source text.
std::string DemoText(size_t begin, size_t count) {
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  std::string text;
  for (size_t i = begin; i < begin + count; ++i) text += lines.at(i) + "\n";
  return text;
}

// The matrices of the demo are int6, but the feed-forwards int4. Only those of
// a few layers are calibrated, for the sake of time.
class CalibrateTest : public ::testing::Test {
 protected:
  CalibrateTest() { WriteFile(text(), DemoText(0, 100)); }

  std::filesystem::path text() const { return folder_.path() / "text"; }

  WriteOptions write(const QuantizedMatrices& quantized) const {
    return {.tile = UsableTile(),
            .pruned_argmax = false,
            .types = &int4_types_,
            .other_types = WeightType::kInt6,
            .quantized = &quantized,
            .progress = {}};
  }
  std::set<MatrixAs> wanted() const {
    std::set<MatrixAs> wanted;
    for (const auto& [name, type] : PlanTypes(model_, write(int4_))) {
      if (name == "output" || name.starts_with("decoder.0.")) {
        wanted.emplace(name, type);
      }
    }
    return wanted;
  }
  QuantizedMatrices Calibrated(uint64_t most_bytes = uint64_t{1} << 30) {
    return Calibrate({.text = text(), .most_hessian_bytes = most_bytes},
                     wanted(), model_);
  }
  ModelBytes Write(QuantizedMatrices quantized) {
    quantized.insert(int4_.begin(), int4_.end());
    return WriteModel(model_, write(quantized));
  }

  TempFolder folder_;
  CanonicalModel model_ = OpenModel(SmallDemoDirectory(), true, {});
  QuantizedMatrices int4_ = QuantizeToInt4(/*largest_error=*/1, &model_);
  MatrixTypes int4_types_ = TypesOf(int4_);
};

TEST_F(CalibrateTest, LowersTheErrorOnAnotherText) {
  const QuantizedMatrices calibrated = Calibrated();
  // The embedding is the output matrix.
  EXPECT_THAT(calibrated, SizeIs(wanted().size()));
  for (const auto& [matrix, weights] : calibrated) {
    EXPECT_LT(weights.product->error_after,
              0.95 * weights.product->error_before)
        << matrix.first;
  }
  WriteFile(text(), DemoText(1000, 40));
  const ModelBytes f32 = ConvertSmallDemo(WeightType::kF32);
  const auto certify = [&](const ModelBytes& packed) {
    return Certify(f32.bytes(), packed.bytes(),
                   {.text = text(), .references = {}, .progress = {}})
        .View();
  };
  const float before = certify(Write({})).logits_snr;
  EXPECT_GT(certify(Write(calibrated)).logits_snr, before + 0.5f);
}

TEST_F(CalibrateTest, GivesTheSameBytesInAsManyPassesAsMemoryAllows) {
  const ModelBytes once = Write(Calibrated());
  const ModelBytes again = Write(Calibrated());
  EXPECT_TRUE(std::ranges::equal(once.bytes(), again.bytes()));
  const ModelBytes in_turn = Write(Calibrated(/*most_bytes=*/1));
  EXPECT_TRUE(std::ranges::equal(once.bytes(), in_turn.bytes()));
}

TEST_F(CalibrateTest, SaysWhyATextOrAModelWillNotDo) {
  const auto error = [&](const std::string& lines) {
    WriteFile(text(), lines);
    return ErrorOf([&] { Calibrated(); });
  };
  EXPECT_THAT(error(""), HasSubstr("text: nothing to translate."));
  EXPECT_THAT(error("\n  \n\n"), HasSubstr("nothing to translate."));
  EXPECT_THAT(error("One line.\n"),
              HasSubstr("text: has only 1 line to translate, which is too few "
                        "for --calibrate; give at least 16"));
  std::string short_lines, garbage;
  for (int i = 0; i < 16; ++i) short_lines += "Tom.\n";
  EXPECT_THAT(error(short_lines),
              AllOf(HasSubstr("text: has only "),
                    HasSubstr(" tokens, which is too few for --calibrate; give "
                              "at least 100")));
  for (int i = 0; i < 16; ++i) garbage += "It is \xFF\xFE here.\n";
  EXPECT_THAT(error(garbage),
              HasSubstr("text: line 1 is not UTF-8; give a text in UTF-8"));
  std::filesystem::remove(text());
  EXPECT_THAT(ErrorOf([&] { Calibrated(); }), HasSubstr("text"));
  model_.tokenizer.reset();
  EXPECT_THAT(ErrorOf([&] { Calibrated(); }),
              HasSubstr("the model needs a tokenizer."));
}

TEST_F(CalibrateTest, LeavesWhatTheTextDoesNotUseAsItIs) {
  // An embedding of its own is looked up, not multiplied.
  model_.architecture.source_embedding_tied = false;
  model_.architecture.embeddings_shared = false;
  model_.linears["source_embedding"] = model_.linears.at("output");
  const std::set<MatrixAs> some = {
      {"source_embedding", WeightType::kInt6},
      {"decoder.0.self_attention.out", WeightType::kInt4}};
  EXPECT_THAT(Calibrate({.text = text()}, some, model_),
              ElementsAre(Key(*some.begin())));
}

TEST(CalibrateProgramTest, SaysWhatItDid) {
  const TempFolder folder;
  const std::string text = (folder.path() / "text").string();
  const std::string output = (folder.path() / "demo.ltm").string();
  WriteFile(text, DemoText(0, 20));
  const std::string model = SmallDemoDirectory().string();
  const auto convert = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {model, "-o", output, "--calibrate", text};
    words.insert(words.end(), more.begin(), more.end());
    return RunProgram("latimer-convert", words);
  };
  const Outcome result = convert({"--weights", "int4", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_THAT(json["calibrated"], Not(SizeIs(0)));
  for (const auto& error : json["calibrated"]) {
    EXPECT_LE(error["error_after"].get<double>(),
              error["error_before"].get<double>());
  }
  const Outcome printed = convert({"--progress"});
  EXPECT_THAT(printed.out, HasSubstr("matrices calibrated, whose products"));
  EXPECT_THAT(printed.err, HasSubstr("calibrating 100 %"));
  const Outcome f16 = convert({"--weights", "f16"});
  EXPECT_EQ(f16.code, 2);
  EXPECT_THAT(f16.err,
              HasSubstr("--calibrate is for int8, int6 and int4 weights"));
  const Outcome missing = RunProgram(
      "latimer-convert", {model, "-o", output, "--calibrate", text + ".no"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("text.no"));
}

TEST_F(CalibrateTest, TheLossOfATypeIsWhatTheCertificateLacks) {
  WriteFile(text(), DemoText(500, 30));
  const ModelBytes f32 = ConvertSmallDemo(WeightType::kF32);
  const ModelBytes packed = Write({});
  const Certificate certificate =
      Certify(f32.bytes(), packed.bytes(),
              {.text = text(), .references = {}, .progress = {}})
          .View();
  const Agreement agreement(f32, text(), {});
  EXPECT_EQ(agreement.tokens(), certificate.tokens);
  const Loss loss = agreement.LossOf(packed);
  EXPECT_GT(loss.tokens, 0.0);
  EXPECT_NEAR(loss.tokens, 1 - certificate.agreement(), 1e-9);
  EXPECT_NEAR(loss.lines,
              1 - static_cast<double>(certificate.equal_lines) /
                      static_cast<double>(certificate.lines),
              1e-9);
  EXPECT_EQ(agreement.LossOf(f32).tokens, 0.0);
  EXPECT_EQ(agreement.LossOf(f32).lines, 0.0);
  const auto error = [&](const std::string& lines) {
    WriteFile(text(), lines);
    return ErrorOf([&] { Agreement(f32, text(), {}); });
  };
  EXPECT_THAT(error(""), HasSubstr("nothing to translate"));
  EXPECT_THAT(error(DemoText(0, 2)),
              HasSubstr(" tokens to compare, which is too few for --weights "
                        "auto; give at least 100"));
  EXPECT_THAT(error("It is here.\n\xC3\n"), HasSubstr("line 2 is not UTF-8"));
}

TEST(AutoProgramTest, ChoosesTypesThatKeepTheLossAndSaysWhy) {
  const TempFolder folder;
  const std::string text = (folder.path() / "text").string();
  const std::string output = (folder.path() / "demo.ltm").string();
  WriteFile(text, DemoText(0, 20));
  const std::string model = SmallDemoDirectory().string();
  const Outcome result = RunProgram(
      "latimer-convert", {model, "-o", output, "--weights", "auto",
                          "--max-loss", "0.03", "--certify", text, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["weights"], "auto");
  EXPECT_LE(json["chosen"]["loss"].get<double>(), 0.03);
  EXPECT_NEAR(json["certificate"]["agreement"].get<double>(),
              1 - json["chosen"]["loss"].get<double>(), 1e-9);
  EXPECT_EQ(json["matrices"]["encoder.0.ffn.in"],
            json["chosen"]["kinds"]["encoder.ffn"]["type"]);
  EXPECT_NE(json["matrices"]["encoder.0.ffn.in"], "int8");
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {model, "-o", output});
    return RunProgram("latimer-convert", words).err;
  };
  EXPECT_THAT(error({"--weights", "auto"}),
              HasSubstr("it needs --certify TEXT.txt or --calibrate TEXT.txt"));
  EXPECT_THAT(
      error({"--weights", "auto", "--certify", text, "--int4-error", "0.1"}),
      HasSubstr("--int4-error is for --weights int4; auto chooses"));
  EXPECT_THAT(error({"--max-loss", "0.1"}),
              HasSubstr("--max-loss needs --weights auto."));
  EXPECT_THAT(error({"--weights", "auto", "--certify", text, "--no-tokenizer"}),
              HasSubstr("the model needs a tokenizer."));
}

}  // namespace latimer::calibrate_test
