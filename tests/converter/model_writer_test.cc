// The model file: its bytes, its tensors, and what is refused before any work.
// Tests converter/model_writer.cc, converter/model_tables.cc,
// converter/tensor_plan.cc.
#include "converter/model_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "converter/readers/open_model.h"
#include "model/model_file.h"
#include "model_generated.h"
#include "ops/xnnpack/gemm.h"
#include "tests/converter/model_folder.h"

namespace latimer::model_writer_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

CanonicalModel ReadTiny(const fs::path& path) {
  return ReadHuggingFaceBart(path, /*with_tokenizer=*/false);
}

ModelBytes Convert(const fs::path& path, const WriteOptions& options) {
  return WriteModel(ReadTiny(path), options);
}

struct Packing {
  const char* name;
  WriteOptions options;
};

const Packing kPackings[] = {
    {"f32", {.weights = WeightType::kF32, .tile = {}, .progress = {}}},
    {"8x8", {.tile = Tile::k8x8, .progress = {}}},
    {"16x8", {.tile = Tile::k16x8, .progress = {}}},
    {"f32_4x1",
     {.weights = WeightType::kF32, .f32_tile = Tile::k4x1, .progress = {}}},
    {"16x4", {.tile = Tile::k16x4, .progress = {}}},
    {"4x4", {.tile = Tile::k4x4, .progress = {}}},
    {"4x8", {.tile = Tile::k4x8, .progress = {}}},
    {"8x2s4", {.tile = Tile::k8x2s4, .progress = {}}},
    {"8x16", {.tile = Tile::k8x16, .progress = {}}},
};

class ModelWriterTest : public ::testing::TestWithParam<Packing> {};

INSTANTIATE_TEST_SUITE_P(Packings, ModelWriterTest,
                         ::testing::ValuesIn(kPackings),
                         [](const auto& packing) {
                           return std::string(packing.param.name);
                         });

TEST_P(ModelWriterTest, TheSameInputGivesTheSameBytes) {
  for (const char* name : {"no_scale", "bad_words", "untied", "bfloat16"}) {
    const ModelBytes a = Convert(TinyModelsFolder() / name, GetParam().options);
    const TinyModelCopy copy(name);
    CanonicalModel model = ReadTiny(copy.path());
    model.source = name;  // By default the folder's name.
    const ModelBytes b = WriteModel(model, GetParam().options);
    ASSERT_EQ(a.bytes().size(), b.bytes().size());
    EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes())) << name;
  }
}

TEST_P(ModelWriterTest, TheWholeFileVerifiesAndIsIdentified) {
  const ModelBytes file =
      Convert(TinyModelsFolder() / "separate_untied", GetParam().options);
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.bytes().data());
  flatbuffers::Verifier verifier(bytes, file.bytes().size());
  EXPECT_TRUE(schema::VerifyModelBuffer(verifier));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes) + 4, 4), "LTMR");
  const schema::Model& model = *schema::GetModel(bytes);
  EXPECT_EQ(model.format_version(), kOldestFormatVersion);
  EXPECT_EQ(model.file_bytes(), file.bytes().size());
  EXPECT_EQ(model.tokenizer(), nullptr);
  EXPECT_THAT(model.provenance()->converter()->str(),
              HasSubstr("latimer-convert"));
  EXPECT_EQ(model.provenance()->model_version(), nullptr);
}

TEST_P(ModelWriterTest, EachTensorLiesAtAMultipleOf64) {
  const ModelBytes file =
      Convert(TinyModelsFolder() / "odd_d_model_gelu_new", GetParam().options);
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.bytes().data());
  const auto& tensors = *schema::GetModel(bytes)->tensors();
  EXPECT_EQ(tensors.size(), 39u);  // 3 encoder layers, 1 decoder layer.
  const uint8_t* previous = bytes;
  for (const schema::Tensor* tensor : tensors) {
    const uint8_t* data = tensor->data()->data();
    EXPECT_EQ((data - bytes) % 64, 0) << tensor->name()->str();
    // In the order in which translation reads them.
    EXPECT_GT(data, previous) << tensor->name()->str();
    previous = data;
    if (tensor->bias() == nullptr) continue;
    previous = tensor->bias()->Data();
    EXPECT_EQ((previous - bytes) % 64, 0) << tensor->name()->str();
    EXPECT_GT(previous, data) << tensor->name()->str();
  }
}

TEST_P(ModelWriterTest, TheRuntimeLoadsWhatWasWritten) {
  for (const auto& entry : fs::directory_iterator(TinyModelsFolder())) {
    const ModelBytes file = Convert(entry.path(), GetParam().options);
    const auto model = std::make_unique<Model>();
    const Status status = ReadModelFile(file.bytes(), true, model.get());
    EXPECT_TRUE(status.ok()) << entry.path() << ": " << status.message();
    EXPECT_EQ(model->tile, GetParam().options.weights == WeightType::kF32
                               ? GetParam().options.f32_tile
                               : GetParam().options.tile);
  }
}

