// Native Marian models have the ids and logits of tests/reference's
// marian_numpy.py in every file format.
// Tests runtime/transformer/ssru.cc, converter/readers/native_marian.cc.
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "converter/readers/tensor_file.h"
#include "ops/xnnpack/pack.h"
#include "tests/system/fixture_check.h"

namespace latimer::native_marian_test {

std::filesystem::path NativeModel(const std::string& name) {
  return TestData("tiny_native") / name;
}

std::vector<std::string> NativeModelNames() {
  return NamesIn(TestData("tiny_native"));
}

// The text of ids by the vocabulary of make_tiny_native.py.
std::string Words(char language, const std::vector<int32_t>& ids) {
  std::string text;
  for (const int32_t id : ids) {
    if (id == 0) continue;  // </s>
    if (!text.empty()) text += ' ';
    text += language + std::to_string(id);
  }
  return text;
}

std::string TranslateText(Translator& translator, const std::string& source,
                          uint32_t max_target_tokens) {
  const Result<Translation> result =
      translator.Translate(source, {.max_target_tokens = max_target_tokens,
                                    .language_code = {},
                                    .fold = false,
                                    .keep_unknown = false});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? std::string(result->text) : "";
}

ModelBytes ConvertWithTokenizer(const std::filesystem::path& folder) {
  return WriteForThisCpu(OpenModel(folder, /*with_tokenizer=*/true),
                         WeightType::kF32);
}

TEST(NativeMarianTextTest, WordsOfAYmlVocabularyBecomeWords) {
  const auto folder = NativeModel("tied_target");
  const ModelBytes file = ConvertWithTokenizer(folder);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const nlohmann::json fixture = ReadFixture(folder);
  size_t rows = 0;
  for (const nlohmann::json& row : fixture["sequences"]) {
    const auto source = row["src_ids"].get<std::vector<int32_t>>();
    if (std::ranges::find(source, 1) != source.end()) continue;  // <unk>
    ++rows;
    EXPECT_EQ(TranslateText(translator, Words('s', source),
                            fixture["max_new_tokens"]),
              Words('t', row["output_ids"]));
  }
  EXPECT_GE(rows, 6u);
}

// With one vocabulary, or with one for each side.
TEST(NativeMarianTextTest, AStudentTranslatesText) {
  for (const char* name : {"student", "student_separate"}) {
    const auto folder = NativeModel(name);
    const ModelBytes file = ConvertWithTokenizer(folder);
    Translator translator;
    ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
    const nlohmann::json fixture = ReadFixture(folder);
    for (const nlohmann::json& row : fixture["texts"]) {
      EXPECT_EQ(
          TranslateText(translator, row["source"], fixture["max_new_tokens"]),
          row["target"].get<std::string>());
    }
    EXPECT_GE(fixture["texts"].size(), 6u);
  }
}

class NativeMarianModelTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, NativeMarianModelTest,
                         ::testing::ValuesIn(NativeModelNames()),
                         [](const auto& model) { return model.param; });

TEST_P(NativeMarianModelTest, IdsAndLogitsEqualTheReference) {
  ExpectFixture(NativeModel(GetParam()));
}

TEST(NativeMarianInt8Test, MostIdsAreThoseOfTheReference) {
  Agreement agreement;
  for (const std::string& name : NativeModelNames()) {
    Agreement own;
    if (!AddModel(NativeModel(name), UsableTile(), &own)) {
      GTEST_SKIP() << "no kernels here for any tile";
    }
    std::printf("%s: %zu of %zu rows, %zu of %zu tokens equal\n", name.c_str(),
                own.equal_rows, own.rows, own.equal_tokens, own.tokens);
    agreement.tokens += own.tokens;
    agreement.equal_tokens += own.equal_tokens;
  }
  // Widths of 24 quantize badly; real models agree far more.
  EXPECT_GT(10 * agreement.equal_tokens, 8 * agreement.tokens);
}

// The expected rows of these parts in the file: the source's integers, each row
// with the scale of its matrix.
std::vector<std::byte> Packed(Tile tile,
                              const std::vector<const SourceTensor*>& parts) {
  std::vector<int8_t> integers;
  std::vector<float> scales;
  for (const SourceTensor* part : parts) {
    const uint64_t inputs = part->shape.at(0), outputs = part->shape.at(1);
    std::vector<int8_t> stored(inputs * outputs);
    part->ReadIntegers(0, stored);
    for (uint64_t o = 0; o < outputs; ++o) {
      scales.push_back(part->scale);
      for (uint64_t i = 0; i < inputs; ++i) {
        integers.push_back(stored[i * outputs + o]);
      }
    }
  }
  const size_t n = scales.size(), k = integers.size() / n;
  std::vector<std::byte> packed(PackedBytes(WeightType::kInt8, tile, n, k));
  PackInt8(tile, n, k, integers.data(), scales.data(), packed.data());
  return packed;
}

TEST(NativeMarianInt8Test, IntgemmsIntegersArePackedAsTheyAre) {
  const auto folder = NativeModel("student");
  const auto source = OpenTensorFile(folder / "model.xxyy.intgemm.alphas.bin");
  const auto tensor = [&](const std::string& name) {
    return &source.tensors.at(name);
  };
  const SourceTensor embedding = tensor("Wemb")->Transposed();
  for (const Tile tile : {Tile::k8x8, Tile::k4x8, Tile::k8x2s4, Tile::k4x4}) {
    const ModelBytes bytes = ConvertModel(folder, WeightType::kInt8, tile);
    Image image(bytes.bytes());
    size_t compared = 0;
    const auto expect = [&](const std::string& name,
                            const std::vector<const SourceTensor*>& parts) {
      for (const schema::Tensor* written : *image.root().tensors()) {
        if (written->name()->str() != name) continue;
        ++compared;
        const auto data = std::as_bytes(
            std::span(written->data()->data(), written->data()->size()));
        EXPECT_TRUE(std::ranges::equal(data, Packed(tile, parts))) << name;
      }
    };
    expect("output", {&embedding});
    expect("decoder.0.ssru.in",
           {tensor("decoder_l1_rnn_W"), tensor("decoder_l1_rnn_Wf")});
    expect("encoder.1.self_attention.qkv",
           {tensor("encoder_l2_self_Wq"), tensor("encoder_l2_self_Wk"),
            tensor("encoder_l2_self_Wv")});
    expect("decoder.1.ffn.out", {tensor("decoder_l2_ffn_W2")});
    EXPECT_EQ(compared, 4u);
  }
}

}  // namespace latimer::native_marian_test
