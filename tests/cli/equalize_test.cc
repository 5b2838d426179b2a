// latimer-convert --equalize lowers the cost of quantization, and nothing else.
// Tests converter/equalize.cc.
#include "converter/equalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "converter/certify.h"
#include "converter/readers/languages.h"
#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::equalize_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Multiplies every eighth of the rows, or columns, of a tensor.
void ScaleChannels(StoredTensor* tensor, bool rows, float factor) {
  ASSERT_EQ(tensor->type, "F32");
  const uint64_t columns = tensor->shape.size() == 1 ? 1 : tensor->shape[1];
  for (size_t i = 0; i < tensor->data.size() / sizeof(float); ++i) {
    if ((rows ? i / columns : i % columns) % 8 != 0) continue;
    float value = 0;
    std::memcpy(&value, tensor->data.data() + i * sizeof(value), sizeof(value));
    value *= factor;
    std::memcpy(tensor->data.data() + i * sizeof(value), &value, sizeof(value));
  }
}

// Makes some channels inside the feed-forward layers of a Hugging Face model
// 1024 times as large as they are, and their weights behind it smaller, as in
// trained models; the model computes the same.
void AddOutliers(const std::filesystem::path& folder) {
  constexpr float kFactor = 1024.0f;
  const auto file = folder / "model.safetensors";
  std::vector<StoredTensor> tensors = ReadTensors(file);
  bool is_gated = false;
  for (const StoredTensor& tensor : tensors) {
    is_gated = is_gated || tensor.name.ends_with(".wi_1.weight");
  }
  const std::string in = is_gated ? ".wi_1.weight" : ".wi.weight";
  size_t scaled = 0;
  for (StoredTensor& tensor : tensors) {
    const auto is = [&](const std::string& end) {
      return tensor.name.ends_with(end);
    };
    if (is(in) || is(".fc1.weight") || is(".fc1.bias")) {
      ScaleChannels(&tensor, /*rows=*/true, kFactor);
      ++scaled;
    } else if (is(".wo.weight") || is(".fc2.weight")) {
      ScaleChannels(&tensor, /*rows=*/false, 1.0f / kFactor);
    }
  }
  ASSERT_GT(scaled, 0u);
  WriteFile(file, SafetensorsBytes(tensors));
}

std::string TextOfFixture(const std::string& family) {
  std::string text;
  for (const std::string& line :
       ReadLines(TestData("family_texts") / family / "fixture.jsonl")) {
    text += nlohmann::json::parse(line)["text"].get<std::string>() + "\n";
  }
  return text;
}

// A family's model with outliers, which translates between its first two
// languages if it has several.
class EqualizeTest : public ::testing::TestWithParam<std::string> {
 protected:
  EqualizeTest() {
    CopyFamily(GetParam(), folder_.path());
    AddOutliers(folder_.path());
    WriteFile(text(), TextOfFixture(GetParam()));
  }

  std::filesystem::path text() const { return folder_.path() / "text"; }

  CanonicalModel Open() const {
    CanonicalModel model = OpenModel(folder_.path(), /*with_tokenizer=*/true);
    const std::vector<Language>& languages = model.generation.languages;
    if (languages.size() > 1) {
      ChooseLanguages(languages[0].code, languages[1].code, &model.generation);
    }
    return model;
  }

  double SignalToNoise(const CanonicalModel& model) const {
    const ModelBytes f32 = WriteForThisCpu(model, WeightType::kF32);
    const ModelBytes int8 = WriteForThisCpu(model, WeightType::kInt8);
    return Certify(f32.bytes(), int8.bytes(),
                   {.text = text(), .references = {}, .progress = {}})
        .View()
        .logits_snr;
  }

  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Families, EqualizeTest,
                         ::testing::Values("t5",       // ReLU without biases
                                           "mt5",      // gated
                                           "m2m100"),  // ReLU with biases
                         [](const auto& name) { return name.param; });

TEST_P(EqualizeTest, LowersTheErrorOfQuantization) {
  CanonicalModel model = Open();
  const double before = SignalToNoise(model);
  const ProductErrors layers =
      Equalize({.text = text(), .progress = {}}, &model);
  const Architecture& a = model.architecture;
  EXPECT_EQ(layers.size(), a.encoder_layers + a.decoder_layers);
  for (const auto& [name, layer] : layers) {
    EXPECT_LT(layer.error_after, layer.error_before / 3) << name;
  }
  const double after = SignalToNoise(model);
  EXPECT_GT(after, before + 3);
}

TEST_P(EqualizeTest, KeepsEveryBitOfF32) {
  CanonicalModel model = Open();
  const ModelBytes plain = WriteForThisCpu(model, WeightType::kF32);
  ASSERT_FALSE(Equalize({.text = text(), .progress = {}}, &model).empty());
  const ModelBytes equalized = WriteForThisCpu(model, WeightType::kF32);
  ASSERT_FALSE(std::ranges::equal(plain.bytes(), equalized.bytes()));
  // In dB: no noise at all.
  EXPECT_EQ(Certify(plain.bytes(), equalized.bytes(),
                    {.text = text(), .references = {}, .progress = {}})
                .View()
                .logits_snr,
            999.0f);
}

TEST_P(EqualizeTest, LowersTheErrorOfInt4) {
  CanonicalModel model = Open();
  for (const auto& [name, layer] :
       Equalize({.text = text(), .type = WeightType::kInt4, .progress = {}},
                &model)) {
    EXPECT_LT(layer.error_after, layer.error_before) << name;
  }
}

TEST(EqualizeRefusesTest, WhatItCannotDo) {
  const TempFolder folder;
  const auto text = folder.path() / "text";
  const auto error = [&](CanonicalModel model) {
    return ErrorOf([&] { Equalize({.text = text, .progress = {}}, &model); });
  };
  WriteFile(text, "");
  const TempFolder t5;
  CopyFamily("t5", t5.path());
  EXPECT_THAT(error(OpenModel(t5.path(), /*with_tokenizer=*/true)),
              HasSubstr("nothing to translate"));
  EXPECT_THAT(error(OpenModel(t5.path(), /*with_tokenizer=*/false)),
              HasSubstr("needs a tokenizer"));
  const TempFolder bart;  // GELU, not gated
  CopyFamily("bart", bart.path());
  EXPECT_THAT(error(OpenModel(bart.path(), /*with_tokenizer=*/true)),
              HasSubstr("gated or have ReLU"));
}

TEST(EqualizeProgramTest, SaysWhatItDid) {
  const TempFolder folder;
  const std::string text = (folder.path() / "text").string();
  const std::string model = (folder.path() / "model").string();
  const std::string output = (folder.path() / "t5.ltm").string();
  CopyFamily("t5", model);
  AddOutliers(model);
  WriteFile(text, TextOfFixture("t5"));
  const Outcome result = RunProgram(
      "latimer-convert", {model, "-o", output, "--equalize", text, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto& layers = json["equalized"];
  ASSERT_FALSE(layers.empty());
  for (const auto& layer : layers) {
    EXPECT_LT(layer["error_after"].get<double>(),
              layer["error_before"].get<double>());
  }
  const Outcome f32 =
      RunProgram("latimer-convert",
                 {model, "-o", output, "--equalize", text, "--weights", "f32"});
  EXPECT_EQ(f32.code, 2);
  EXPECT_THAT(f32.err, HasSubstr("for int8, int6 and int4 weights"));
}

}  // namespace latimer::equalize_test