// Compares one row of a packed matrix with the source's.
void ExpectRow(const Model& model, const Linear& linear, uint32_t row,
               const SourceTensor& source, uint32_t source_row) {
  std::vector<float> unpacked(linear.k), expected(linear.k);
  UnpackRow(model.weight_type, model.tile, linear, row, unpacked.data());
  source.Read(uint64_t{source_row} * linear.k, expected);
  float largest = 0;
  for (const float value : expected) {
    largest = std::max(largest, std::fabs(value));
  }
  const float tolerance =
      model.weight_type == WeightType::kInt8 ? 0.5001f * largest / 127 : 0.0f;
  for (uint32_t i = 0; i < linear.k; ++i) {
    ASSERT_NEAR(unpacked[i], expected[i], tolerance)
        << source.name << " row " << source_row << " column " << i;
  }
}

TEST_P(ModelWriterTest, EachRowOfAFusedProjectionHoldsItsSource) {
  const CanonicalModel source = ReadTiny(TinyModelsFolder() / "no_scale");
  const ModelBytes file = WriteModel(source, GetParam().options);
  const auto model = std::make_unique<Model>();
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, model.get()).ok());
  const CanonicalLinear& parts =
      source.linears.at("decoder.1.self_attention.qkv");
  const Linear& qkv = model->tensors.decoder[1].self_qkv;
  ASSERT_EQ(qkv.n, 72u);
  for (uint32_t row = 0; row < qkv.n; ++row) {
    ExpectRow(*model, qkv, row, *parts.weights[row / 24], row % 24);
  }
  const Linear& output = model->tensors.output;
  for (uint32_t row = 0; row < output.n; ++row) {
    ExpectRow(*model, output, row, *source.linears.at("output").weights[0],
              row);
  }
}

TEST_P(ModelWriterTest, TheBiasOfAFusedProjectionIsThatOfItsParts) {
  const CanonicalModel source = ReadTiny(TinyModelsFolder() / "no_scale");
  const ModelBytes file = WriteModel(source, GetParam().options);
  const auto model = std::make_unique<Model>();
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, model.get()).ok());
  const CanonicalLinear& parts =
      source.linears.at("decoder.1.self_attention.qkv");
  const Linear& qkv = model->tensors.decoder[1].self_qkv;
  ASSERT_NE(qkv.bias, nullptr);
  for (uint32_t part = 0; part < 3; ++part) {
    EXPECT_EQ(
        std::vector<float>(qkv.bias + part * 24, qkv.bias + (part + 1) * 24),
        parts.biases[part]->Values());
  }
}

TEST_P(ModelWriterTest, ABiasOfZerosIsNotStored) {
  CanonicalModel source = ReadTiny(TinyModelsFolder() / "no_scale");
  const auto size = [&] {
    return WriteModel(source, GetParam().options).bytes().size();
  };
  const size_t with_bias = size();
  source.linears.at("output").biases = {nullptr};
  EXPECT_LE(size() + 100 * sizeof(float), with_bias);
  const ModelBytes file = WriteModel(source, GetParam().options);
  const auto model = std::make_unique<Model>();
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, model.get()).ok());
  EXPECT_EQ(model->tensors.output.bias, nullptr);
}

TEST_P(ModelWriterTest, ATiedEmbeddingIsStoredOnce) {
  TinyModelCopy model;
  const ModelBytes tied = Convert(model.path(), GetParam().options);
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    StoredTensor other = Named(tensors, "model.shared.weight");
    other.name = "model.decoder.embed_tokens.weight";
    other.data[0] = static_cast<char>(other.data[0] ^ 1);
    tensors.push_back(other);
  });
  const ModelBytes untied = Convert(model.path(), GetParam().options);
  // The source embedding, [100, 24].
  const size_t matrix = GetParam().options.weights == WeightType::kF32
                            ? 100 * 24 * sizeof(float)
                            : 100 * 24;
  EXPECT_GE(untied.bytes().size(), tied.bytes().size() + matrix);
  EXPECT_LT(untied.bytes().size(), tied.bytes().size() + 2 * matrix);
}

std::string EditedTensorError(const std::string& tensor, float value) {
  TinyModelCopy model("learned_positions");
  model.EditTensors([&](std::vector<StoredTensor>& tensors) {
    std::string& data = Named(tensors, tensor).data;
    std::memcpy(data.data() + data.size() - sizeof(value), &value,
                sizeof(value));
  });
  return ErrorOf([&] { (void)Convert(model.path(), {}); });
}

