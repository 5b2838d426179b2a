#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "converter/readers/known_transformer.h"
#include "converter/readers/license.h"
#include "converter/readers/mapped_tensors.h"
#include "converter/readers/metadata.h"
#include "converter/readers/native_marian_config.h"
#include "converter/readers/native_marian_files.h"
#include "converter/readers/native_marian_vocabulary.h"
#include "converter/readers/open_model.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr char kConfigEntry[] = "special:model.yml";
// Rows of a table of sinusoids, which has no natural end: the default, and the
// maximum that decoder.yml can ask for. Longer texts are split.
constexpr uint32_t kPositions = 512;
constexpr uint32_t kMostPositions = 1024;

// Whether Marian stores it as [inputs, outputs]: PREFIX_W and one letter or
// digit at most. Embeddings, Wpos and ff_logit_out_Wt have outputs first.
bool IsLayer(std::string_view name) {
  const size_t at = name.rfind("_W");
  if (at == std::string_view::npos) return false;
  const std::string_view suffix = name.substr(at + 2);
  return suffix.empty() || (suffix.size() == 1 && suffix != "t");
}

// A Marian file whose tensors have the shapes of CanonicalModel: vectors [n]
// rather than [1, n], layers [outputs, inputs].
TensorFile ReadNativeTensors(const fs::path& path) {
  TensorFile file = OpenTensorFile(path);
  for (auto& [name, tensor] : file.tensors) {
    if (tensor.shape.size() != 2) continue;
    if (IsLayer(name)) {
      tensor = tensor.Transposed();
    } else if (tensor.shape[0] == 1) {
      tensor.shape = {tensor.shape[1]};
      tensor.transposed = false;
    }
  }
  return file;
}

// Marian's sinusoids: sines in the first half of a row, cosines in the second
// (SinusoidalPositionEmbeddings in marian-dev's tensor_operators.cpp). Marian
// divides by D / 2 - 1, Hugging Face's conversion by D / 2.
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

ModelMap NamesOf(const NativeMarianConfig& config) {
  const bool pre = config.architecture.norm_position == NormPosition::kPre;
  const std::string suffix = pre ? "_pre" : "";
  ModelMap names;
  names.name = kConfigEntry;
  const auto add = [&](const std::string& part, const std::string& weight,
                       const std::string& bias) {
    names.tensors[part] = {.weight = {weight}, .bias = {bias}};
  };
  const auto add_layer = [&](const std::string& part, const std::string& prefix,
                             const std::string& letter) {
    add(part, prefix + "_W" + letter, prefix + "_b" + letter);
  };
  const auto add_norm = [&](const std::string& part, const std::string& prefix,
                            const std::string& order) {
    add(part, prefix + "_ln_scale" + order, prefix + "_ln_bias" + order);
  };
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string from = stack + "_l{layer}_";
    for (const auto& [sublayer, prefix] :
         {std::pair(stack + ".self_attention.", from + "self"),
          std::pair(stack + ".cross_attention.", from + "context")}) {
      add_layer(sublayer + "query", prefix, "q");
      add_layer(sublayer + "key", prefix, "k");
      add_layer(sublayer + "value", prefix, "v");
      add_layer(sublayer + "out", prefix, "o");
      add_norm(sublayer + "norm", prefix + "_Wo", suffix);
    }
    add_layer(stack + ".ffn.in", from + "ffn", "1");
    add_layer(stack + ".ffn.out", from + "ffn", "2");
    add_norm(stack + ".ffn.norm", from + "ffn_ffn", suffix);
    add_norm(stack + ".embedding_norm", stack + "_emb", "_pre");
    add_norm(stack + ".norm", stack + "_top", "");
  }
  const std::string rnn = "decoder_l{layer}_rnn";
  names.tensors["decoder.ssru.candidate"] = {.weight = {rnn + "_W"},
                                             .bias = {}};
  add_layer("decoder.ssru.forget", rnn, "f");
  add_norm("decoder.ssru.norm", pre ? rnn : rnn + "_ffn", suffix);

  const bool shared = config.shared_embeddings;
  const std::string target = shared ? "Wemb" : "decoder_Wemb";
  names.tensors["source_embedding"] = {
      .weight = {shared ? "Wemb" : "encoder_Wemb"}, .bias = {}};
  names.tensors["target_embedding"] = {.weight = {target}, .bias = {}};
  // Before 1.8 Marian stored it as it stores other layers.
  PartNames& output = names.tensors["output"];
  output.weight = {"decoder_ff_logit_out_Wt", "decoder_ff_logit_out_W"};
  if (config.output_tied) output.weight = {target};
  if (config.output_bias) output.bias = {"decoder_ff_logit_out_b"};
  names.tensors["source_positions"] = {.weight = {"Wpos"}, .bias = {}};
  return names;
}

