// Stand-ins, all zeros, of the shapes that mozilla/firefox-translations-models
// has: tiny, base-memory and base, one vocabulary or two, up to 64,000 pieces.
// Tests converter/readers/native_marian.cc,
// converter/readers/native_marian_config.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "tests/converter/compressed_bytes.h"
#include "tests/converter/model_folder.h"

namespace latimer::student_shapes_test {

namespace fs = std::filesystem;

using ::testing::IsEmpty;

struct Shape {
  const char* name;
  uint32_t d_model, d_ffn, decoder_layers, vocabulary;
  bool two_vocabularies;
};

constexpr Shape kShapes[] = {
    {"tiny", 256, 1536, 2, 32000, false},
    {"tiny_of_16000", 256, 1536, 2, 16000, false},
    {"base_memory", 384, 1536, 4, 32000, false},
    {"base_memory_of_two", 384, 1536, 4, 32000, true},
    {"base_memory_of_64000", 384, 1536, 4, 64000, false},
    {"base", 512, 2048, 2, 32000, false},
    {"base_of_two", 512, 2048, 2, 32000, true},
    {"base_of_64000", 512, 2048, 2, 64000, false},
};
constexpr uint32_t kEncoderLayers = 6;

// All options that the repository's metadata names.
std::string OptionsOf(const Shape& shape) {
  const auto text = [](auto value) { return std::to_string(value); };
  const std::string words = text(shape.vocabulary);
  const std::string separate = shape.two_vocabularies ? "true" : "false";
  const std::string all = shape.two_vocabularies ? "false" : "true";
  return "bert-train-type-embeddings: true\nbert-type-vocab-size: 2\n"
         "dec-cell: ssru\ndec-cell-base-depth: 2\ndec-cell-high-depth: 1\n"
         "dec-depth: " +
         text(shape.decoder_layers) + "\ndim-emb: " + text(shape.d_model) +
         "\ndim-rnn: 1024\ndim-vocabs: [" + words + ", " + words +
         "]\nenc-cell: gru\nenc-cell-depth: 1\nenc-depth: " +
         text(kEncoderLayers) +
         "\nenc-type: bidirectional\nfactors-combine: sum\n"
         "factors-dim-emb: 0\ninput-types: []\nlayer-normalization: false\n"
         "lemma-dependency: \"\"\nlemma-dim-emb: 0\noutput-omit-bias: false\n"
         "right-left: false\nskip: false\ntied-embeddings: " +
         separate + "\ntied-embeddings-all: " + all +
         "\ntied-embeddings-src: false\ntransformer-aan-activation: swish\n"
         "transformer-aan-depth: 2\ntransformer-aan-nogate: false\n"
         "transformer-decoder-autoreg: rnn\ntransformer-decoder-dim-ffn: 0\n"
         "transformer-decoder-ffn-depth: 0\ntransformer-dim-aan: 2048\n"
         "transformer-dim-ffn: " +
         text(shape.d_ffn) +
         "\ntransformer-ffn-activation: relu\ntransformer-ffn-depth: 2\n"
         "transformer-guided-alignment-layer: last\ntransformer-heads: 8\n"
         "transformer-no-affine: false\ntransformer-no-bias: false\n"
         "transformer-no-projection: false\ntransformer-pool: false\n"
         "transformer-postprocess: dan\ntransformer-postprocess-emb: d\n"
         "transformer-postprocess-top: \"\"\ntransformer-preprocess: \"\"\n"
         "transformer-rnn-projection: false\ntransformer-tied-layers: []\n"
         "transformer-train-position-embeddings: false\ntype: transformer\n"
         "ulr: false\nulr-dim-emb: 0\nulr-trainable-transformation: false\n"
         "version: v1.10.25; e8a1a253 2021-12-07 17:47:33 +0000\n";
}

// Marian's .bin, of zeros: tests/reference/marian_files.py describes it.
class BinWriter {
 public:
  void AddText(const std::string& name, const std::string& text) {
    constexpr uint64_t kInt8 = 0x101;
    Add(name, kInt8, 1, static_cast<uint32_t>(text.size()), text);
  }
  void AddVector(const std::string& name, uint32_t size) {
    constexpr uint64_t kFloat32 = 0x404;
    Add(name, kFloat32, 1, size, std::string(size * sizeof(float), '\0'));
  }
  void AddMatrix(const std::string& name, uint32_t rows, uint32_t columns) {
    constexpr uint64_t kIntgemm8 = 0x4101;
    std::string data(size_t{rows} * columns, '\0');
    Add(name, kIntgemm8, rows, columns, data + Bytes(0x3f800000, 4));
  }
  void AddLayer(const std::string& prefix, const std::string& letter,
                uint32_t inputs, uint32_t outputs) {
    AddMatrix(prefix + "_W" + letter, inputs, outputs);
    AddVector(prefix + "_b" + letter, outputs);
  }
  void AddNorm(const std::string& prefix, uint32_t size) {
    AddVector(prefix + "_ln_scale", size);
    AddVector(prefix + "_ln_bias", size);
  }
  std::string Finish() const {
    std::string out =
        Bytes(1, 8) + Bytes(items_, 8) + headers_ + names_ + shapes_;
    const size_t padding = 256 - (out.size() + 8) % 256;
    return out + Bytes(padding, 8) + std::string(padding, '\0') + data_;
  }

