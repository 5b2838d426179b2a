#include "converter/readers/native_marian.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converter/check_sizes.h"
#include "converter/error.h"
#include "converter/readers/license.h"
#include "converter/readers/native_marian_config.h"
#include "converter/readers/native_marian_files.h"
#include "converter/readers/native_marian_vocabulary.h"
#include "converter/readers/tensor_map.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr char kModelOptions[] = "special:model.yml";
// Sinusoids have no end; so many rows unless decoder.yml says how many, and at
// most so many: longer texts are split.
constexpr uint32_t kPositions = 512;
constexpr uint32_t kMostPositions = 1024;

// The file, and its tensors in the shapes of CanonicalModel: vectors [n], not
// [1, n], layers [outputs, inputs].
struct NativeTensors {
  std::unique_ptr<TensorFile> file;
  TensorMap::Tensors tensors;
};

// Whether Marian stores it as [inputs, outputs]: PREFIX_W and one letter or
// digit at most. Embeddings, Wpos and ff_logit_out_Wt have outputs first.
bool IsLayer(std::string_view name) {
  const size_t at = name.rfind("_W");
  if (at == std::string_view::npos) return false;
  const std::string_view suffix = name.substr(at + 2);
  return suffix.empty() || (suffix.size() == 1 && suffix != "t");
}

std::shared_ptr<NativeTensors> OpenTensors(const fs::path& path) {
  auto native = std::make_shared<NativeTensors>();
  native->file = OpenTensorFile(path);
  for (const auto& [name, tensor] : native->file->tensors()) {
    SourceTensor& seen = native->tensors[name] = tensor;
    if (tensor.shape.size() == 2 && IsLayer(name)) {
      seen = tensor.Transposed();
    } else if (tensor.shape.size() == 2 && tensor.shape[0] == 1) {
      seen.shape = {tensor.shape[1]};
      seen.transposed = false;
    }
  }
  return native;
}

