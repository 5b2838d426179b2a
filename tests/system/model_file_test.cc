// Damaged model files are refused with a sentence, whatever the damage.
// Tests runtime/model/model_file.cc, runtime/model/checksum.cc,
// runtime/model/architecture_file.cc,
// runtime/model/bind_tensors.cc, runtime/model/generation_file.cc,
// runtime/model/tokenizer_file.cc, runtime/model/check_numbers.cc,
// runtime/model/errors.cc.
#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/system/damage.h"
#include "tests/system/tiny_model.h"

namespace latimer::model_file_test {

using ::testing::AnyOf;
using ::testing::HasSubstr;

Status ReadImage(std::span<const std::byte> image,
                 bool verify_checksum = true) {
  static Model model;
  return ReadModelFile(image, verify_checksum, &model);
}

const ModelBytes& SmallModel() {
  static const ModelBytes file =
      ConvertModel(TinyModel("no_scale"), WeightType::kInt8);
  return file;
}

TEST(ModelFileTest, AnUndamagedModelLoads) {
  Image image(SmallModel().bytes());
  EXPECT_TRUE(ReadImage(image.bytes()).ok());
  image.FixChecksum();
  EXPECT_TRUE(std::ranges::equal(image.bytes(), SmallModel().bytes()));
}

TEST(ModelFileTest, EveryTruncationIsRefused) {
  const std::span<const std::byte> whole = SmallModel().bytes();
  // The root table, and with it the file's size, is at the beginning.
  constexpr size_t kRootEnd = 128;
  for (size_t length = 0; length < whole.size(); ++length) {
    Image image(whole.first(length));
    const StatusCode code = ReadImage(image.bytes()).code();
    if (length < kRootEnd) {
      ASSERT_THAT(code, AnyOf(StatusCode::kNotAModel, StatusCode::kCorrupt,
                              StatusCode::kTruncated))
          << length;
    } else {
      ASSERT_EQ(code, StatusCode::kTruncated) << length;
    }
  }
}

// The file's size field says that this is all, and nobody checks the checksum.
TEST(ModelFileTest, EveryTruncationOfTheStatedSizeIsRefusedButOfPadding) {
  Image image(SmallModel().bytes());
  const size_t size = image.bytes().size();
  for (size_t length = 64; length < size; length += kEmulated ? 7 : 1) {
    Image shorter(image.bytes().first(length));
    // The size may itself be cut off.
    if (length > 128) shorter.root().mutate_file_bytes(length);
    const bool loaded = LoadsAndRuns(shorter.bytes());
    ASSERT_TRUE(!loaded || size - length < 64) << length;
  }
}

TEST(ModelFileTest, ATruncationIsToldWithBothSizes) {
  const std::span<const std::byte> whole = SmallModel().bytes();
  const Status status = ReadImage(whole.first(whole.size() - 1));
  EXPECT_THAT(status.message(),
              HasSubstr(std::to_string(whole.size() - 1) + " of its " +
                        std::to_string(whole.size()) + " bytes"));
}

TEST(ModelFileTest, EveryFlippedBitIsFoundByTheChecksum) {
  Image image(SmallModel().bytes());
  for (size_t i = 0; i < image.bytes().size(); i += kEmulated ? 11 : 1) {
    std::byte& byte = image.bytes()[i];
    for (int bit = 0; bit < 8; ++bit) {
      const auto mask = static_cast<std::byte>(1 << bit);
      byte ^= mask;
      ASSERT_FALSE(ReadImage(image.bytes()).ok())
          << "bit " << bit << " of byte " << i;
      byte ^= mask;
    }
  }
  EXPECT_TRUE(ReadImage(image.bytes()).ok());
}

TEST(ModelFileTest, NoFlippedBitOfTheStructureCrashesWithoutTheChecksum) {
  FlipBitsOfTheStructure(SmallModel());
}

TEST(ModelFileTest, FlippedBitsOfNumbersDoNotCrashWithoutTheChecksum) {
  for (const WeightType weights :
       {WeightType::kF32, WeightType::kF16, WeightType::kInt8}) {
    FlipBitsOfNumbers(ConvertModel(TinyModel("no_scale"), weights));
  }
}

TEST(ModelFileTest, BytesBehindTheFileAreIgnored) {
  const std::span<const std::byte> whole = SmallModel().bytes();
  std::vector<std::byte> longer(whole.begin(), whole.end());
  longer.resize(longer.size() + 333, std::byte{0xff});
  Image image(longer);
  EXPECT_TRUE(ReadImage(image.bytes()).ok());
}

TEST(ModelFileTest, AMisalignedImageIsTheCallersMistake) {
  const std::span<const std::byte> whole = SmallModel().bytes();
  std::vector<std::byte> shifted(whole.size() + 128);
  for (const size_t offset : {1u, 4u, 32u}) {
    const auto address = reinterpret_cast<uintptr_t>(shifted.data());
    const std::span<std::byte> image = std::span(shifted).subspan(
        (64 - address % 64) % 64 + offset, whole.size());
    std::ranges::copy(whole, image.begin());
    EXPECT_EQ(ReadImage(image).code(), StatusCode::kInvalidArgument) << offset;
  }
}

TEST(ModelFileTest, WhatIsNoModelIsSaidToBeNone) {
  for (const size_t size : {0u, 1u, 63u, 64u, 4096u}) {
    Image image(std::vector<std::byte>(size, std::byte{'x'}));
    const Status status = ReadImage(image.bytes());
    EXPECT_EQ(status.code(), StatusCode::kNotAModel) << size;
    EXPECT_THAT(status.message(), HasSubstr("latimer-convert"));
  }
}

// A contradiction that the checksum cannot show, since it is computed again.
struct Contradiction {
  const char* name;
  std::function<bool(schema::Model&)> edit;
  StatusCode code;
  const char* message;
};

schema::Tensor& TensorOf(schema::Model& root, const std::string& name) {
  for (auto* tensor : *root.mutable_tensors()) {
    if (tensor->name()->str() == name) {
      return *const_cast<schema::Tensor*>(
          static_cast<const schema::Tensor*>(tensor));
    }
  }
  ADD_FAILURE() << "no tensor " << name;
  return *root.mutable_tensors()->GetMutableObject(0);
}

// Overwrites the first character of the tensor's name.
bool Rename(schema::Model& root, const std::string& name) {
  auto* text = const_cast<char*>(TensorOf(root, name).name()->c_str());
  text[0] = 'x';
  return true;
}

bool SetShape(schema::Model& root, const std::string& name, uint32_t axis,
              uint32_t extent) {
  TensorOf(root, name).mutable_shape()->Mutate(axis, extent);
  return true;
}

// Overwrites the count in front of a vector.
bool SetSize(const void* vector, uint32_t size) {
  std::memcpy(const_cast<void*>(vector), &size, sizeof(size));
  return true;
}

// The tensor's numbers are those of another tensor, after its own.
bool TakeData(schema::Model& root, const std::string& name,
              const std::string& from) {
  auto* table = reinterpret_cast<flatbuffers::Table*>(&TensorOf(root, name));
  return table->SetPointer(
      schema::Tensor::VT_DATA,
      reinterpret_cast<const uint8_t*>(TensorOf(root, from).data()));
}

// Puts a number into the tensor's bytes, `from_end` bytes before their end.
bool SetFloat(schema::Model& root, const std::string& name, size_t from_end,
              float value) {
  auto* data = TensorOf(root, name).mutable_data();
  std::memcpy(data->Data() + data->size() - from_end, &value, sizeof(value));
  return true;
}

// The scales of an int8 matrix's last block come before as many zeros. Padding
// may follow.
bool SetLastScale(schema::Model& root, const std::string& name, float value) {
  const auto& shape = *TensorOf(root, name).shape();
  const Tile tile = UsableTile();
  const uint32_t nr = ShapeOf(tile).nr;
  const uint64_t blocks = RoundUp(shape.Get(0), nr) / nr;
  const uint64_t end =
      blocks * PackedBlockBytes(WeightType::kInt8, tile, shape.Get(1));
  return SetFloat(
      root, name,
      TensorOf(root, name).data()->size() - end + 2 * nr * sizeof(float),
      value);
}

schema::Architecture& Arch(schema::Model& root) {
  return *root.mutable_architecture();
}

schema::Generation& Rules(schema::Model& root) {
  return *root.mutable_generation();
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
constexpr StatusCode kTooLarge = StatusCode::kExceedsProfile;
using M = schema::Model;

const Contradiction kContradictions[] = {
    {"AnotherVersion", [](M& m) { return m.mutate_format_version(1); },
     StatusCode::kUnsupportedVersion, "format version 1"},
    {"SizeTooSmall",
     [](M& m) { return m.mutate_file_bytes(m.file_bytes() - 64); }, kCorrupt,
     "damaged"},
    {"SizeTooLarge",
     [](M& m) { return m.mutate_file_bytes(m.file_bytes() + 1); },
     StatusCode::kTruncated, "truncated"},
    {"SizeBeyondTheFormat",
     [](M& m) { return m.mutate_file_bytes(~uint64_t{0}); },
     StatusCode::kTruncated, "truncated"},
    {"TensorRenamed", [](M& m) { return Rename(m, "encoder.1.ffn.out"); },
     kCorrupt, "encoder.1.ffn.out differs in presence"},
    {"TensorTooWide", [](M& m) { return SetShape(m, "output", 1, 25); },
     kCorrupt, "output differs in shape"},
    {"VectorTooLong",
     [](M& m) { return SetShape(m, "decoder.0.ffn.norm.beta", 0, 48); },
     kCorrupt, "decoder.0.ffn.norm.beta differs in shape"},
    {"DataTooShort",
     [](M& m) { return SetSize(TensorOf(m, "output").data(), 64); }, kCorrupt,
     "output differs in data"},
    {"BiasTooShort",
     [](M& m) { return SetSize(TensorOf(m, "encoder.0.ffn.in").bias(), 31); },
     kCorrupt, "encoder.0.ffn.in differs in bias"},
    {"ShapeWithoutAxes",
     [](M& m) { return SetSize(TensorOf(m, "output").shape(), 0); }, kCorrupt,
     "output differs in shape"},
    {"NumbersShared",
     [](M& m) {
       return TakeData(m, "decoder.0.ffn.norm.gamma",
                       "decoder.0.ffn.norm.beta");
     },
     kCorrupt, "decoder.0.ffn.norm.beta differs in data"},
    {"NormNotANumber",
     [](M& m) { return SetFloat(m, "encoder.1.ffn.norm.gamma", 4, NAN); },
     kCorrupt, "tensor encoder.1.ffn.norm.gamma has a number"},
    {"NormInfinite",
     [](M& m) { return SetFloat(m, "encoder.1.ffn.norm.beta", 4, -kInfinity); },
     kCorrupt, "tensor encoder.1.ffn.norm.beta has a number"},
    {"BiasNotANumber",
     [](M& m) {
       TensorOf(m, "encoder.0.ffn.in").mutable_bias()->Mutate(3, NAN);
       return true;
     },
     kCorrupt, "tensor encoder.0.ffn.in has a number"},
    {"SumOfWeightsThatTheyCannotHave",
     [](M& m) {
       TensorOf(m, "output").mutable_data()->Mutate(3, 0x7F);
       return true;
     },
     kCorrupt, "output has a number that is not finite, a scale"},
    {"WeightScaleZero", [](M& m) { return SetLastScale(m, "output", 0); },
     kCorrupt, "tensor output has a number"},
    {"WeightScaleNegative",
     [](M& m) { return SetLastScale(m, "encoder.0.ffn.out", -1); }, kCorrupt,
     "tensor encoder.0.ffn.out has a number"},
    {"WeightScaleInfinite",
     [](M& m) { return SetLastScale(m, "output", kInfinity); }, kCorrupt,
     "tensor output has a number"},
    {"TensorsTooFew",
     [](M& m) { return SetSize(m.tensors(), m.tensors()->size() - 1); },
     kCorrupt, "output differs in presence"},
    {"TensorsTooMany", [](M& m) { return Arch(m).mutate_decoder_layers(1); },
     kCorrupt, "tensor"},
    {"Int8WithAnF32Tile",
     [](M& m) {
       return TensorOf(m, "output").mutate_tile(schema::Tile::Tile8x1);
     },
     kCorrupt, "output differs in type or layout"},
    {"Int8WithTheTileOfF16",
     [](M& m) {
       return TensorOf(m, "output").mutate_tile(schema::Tile::Tile16x1);
     },
     kCorrupt, "output differs in type or layout"},
    {"F16WithATileOfInt8",
     [](M& m) {
       return TensorOf(m, "output").mutate_dtype(schema::DType::Float16);
     },
     kCorrupt, "output differs in type or layout"},
    {"TilesMixed",
     [](M& m) {
       return TensorOf(m, "output").mutate_tile(schema::Tile::Tile16x8);
     },
     kCorrupt, "output differs in tile"},
    {"TileUnknown",
     [](M& m) { return TensorOf(m, "output").mutate_tile(schema::Tile{77}); },
     kCorrupt, "output differs in type or layout"},
    {"TypeUnknown",
     [](M& m) { return TensorOf(m, "output").mutate_dtype(schema::DType{9}); },
     kCorrupt, "output differs in type or layout"},
    // Rows of it are looked up.
    {"OutputOfInt4",
     [](M& m) {
       return TensorOf(m, "output").mutate_dtype(schema::DType::Int4);
     },
     kCorrupt, "output differs in type or layout"},
    {"Int4WithTheBytesOfInt8",
     [](M& m) {
       return TensorOf(m, "encoder.0.ffn.in").mutate_dtype(schema::DType::Int4);
     },
     kCorrupt, "encoder.0.ffn.in differs in data"},
    {"QuantizationMissing",
     [](M& m) {
       return TensorOf(m, "output")
           .mutate_quantization(schema::Quantization::None);
     },
     kCorrupt, "output differs in type or layout"},
    {"ScaleInfinite",
     [](M& m) { return Arch(m).mutate_embedding_scale(kInfinity); }, kCorrupt,
     "architecture"},
    {"EpsilonZero", [](M& m) { return Arch(m).mutate_norm_epsilon(0); },
     kCorrupt, "architecture"},
    {"EpsilonNotANumber", [](M& m) { return Arch(m).mutate_norm_epsilon(NAN); },
     kCorrupt, "architecture"},
    {"HeadsThatDoNotDivide",
     [](M& m) { return Arch(m).mutate_encoder_heads(5); }, kCorrupt,
     "architecture"},
    {"NoHeads", [](M& m) { return Arch(m).mutate_decoder_heads(0); }, kCorrupt,
     "decoder head count is 0"},
    {"NoLayers", [](M& m) { return Arch(m).mutate_encoder_layers(0); },
     kCorrupt, "encoder layer count is 0"},
    {"NoPositions", [](M& m) { return Arch(m).mutate_source_positions(0); },
     kCorrupt, "source position count is 0"},
    {"HeadsWithoutColumns",
     [](M& m) { return Arch(m).mutate_encoder_head_dim(0); }, kCorrupt,
     "encoder attention"},
    {"HeadsWiderThanTheProfile",
     [](M& m) { return Arch(m).mutate_decoder_head_dim(0xFFFFFFFF); },
     kTooLarge, "attention width is 8589934590"},
    {"AttentionScaleInfinite",
     [](M& m) { return Arch(m).mutate_decoder_attention_scale(kInfinity); },
     kCorrupt, "decoder attention"},
    {"NormKindUnknown",
     [](M& m) { return Arch(m).mutate_norm_kind(schema::NormKind{4}); },
     kCorrupt, "architecture"},
    {"NormsMissing",
     [](M& m) { return Arch(m).mutate_norm_kind(schema::NormKind::None); },
     kCorrupt, "differs in presence"},
    {"NetworkKindUnknown",
     [](M& m) { return Arch(m).mutate_network_kind(schema::NetworkKind{9}); },
     kCorrupt, "architecture"},
    {"AnotherNetworkKind",
     [](M& m) {
       return Arch(m).mutate_network_kind(schema::NetworkKind::TransformerSsru);
     },
     kCorrupt, "decoder.0.ssru.in differs in presence"},
    {"PositionsDenied",
     [](M& m) { return Arch(m).mutate_has_positions(false); }, kCorrupt,
     "differs in presence"},
    {"SourceSuffixOutsideTheVocabulary",
     [](M& m) {
       Rules(m).mutable_source_suffix()->Mutate(0, 100);
       return true;
     },
     kCorrupt, "token outside the vocabulary"},
    {"PositionsSharedButDifferent",
     [](M& m) { return Arch(m).mutate_source_positions(39); }, kCorrupt,
     "architecture"},
    {"ActivationUnknown",
     [](M& m) { return Arch(m).mutate_activation(schema::Activation{4}); },
     kCorrupt, "architecture"},
    {"TiedVocabulariesDiffer",
     [](M& m) { return Arch(m).mutate_source_vocabulary(99); }, kCorrupt,
     "architecture"},
    {"StartOutsideTheVocabulary",
     [](M& m) { return Rules(m).mutate_decoder_start(100); }, kCorrupt,
     "token outside the vocabulary"},
    {"PadNegative", [](M& m) { return Rules(m).mutate_pad(-2); }, kCorrupt,
     "token outside the vocabulary"},
    {"NoTargetTokens",
     [](M& m) { return Rules(m).mutate_max_target_tokens(0); }, kCorrupt,
     "generation config"},
    {"BannedTokenOutsideTheVocabulary",
     [](M& m) {
       Rules(m).mutable_banned_tokens()->Mutate(0, 100);
       return true;
     },
     kCorrupt, "token outside the vocabulary"},
    {"BannedSequenceEmpty",
     [](M& m) {
       Rules(m).mutable_banned_ends()->Mutate(0, 0);
       return true;
     },
     kCorrupt, "generation config"},
    {"BannedSequenceTooLong",
     [](M& m) {
       Rules(m).mutable_banned_ends()->Mutate(0, 2);
       return true;
     },
     kCorrupt, "generation config"},
    {"BannedTokenWithoutASequence",
     [](M& m) { return SetSize(Rules(m).banned_ends(), 0); }, kCorrupt,
     "generation config"},
    {"VocabularyTooLarge",
     [](M& m) {
       return Arch(m).mutate_source_vocabulary(1 << 30) &&
              Arch(m).mutate_target_vocabulary(1 << 30);
     },
     kTooLarge, "source vocabulary is 1073741824"},
    {"TargetVocabularyTooLarge",
     [](M& m) { return Arch(m).mutate_target_vocabulary(1 << 30); }, kTooLarge,
     "target vocabulary is 1073741824"},
    {"TooWide", [](M& m) { return Arch(m).mutate_d_model(1 << 20); }, kTooLarge,
     "d_model is 1048576"},
    {"FeedForwardTooWide",
     [](M& m) { return Arch(m).mutate_decoder_ffn(1 << 20); }, kTooLarge,
     "decoder d_ffn"},
    {"TooManyLayers", [](M& m) { return Arch(m).mutate_decoder_layers(999); },
     kTooLarge, "decoder layer count is 999"},
    {"TooManyHeads", [](M& m) { return Arch(m).mutate_encoder_heads(999); },
     kTooLarge, "encoder head count is 999"},
};

TEST(ModelFileTest, AnF32WeightThatIsNoNumberIsRefused) {
  const ModelBytes file = ConvertModel(TinyModel("no_scale"), WeightType::kF32);
  Image image(file.bytes());
  ASSERT_TRUE(ReadImage(image.bytes()).ok());
  ASSERT_TRUE(SetFloat(image.root(), "decoder.1.cross_attention.kv", 64, NAN));
  image.FixChecksum();
  const Status status = ReadImage(image.bytes());
  EXPECT_THAT(status.message(),
              HasSubstr("tensor decoder.1.cross_attention.kv has a number"));
  EXPECT_TRUE(ReadImage(image.bytes(), false).ok());
}

TEST(ModelFileTest, AnF16WeightThatIsNoNumberIsRefused) {
  const ModelBytes file = ConvertModel(TinyModel("no_scale"), WeightType::kF16);
  const char* const name = "decoder.1.cross_attention.kv";
  for (const uint16_t half : {0x7c00, 0xfc00, 0x7c01, 0xffff}) {
    Image image(file.bytes());
    ASSERT_TRUE(ReadImage(image.bytes()).ok());
    auto* data = TensorOf(image.root(), name).mutable_data();
    std::memcpy(data->Data() + data->size() - 64, &half, sizeof(half));
    image.FixChecksum();
    EXPECT_THAT(ReadImage(image.bytes()).message(),
                HasSubstr("tensor decoder.1.cross_attention.kv has a number"));
  }
}

class ModelFileContradictionTest
    : public ::testing::TestWithParam<Contradiction> {};

INSTANTIATE_TEST_SUITE_P(All, ModelFileContradictionTest,
                         ::testing::ValuesIn(kContradictions),
                         [](const auto& contradiction) {
                           return std::string(contradiction.param.name);
                         });

TEST_P(ModelFileContradictionTest, IsRefusedWithASentence) {
  Image image(SmallModel().bytes());
  ASSERT_TRUE(GetParam().edit(image.root()));
  image.FixChecksum();
  const Status status = ReadImage(image.bytes());
  EXPECT_EQ(status.code(), GetParam().code) << status.message();
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

// 110 source and 95 target tokens. If a tokenizer of 100 pieces were that of
// both sides, texts of the target would have ids without a row.
TEST(ModelFileTest, ATokenizerOfBothSidesFitsBothVocabularies) {
  CanonicalModel model = OpenModel(TinyModel("separate_vocabs"), false);
  model.tokenizer =
      OpenModel(TestData("tiny_native") / "student", true).tokenizer;
  TokenizerData& tokenizer = *model.tokenizer;
  ASSERT_LE(tokenizer.source_vocabulary, 95u);
  const auto read = [&](Spacing spacing, uint32_t pieces) {
    tokenizer.spacing = spacing;
    tokenizer.source_vocabulary = pieces;
    tokenizer.scores.resize(pieces, -1.0f);
    const ModelBytes file =
        WriteForThisCpu(model, WeightType::kInt8, UsableTile());
    return ReadImage(file.bytes());
  };
  for (const auto& [spacing, pieces] :
       {std::pair(Spacing::kSentencePiece, 100u),
        std::pair(Spacing::kMetaspace, 95u)}) {
    const Status status = read(spacing, pieces);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  const Status status = read(Spacing::kMetaspace, 96);
  EXPECT_EQ(status.code(), kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("vocabulary has a wrong size"));
}

}  // namespace latimer::model_file_test