 private:
  void Add(const std::string& name, uint64_t type, uint32_t rows,
           uint32_t columns, const std::string& data) {
    const size_t size = (data.size() + 255) / 256 * 256;
    headers_ += Bytes(name.size() + 1, 8) + Bytes(type, 8) + Bytes(2, 8) +
                Bytes(size, 8);
    names_ += name + '\0';
    shapes_ += Bytes(rows, 4) + Bytes(columns, 4);
    data_ += data + std::string(size - data.size(), '\0');
    ++items_;
  }

  uint64_t items_ = 0;
  std::string headers_, names_, shapes_, data_;
};

std::string WeightsOf(const Shape& shape) {
  BinWriter bin;
  const uint32_t d = shape.d_model;
  const auto add_attention = [&](const std::string& prefix) {
    for (const char* letter : {"q", "k", "v", "o"}) {
      bin.AddLayer(prefix, letter, d, d);
    }
    bin.AddNorm(prefix + "_Wo", d);
  };
  const auto add_ffn = [&](const std::string& layer) {
    bin.AddLayer(layer + "_ffn", "1", d, shape.d_ffn);
    bin.AddLayer(layer + "_ffn", "2", shape.d_ffn, d);
    bin.AddNorm(layer + "_ffn_ffn", d);
  };
  for (uint32_t i = 1; i <= kEncoderLayers; ++i) {
    const std::string layer = "encoder_l" + std::to_string(i);
    add_attention(layer + "_self");
    add_ffn(layer);
  }
  for (uint32_t i = 1; i <= shape.decoder_layers; ++i) {
    const std::string layer = "decoder_l" + std::to_string(i);
    bin.AddMatrix(layer + "_rnn_W", d, d);
    bin.AddLayer(layer + "_rnn", "f", d, d);
    bin.AddNorm(layer + "_rnn_ffn", d);
    add_attention(layer + "_context");
    add_ffn(layer);
  }
  if (shape.two_vocabularies) {
    bin.AddMatrix("encoder_Wemb", shape.vocabulary, d);
    bin.AddMatrix("decoder_Wemb", shape.vocabulary, d);
  } else {
    bin.AddMatrix("Wemb", shape.vocabulary, d);
  }
  bin.AddVector("decoder_ff_logit_out_b", shape.vocabulary);
  bin.AddText("special:model.yml", OptionsOf(shape) + '\0');
  return bin.Finish();
}

// A SentencePiece model: sentencepiece_model.proto.
std::string PiecesOf(const Shape& shape) {
  const auto field = [](char key, const std::string& bytes) {
    EXPECT_LT(bytes.size(), 128u);
    return key + std::string(1, static_cast<char>(bytes.size())) + bytes;
  };
  std::string out;
  for (uint32_t i = 0; i < shape.vocabulary; ++i) {
    const std::string text = i == 0   ? "</s>"
                             : i == 1 ? "<unk>"
                                      : "p" + std::to_string(i);
    const int type = i == 0 ? 3 : i == 1 ? 2 : 1;
    // Its text, score and type.
    out += field('\x0a', field('\x0a', text) + '\x15' + Bytes(0xbf800000, 4) +
                             '\x18' + Bytes(static_cast<uint64_t>(type), 1));
  }
  return out;
}

// Lists of nothing, with the checksum of that.
std::string EmptyShortlist() {
  const std::vector<uint64_t> body = {50, 50, 1, 0, 0};  // And one offset.
  uint64_t seed = 0;
  std::string bytes;
  for (const uint64_t word : body) {
    seed ^= word + 0x9e3779b9 + (seed << 6) + (seed >> 2);
    bytes += Bytes(word, 8);
  }
  return Bytes(0xF11A48D5013417F5, 8) + Bytes(seed, 8) + bytes;
}

class StudentShapesTest : public ::testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, StudentShapesTest,
                         ::testing::ValuesIn(kShapes), [](const auto& shape) {
                           return std::string(shape.param.name);
                         });

TEST_P(StudentShapesTest, ConvertsAsItIsDownloaded) {
  const Shape& shape = GetParam();
  TempFolder folder;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    WriteFile(folder.path() / (name + ".zst"), ZstandardBytes(bytes));
  };
  write("model.xxyy.intgemm.alphas.bin", WeightsOf(shape));
  write("lex.50.50.xxyy.s2t.bin", EmptyShortlist());
  if (shape.two_vocabularies) {
    write("srcvocab.xxyy.spm", PiecesOf(shape));
    write("trgvocab.xxyy.spm", PiecesOf(shape));
  } else {
    write("vocab.xxyy.spm", PiecesOf(shape));
  }
  const CanonicalModel model =
      OpenModel(folder.path(), /*with_tokenizer=*/true);
  EXPECT_THAT(model.warnings, IsEmpty());
  const Architecture& a = model.architecture;
  EXPECT_EQ(a.network_kind, NetworkKind::kTransformerSsru);
  EXPECT_EQ(a.d_model, shape.d_model);
  EXPECT_EQ(a.decoder_layers, shape.decoder_layers);
  EXPECT_EQ(a.source_vocabulary, shape.vocabulary);
  EXPECT_EQ(a.target_vocabulary, shape.vocabulary);
  EXPECT_TRUE(model.shortlist.has_value());
  EXPECT_EQ(model.shortlist->copies_source, !shape.two_vocabularies);
  const ModelBytes file = WriteModel(model, {.progress = {}});
  EXPECT_GT(file.bytes().size(), size_t{shape.vocabulary} * shape.d_model);
}

}  // namespace latimer::student_shapes_test