// Marian's sinusoids: sines in the first half of a row, cosines in the second
// (SinusoidalPositionEmbeddings in marian-dev's tensor_operators.cpp). The
// D / 2 - 1 is Marian's own; Hugging Face's conversion has D / 2.
std::vector<float> MarianPositions(uint32_t positions, uint32_t d_model) {
  std::vector<float> table(size_t{positions} * d_model);
  const uint32_t sines = d_model / 2;
  const double increment = std::log(10000.0) / (d_model / 2.0 - 1.0);
  for (uint32_t p = 0; p < positions; ++p) {
    for (uint32_t i = 0; i < d_model; ++i) {
      const double angle = p * std::exp(-increment * (i % sines));
      table[size_t{p} * d_model + i] =
          static_cast<float>(i < sines ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

class NativeMapper {
 public:
  NativeMapper(const NativeMarianConfig& config, TensorMap& map,
               CanonicalModel* model)
      : config_(config), map_(map), model_(*model) {}

  void MapAll() {
    MapEmbeddings();
    const Architecture& a = model_.architecture;
    for (const char* stack : {"encoder", "decoder"}) {
      const std::string name = stack;
      if (a.embedding_norm)
        MapNorm(name + "_emb", "_pre", name + ".embedding_norm");
      if (a.final_norm) MapNorm(name + "_top", "", name + ".norm");
    }
    for (uint32_t i = 0; i < a.encoder_layers; ++i) {
      const std::string from = "encoder_l" + std::to_string(i + 1);
      const std::string to = "encoder." + std::to_string(i);
      MapSelfAttention(from + "_self", to + ".self_attention");
      MapFeedForward(from + "_ffn", to + ".ffn", a.encoder_ffn);
    }
    for (uint32_t i = 0; i < a.decoder_layers; ++i) {
      const std::string from =
          "decoder_l" + std::to_string(config_.decoder_layers[i]);
      const std::string to = "decoder." + std::to_string(i);
      switch (a.network_kind) {
        case NetworkKind::kTransformer:
          MapSelfAttention(from + "_self", to + ".self_attention");
          break;
        case NetworkKind::kTransformerSsru:
          MapSsru(from + "_rnn", to + ".ssru");
          break;
        case NetworkKind::kGru:  // MarianOptions has refused it.
          break;
      }
      MapCrossAttention(from + "_context", to + ".cross_attention");
      MapFeedForward(from + "_ffn", to + ".ffn", a.decoder_ffn);
    }
  }

 private:
  // One part of a linear, PREFIX_Wx and PREFIX_bx.
  void AddPart(const std::string& from, const char* suffix, uint64_t outputs,
               uint64_t inputs, CanonicalLinear* linear) {
    linear->weights.push_back(
        map_.Require(from + "_W" + suffix, {outputs, inputs}));
    linear->biases.push_back(map_.Require(from + "_b" + suffix, {outputs}));
  }

  void Add(const std::string& to, const std::string& from,
           std::initializer_list<const char*> suffixes, uint64_t outputs,
           uint64_t inputs) {
    CanonicalLinear linear;
    for (const char* suffix : suffixes) {
      AddPart(from, suffix, outputs, inputs, &linear);
    }
    model_.linears.emplace(to, std::move(linear));
  }

  void MapNorm(const std::string& from, const std::string& suffix,
               const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    model_.norms.emplace(
        to, CanonicalNorm{map_.Require(from + "_ln_scale" + suffix, {d}),
                          map_.Require(from + "_ln_bias" + suffix, {d})});
  }

  // The norm before or after a sublayer, whose names may have other prefixes.
  void MapSublayerNorm(const std::string& before, const std::string& after,
                       const std::string& to) {
    const Architecture& a = model_.architecture;
    if (a.norm_kind == NormKind::kNone) return;
    const bool pre = a.norm_position == NormPosition::kPre;
    MapNorm(pre ? before : after, pre ? "_pre" : "", to + ".norm");
  }

  void MapSelfAttention(const std::string& from, const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    Add(to + ".qkv", from, {"q", "k", "v"}, d, d);
    Add(to + ".out", from, {"o"}, d, d);
    MapSublayerNorm(from + "_Wo", from + "_Wo", to);
  }

  void MapCrossAttention(const std::string& from, const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    Add(to + ".query", from, {"q"}, d, d);
    Add(to + ".kv", from, {"k", "v"}, d, d);
    Add(to + ".out", from, {"o"}, d, d);
    MapSublayerNorm(from + "_Wo", from + "_Wo", to);
  }

  void MapFeedForward(const std::string& from, const std::string& to,
                      uint64_t ffn) {
    const uint64_t d = model_.architecture.d_model;
    Add(to + ".in", from, {"1"}, ffn, d);
    Add(to + ".out", from, {"2"}, d, ffn);
    MapSublayerNorm(from + "_ffn", from + "_ffn", to);
  }

  // The candidate has no bias.
  void MapSsru(const std::string& from, const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    CanonicalLinear linear;
    linear.weights.push_back(map_.Require(from + "_W", {d, d}));
    linear.biases.push_back(nullptr);
    AddPart(from, "f", d, d, &linear);
    model_.linears.emplace(to + ".in", std::move(linear));
    MapSublayerNorm(from, from + "_ffn", to);
  }

  // Rows of a matrix whose height the options did not say.
  uint32_t Rows(const std::string& name, uint32_t rows) {
    if (rows != 0) return rows;
    const SourceTensor* tensor = map_.Take(name);
    return tensor == nullptr || tensor->shape.empty()
               ? 1
               : static_cast<uint32_t>(tensor->shape[0]);
  }

  void MapEmbeddings() {
    Architecture& a = model_.architecture;
    const uint64_t d = a.d_model;
    const bool shared = config_.shared_embeddings;
    const std::string source = shared ? "Wemb" : "encoder_Wemb";
    const std::string target = shared ? "Wemb" : "decoder_Wemb";
    a.source_vocabulary = Rows(source, a.source_vocabulary);
    a.target_vocabulary = Rows(target, a.target_vocabulary);
    const std::vector<uint64_t> target_shape = {a.target_vocabulary, d};
    const SourceTensor* source_matrix =
        map_.Require(source, {a.source_vocabulary, d});
    const SourceTensor* target_matrix = map_.Require(target, target_shape);
    const std::string output = "decoder_ff_logit_out";
    // Marian before 1.8 stored it as it does other layers.
    const SourceTensor* output_matrix =
        config_.output_tied
            ? target_matrix
            : map_.RequireOneOf({output + "_Wt", output + "_W"}, target_shape);
    const SourceTensor* bias =
        config_.output_bias ? map_.Require(output + "_b", {a.target_vocabulary})
                            : nullptr;
    model_.linears["output"] = {{output_matrix}, {bias}};
    const auto tied = [&](const SourceTensor* matrix) {
      return matrix != nullptr && output_matrix != nullptr &&
             matrix->SameAs(*output_matrix);
    };
    a.source_embedding_tied = tied(source_matrix);
    a.target_embedding_tied = tied(target_matrix);
    if (!a.source_embedding_tied) {
      model_.linears["source_embedding"] = {{source_matrix}, {nullptr}};
    }
    if (!a.target_embedding_tied) {
      model_.linears["target_embedding"] = {{target_matrix}, {nullptr}};
    }
  }

  const NativeMarianConfig& config_;
  TensorMap& map_;
  CanonicalModel& model_;
};

// Wpos where the file has it. Embeddings are scaled with sinusoids only
// (addPositionalEmbeddings in marian-dev's transformer.h).
void MapLearnedPositions(TensorMap* map, CanonicalModel* model) {
  Architecture& a = model->architecture;
  const std::string name = "Wpos";
  const SourceTensor* tensor = map->Take(name);
  if (tensor == nullptr) {
    map->NoteMissing(name);
  } else if (tensor->shape.size() != 2 || tensor->shape[0] == 0 ||
             tensor->shape[1] != a.d_model) {
    map->NoteMisshapen(name + " " + ShapeText(tensor->shape));
  } else {
    a.source_positions = static_cast<uint32_t>(tensor->shape[0]);
    std::vector<float> table(tensor->size());
    tensor->Read(0, table);
    model->tables["source_positions"] = std::move(table);
  }
}

// Rows of a table of sinusoids.
uint32_t MaxLength(const MarianOptions& options,
                   std::vector<std::string>* warnings) {
  const uint32_t length = options.Count("max-length", kPositions, 2);
  if (length <= kMostPositions) return length;
  warnings->push_back(options.name() + ": max-length is taken for " +
                      std::to_string(kMostPositions) +
                      "; longer texts are split.");
  return kMostPositions;
}

NativeMarianConfig ReadModelOptions(const NativeMarianFiles& files,
                                    const TensorFile& file) {
  const auto text = file.texts().find(kModelOptions);
  if (text == file.texts().end()) {
    throw ConversionError(files.weights.string() + ": holds no " +
                          kModelOptions +
                          ", so its options are unknown; save the model with "
                          "Marian 1.1 or later.");
  }
  const std::string name = files.weights.string() + ", " + kModelOptions;
  return ReadMarianModelOptions(
      MarianOptions(ParseYaml(text->second, name), name));
}

}  // namespace

CanonicalModel ReadNativeMarian(const fs::path& path, bool with_tokenizer) {
  const NativeMarianFiles files = FindNativeMarianFiles(path);
  const std::shared_ptr<NativeTensors> native = OpenTensors(files.weights);
  const NativeMarianConfig config = ReadModelOptions(files, *native->file);
  CheckSizes(config.architecture);

  CanonicalModel model;
  model.architecture = config.architecture;
  model.warnings = config.warnings;
  model.storage = native;
  Architecture& a = model.architecture;
  a.positions_shared = true;
  a.source_positions = kPositions;
  a.embedding_scale = 1.0f;
  if (files.decoder_options) {
    for (std::string& warning :
         CheckMarianDecoderOptions(*files.decoder_options)) {
      model.warnings.push_back(std::move(warning));
    }
    a.source_positions = MaxLength(*files.decoder_options, &model.warnings);
  }
  TensorMap map(native->tensors, native->file->unreadable());
  NativeMapper(config, map, &model).MapAll();
  const bool learned =
      a.has_positions && (config.wants_learned_positions || map.Has("Wpos"));
  if (learned) MapLearnedPositions(&map, &model);
  map.Finish(files.weights, kModelOptions);
  if (a.has_positions && !learned) {
    a.embedding_scale = std::sqrt(static_cast<float>(a.d_model));
    model.tables["source_positions"] =
        MarianPositions(a.source_positions, a.d_model);
  }
  a.target_positions = a.source_positions;

  ReadNativeVocabularies(files, with_tokenizer, &model);
  model.source =
      fs::weakly_canonical(files.weights).parent_path().filename().string() +
      "/" + files.weights.filename().string();
  model.license = ReadLicense(files.weights.parent_path());
  return model;
}

}  // namespace latimer