// Maps the table Wpos. Embeddings are scaled only with sinusoids
// (addPositionalEmbeddings in marian-dev's transformer.h).
void MapLearnedPositions(MappedTensors* tensors, CanonicalModel* model) {
  Architecture& a = model->architecture;
  const SourceTensor* tensor = tensors->Take("source_positions").weight;
  if (tensor == nullptr) return;
  const uint64_t rows = tensor->shape.empty() ? 0 : tensor->shape[0];
  const std::vector<uint64_t> shape = {std::max<uint64_t>(rows, 1), a.d_model};
  tensors->Expect(tensor, shape);
  if (tensor->shape != shape) return;
  a.source_positions = static_cast<uint32_t>(rows);
  model->tables["source_positions"] = tensor->Values();
}

// The number of rows of a table of sinusoids.
uint32_t MaxLength(const MarianOptions& options,
                   std::vector<std::string>* warnings) {
  const uint32_t length = options.Count("max-length", kPositions, 2);
  if (length <= kMostPositions) return length;
  warnings->push_back(Concat(options.name(), ": max-length is taken for ",
                             kMostPositions, "; longer texts are split."));
  return kMostPositions;
}

NativeMarianConfig ReadModelOptions(const NativeMarianFiles& files,
                                    const TensorFile& file) {
  const auto text = file.texts.find(kConfigEntry);
  if (text == file.texts.end()) {
    FailIn(files.weights, "holds no ", kConfigEntry,
           ", so its options are unknown; save the model with Marian 1.1 or "
           "later, or give --map if it is not of Marian");
  }
  const std::string name = files.weights.string() + ", " + kConfigEntry;
  return ReadMarianModelOptions(
      MarianOptions(ParseYaml(text->second, name), name));
}

}  // namespace

CanonicalModel ReadNativeMarian(const fs::path& path, bool with_tokenizer) {
  const NativeMarianFiles files = FindNativeMarianFiles(path);
  TensorFile file = ReadNativeTensors(files.weights);
  const NativeMarianConfig config = ReadModelOptions(files, file);
  CheckSizes(config.architecture);
  const auto tensors = std::make_shared<MappedTensors>(
      std::move(file), files.weights, NamesOf(config));

  CanonicalModel model;
  model.architecture = config.architecture;
  model.warnings = config.warnings;
  model.alignment = config.alignment;
  model.warnings.insert(model.warnings.end(), files.warnings.begin(),
                        files.warnings.end());
  model.storage = tensors;
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
  std::vector<uint32_t> encoder_layers(a.encoder_layers);
  std::iota(encoder_layers.begin(), encoder_layers.end(), 1);
  // Equal embeddings are both stored if the output has another matrix, so that
  // converting a model again gives the same file as before.
  MapTransformer({.encoder_layers = encoder_layers,
                  .decoder_layers = config.decoder_layers,
                  .share_embeddings = false},
                 tensors.get(), &model);
  const bool learned = a.has_positions && (config.wants_learned_positions ||
                                           tensors->Has("source_positions"));
  if (learned) MapLearnedPositions(tensors.get(), &model);
  tensors->Finish();
  if (a.has_positions && !learned) {
    a.embedding_scale = std::sqrt(static_cast<float>(a.d_model));
    model.tables["source_positions"] =
        MarianPositions(a.source_positions, a.d_model);
  }
  a.target_positions = a.source_positions;

  ReadNativeVocabularies(files, with_tokenizer, &model);
  model.source =
      fs::weakly_canonical(files.weights).parent_path().filename().string() +
      "/" + UnpackedName(files.weights);
  model.license = ReadLicense(files.weights.parent_path());
  ReadMetadata(files.weights.parent_path(), &model);
  return model;
}

}  // namespace latimer
