// Some matrices of an int8 model are f16: those of --keep-f16, and those that
// --weights auto chooses. The demo loses tokens by int8.
// Tests runtime/transformer/linear.cc, runtime/model/bind_tensors.cc,
// converter/choose_types.cc, converter/tensor_plan.cc,
// converter/known_answer.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::f16_matrices_test {

using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using Json = nlohmann::json;

class F16MatricesTest : public ::testing::Test {
 protected:
  F16MatricesTest() {
    std::string lines;
    for (size_t i = 0; i < 40; ++i) {
      lines += ReadLines(DemoDirectory() / "data" / "test.en").at(i) + "\n";
    }
    WriteFile(text(), lines);
  }

  std::string text() const { return folder_.path() / "text"; }
  std::string output() const { return folder_.path() / "demo.ltm"; }

  Outcome Convert(std::vector<std::string> more) const {
    more.insert(more.begin(), {SmallDemoDirectory().string(), "-o", output()});
    return RunProgram("latimer-convert", more);
  }
  Json ConvertToJson(std::vector<std::string> more) const {
    more.insert(more.end(), {"--certify", text(), "--json"});
    const Outcome outcome = Convert(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  }

  TempFolder folder_;
};

TEST_F(F16MatricesTest, TheCertificateShowsWhatKeepingThemGains) {
  const Json int8 = ConvertToJson({})["certificate"];
  EXPECT_LT(int8["agreement"].get<double>(), 1);
  EXPECT_THAT(int8["snr_db"]["encoder"].get<std::vector<double>>(),
              Each(Lt(50)));
  // The encoder reads rows of the output matrix.
  const Json kept =
      ConvertToJson({"--keep-f16", "encoder.*", "--keep-f16", "output"});
  EXPECT_EQ(kept["weights"], "int8");
  EXPECT_EQ(kept["matrices"]["encoder.1.ffn.out"], "f16");
  EXPECT_EQ(kept["matrices"]["output"], "f16");
  EXPECT_FALSE(kept["matrices"].contains("decoder.0.ffn.in"));
  const Json& certificate = kept["certificate"];
  EXPECT_GT(certificate["agreement"].get<double>(),
            int8["agreement"].get<double>());
  EXPECT_THAT(certificate["snr_db"]["encoder"].get<std::vector<double>>(),
              Each(Gt(60)));
  EXPECT_THAT(certificate["snr_db"]["decoder"].get<std::vector<double>>(),
              Each(Lt(50)));
}

TEST_F(F16MatricesTest, AutoKeepsThemWhereInt8LosesTooMuch) {
  const Json json =
      ConvertToJson({"--weights", "auto", "--max-loss", "0.0025"});
  const Json& chosen = json["chosen"];
  EXPECT_GT(chosen["int8_loss"].get<double>(), 0.0025);
  EXPECT_LE(chosen["f16_loss"].get<double>(), 0.0025);
  EXPECT_LE(chosen["loss"].get<double>(), 0.0025);
  EXPECT_NEAR(json["certificate"]["agreement"].get<double>(),
              1 - chosen["loss"].get<double>(), 1e-9);
  size_t f16 = 0, fewer = 0;
  for (const auto& [name, kind] : chosen["kinds"].items()) {
    (kind["type"] == "f16" ? f16 : fewer) += 1;
  }
  EXPECT_GE(f16, 1u);
  EXPECT_GE(fewer, 1u);
}

TEST_F(F16MatricesTest, TheFileNamesThemAndTranslates) {
  const Outcome converted =
      Convert({"--weights", "int4", "--keep-f16", "decoder.ffn", "--profile",
               (folder_.path() / "profile.h").string()});
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_THAT(converted.out, HasSubstr("matrices int4"));
  EXPECT_THAT(converted.out, HasSubstr(" matrices f16; "));
  const std::string profile = ReadFile(folder_.path() / "profile.h");
  EXPECT_THAT(profile, HasSubstr(".f16_weights = true"));
  EXPECT_THAT(profile, HasSubstr(".int8_weights = true"));
  const Outcome inspected =
      RunProgram("latimer", {"inspect", output(), "--json"});
  const Json json = Json::parse(inspected.out);
  EXPECT_GT(json["f16_matrices"], 0);
  EXPECT_GT(json["int4_matrices"], 0);
  EXPECT_EQ(json["weights"], "int8");
  EXPECT_EQ(RunProgram("latimer", {"translate", output(), "--text",
                                   "Where is the station?"})
                .out,
            "Wo ist der Bahnhof?\n");
  // Its last bits depend on the CPU.
  EXPECT_THAT(RunProgram("latimer", {"doctor", output()}).out,
              HasSubstr("none in this file"));
}

TEST_F(F16MatricesTest, WrongNamesAndTypesAreRefused) {
  EXPECT_THAT(Convert({"--keep-f16", "decoder.ffm"}).err,
              HasSubstr("--keep-f16 decoder.ffm: no matrix has such a name; "
                        "there are encoder.0.ffn.in, output, "));
  EXPECT_THAT(Convert({"--keep-f16", "*"}).err,
              HasSubstr("keeps all matrices; give --weights f16 instead."));
  EXPECT_THAT(Convert({"--keep-f16", "output", "--weights", "f16"}).err,
              HasSubstr("--keep-f16 is for int8, int6 and int4 weights"));
  EXPECT_THAT(Convert({"--keep-f16", "output", "--weights", "auto", "--certify",
                       text()})
                  .err,
              HasSubstr("--weights auto chooses itself what is f16"));
}

TEST_F(F16MatricesTest, ANumberThatIsNotFiniteIsRefused) {
  const MatrixTypes types = {{"output", WeightType::kF16}};
  WriteOptions write = OptionsForThisCpu();
  write.types = &types;
  const ModelBytes file = WriteModel(
      OpenModel(TinyModel("no_scale"), /*with_tokenizer=*/false), write);
  Image image(file.bytes());
  for (schema::Tensor* tensor : *image.root().mutable_tensors()) {
    if (tensor->dtype() != schema::DType::Float16) continue;
    tensor->mutable_data()->Mutate(0, 0x00);
    tensor->mutable_data()->Mutate(1, 0x7c);
  }
  image.FixChecksum();
  Translator translator;
  EXPECT_THAT(translator.Load(image.bytes(), &test_workspace).message(),
              HasSubstr("tensor output has a number that is not finite"));
}

}  // namespace latimer::f16_matrices_test