TEST(ModelWriterTest, RefusesANumberThatIsNotFiniteAnywhere) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string layer = "model.encoder.layers.0.";
  EXPECT_THAT(EditedTensorError(layer + "fc1.weight", kNan),
              AllOf(HasSubstr("fc1.weight"), HasSubstr("not finite")));
  EXPECT_THAT(EditedTensorError(layer + "self_attn.v_proj.weight", -kInfinity),
              HasSubstr("v_proj.weight"));
  EXPECT_THAT(EditedTensorError(layer + "fc1.bias", kNan),
              HasSubstr("encoder.0.ffn.in.bias"));
  EXPECT_THAT(EditedTensorError("final_logits_bias", kInfinity),
              HasSubstr("output.bias"));
  EXPECT_THAT(EditedTensorError(layer + "final_layer_norm.weight", kNan),
              HasSubstr("encoder.0.ffn.norm.gamma"));
  EXPECT_THAT(
      EditedTensorError("model.decoder.embed_positions.weight", kInfinity),
      HasSubstr("target_positions"));
}

TEST(ModelWriterTest, RefusesAModelBeyondTheProfileBeforeAnyWork) {
  const auto error = [](auto edit) {
    CanonicalModel model = ReadTiny(TinyModelsFolder() / "no_scale");
    edit(model.architecture);
    return ErrorOf([&] { (void)WriteModel(model, {}); });
  };
  EXPECT_THAT(error([](Architecture& a) { a.d_model = 1 << 14; }),
              AllOf(HasSubstr("d_model is 16384"), HasSubstr("up to")));
  EXPECT_THAT(error([](Architecture& a) { a.encoder_ffn = 1 << 20; }),
              HasSubstr("encoder d_ffn"));
  EXPECT_THAT(error([](Architecture& a) { a.decoder_ffn = 1 << 20; }),
              HasSubstr("decoder d_ffn"));
  EXPECT_THAT(error([](Architecture& a) { a.encoder_layers = 99; }),
              HasSubstr("encoder layer count"));
  EXPECT_THAT(error([](Architecture& a) { a.decoder_layers = 99; }),
              HasSubstr("decoder layer count"));
  EXPECT_THAT(error([](Architecture& a) { a.encoder_heads = 24; }),
              HasSubstr("encoder head count is 24"));
  EXPECT_THAT(error([](Architecture& a) { a.decoder_heads = 24; }),
              HasSubstr("decoder head count"));
  EXPECT_THAT(error([](Architecture& a) { a.source_vocabulary = 1 << 20; }),
              HasSubstr("source vocabulary"));
  EXPECT_THAT(error([](Architecture& a) { a.target_vocabulary = 1 << 20; }),
              HasSubstr("target vocabulary"));
}

TEST(ModelWriterTest, ProgressEndsAtTheWhole) {
  uint64_t last = 0, whole = 0;
  int calls = 0;
  const WriteOptions options = {.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_GT(done, last);
    last = done;
    whole = total;
    ++calls;
  }};
  const ModelBytes file = Convert(TinyModelsFolder() / "no_scale", options);
  EXPECT_EQ(last, whole);
  EXPECT_GT(calls, 40);
  EXPECT_GT(file.bytes().size(), whole);
}

TEST_P(ModelWriterTest, AFileHasTheBytesThatMemoryHas) {
  for (const char* name : {"no_scale", "separate_untied"}) {
    const ModelBytes memory =
        Convert(TinyModelsFolder() / name, GetParam().options);
    TempFolder folder;
    OutputFile file(folder.path() / "model.ltm");
    WriteOptions options = GetParam().options;
    options.file = &file;
    const ModelBytes written = Convert(TinyModelsFolder() / name, options);
    EXPECT_TRUE(std::ranges::equal(written.bytes(), memory.bytes())) << name;
    file.Commit();
    const std::string bytes = ReadFile(folder.path() / "model.ltm");
    EXPECT_TRUE(std::ranges::equal(
        std::as_bytes(std::span(bytes.data(), bytes.size())), memory.bytes()))
        << name;
  }
}

TEST(ModelWriterTest, RefusesAModelBeyondTheFormatBeforeAnyWork) {
  CanonicalModel model = ReadTiny(TinyModelsFolder() / "no_scale");
  // Its tensors do not have these sizes, but they are not read.
  model.architecture.target_vocabulary = 262144;
  model.architecture.d_model = 1024;
  model.architecture.decoder_layers = 12;
  model.architecture.decoder_ffn = 8192;
  model.architecture.source_embedding_tied = false;
  model.architecture.source_vocabulary = 262144;
  EXPECT_THAT(ErrorOf([&] {
                (void)WriteModel(model,
                                 {.weights = WeightType::kF32, .progress = {}});
              }),
              AllOf(HasSubstr("holds at most 2147483584"),
                    HasSubstr("--weights int8")));
}

}  // namespace latimer::model_writer_test
