#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/readers/ctranslate2_file.h"
#include "converter/readers/ctranslate2_network.h"
#include "converter/readers/ctranslate2_vocabulary.h"
#include "converter/readers/known_transformer.h"
#include "converter/readers/license.h"
#include "converter/readers/mapped_positions.h"
#include "converter/readers/mapped_tensors.h"
#include "converter/readers/open_model.h"
#include "converter/readers/whisper.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// By part; the modules of a layer. A module of cross-attention is absent from
// the encoder.
constexpr std::pair<const char*, const char*> kLinears[] = {
    {"self_attention.qkv", "self_attention/linear_0"},
    {"self_attention.out", "self_attention/linear_1"},
    {"cross_attention.query", "attention/linear_0"},
    {"cross_attention.kv", "attention/linear_1"},
    {"cross_attention.out", "attention/linear_2"},
    {"ffn.out", "ffn/linear_1"},
};
constexpr std::pair<const char*, const char*> kNorms[] = {
    {"self_attention.norm", "layer_{layer}/self_attention/layer_norm"},
    {"cross_attention.norm", "layer_{layer}/attention/layer_norm"},
    {"ffn.norm", "layer_{layer}/ffn/layer_norm"},
    {"embedding_norm", "layernorm_embedding"},
    {"norm", "layer_norm"},
};

ModelMap NamesOf(const Architecture& a, const CTranslate2File& file) {
  ModelMap names;
  names.name = Concat("CTranslate2's ", file.spec);
  const auto add = [&](const std::string& part, const std::string& module,
                       const char* weight, const char* bias) {
    PartNames& of_part = names.tensors[part];
    of_part.weight = {module + weight};
    if (*bias != '\0') of_part.bias = {module + bias};
  };
  const auto add_linear = [&](const std::string& part,
                              const std::string& module) {
    add(part, module, "/weight", "/bias");
    names.optional_bias.push_back(part);
  };
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string layer = stack + "/layer_{layer}/";
    for (const auto& [part, module] : kLinears) {
      add_linear(stack + "." + part, layer + module);
    }
    // The activation is of the first matrix, with or without a gate.
    add_linear(stack + (a.gated_ffn ? ".ffn.gate" : ".ffn.in"),
               layer + "ffn/linear_0");
    if (a.gated_ffn) {
      add_linear(stack + ".ffn.in", layer + "ffn/linear_0_noact");
    }
    const bool rms = a.norm_kind == NormKind::kRms;
    for (const auto& [part, module] : kNorms) {
      add(stack + "." + part, stack + "/" + module, "/gamma",
          rms ? "" : "/beta");
    }
    names.tensors[stack + ".positions"] = {
        .weight = {stack + "/position_encodings/encodings"}, .bias = {}};
    const std::string bias = "/self_attention/relative_attention_bias";
    names.tensors[stack + ".relative_bias"] = {
        .weight = {Concat(stack, "/layer_0", bias)}, .bias = {}};
    names.ignore.push_back(Concat(stack, "/layer_*", bias));
  }
  if (a.reads_speech()) {
    for (const std::string conv : {"conv1", "conv2"}) {
      add("encoder." + conv, "encoder/" + conv, "/weight", "/bias");
    }
  } else {
    names.tensors["source_embedding"] = {
        .weight = {CTranslate2SourceEmbedding(file)}, .bias = {}};
  }
  names.tensors["target_embedding"] = {.weight = {"decoder/embeddings/weight"},
                                       .bias = {}};
  add_linear("output", "decoder/projection");
  return names;
}

// The rows that are added to the embeddings of tokens 0, 1, ....
std::vector<float> PositionsOf(const std::string& stack, uint32_t rows,
                               MappedTensors* tensors, CanonicalModel* model) {
  const uint32_t d = model->architecture.d_model;
  const SourceTensor* table =
      tensors->TakeIfPresent(stack + ".positions").weight;
  if (table == nullptr) {  // The first token has position 1.
    return M2M100Sinusoids(rows, d, 1);
  }
  tensors->Expect(table, {table->shape[0], d});
  if (table->shape[1] != d) return {};  // Noted.
  if (table->shape[0] > rows) {
    model->warnings.push_back(Concat(
        tensors->path(), ": ", table->name, " has ", table->shape[0],
        " rows; the first ", rows, " are kept, and longer texts are split."));
  }
  std::vector<float> values(size_t{rows} * d);
  table->Read(0, values);
  return values;
}

void MapPositions(MappedTensors* tensors, CanonicalModel* model) {
  Architecture& a = model->architecture;
  std::vector<float> source =
      PositionsOf("encoder", a.source_positions, tensors, model);
  std::vector<float> target =
      PositionsOf("decoder", a.target_positions, tensors, model);
  a.positions_shared = source == target;
  if (!a.positions_shared)
    model->tables["target_positions"] = std::move(target);
  model->tables["source_positions"] = std::move(source);
}

void MapRelativeBias(const std::string& stack, const RelativeBuckets& buckets,
                     uint32_t positions, uint64_t heads, MappedTensors* tensors,
                     CanonicalModel* model) {
  const std::string part = stack + ".relative_bias";
  const SourceTensor* biases = tensors->Take(part).weight;
  const std::vector<uint64_t> shape = {buckets.count, heads};
  tensors->Expect(biases, shape);
  if (biases == nullptr || biases->shape != shape) return;  // Noted.
  model->tables[part] = BiasByDistance(buckets, *biases, positions);
}

}  // namespace

std::optional<fs::path> FindCTranslate2Folder(const fs::path& path) {
  if (fs::is_regular_file(path)) {
    if (!IsCTranslate2File(path)) return std::nullopt;
    const fs::path folder = path.parent_path();
    return folder.empty() ? fs::path(".") : folder;
  }
  for (const fs::path& folder : {path, path / "model"}) {
    if (IsCTranslate2File(folder / "model.bin")) return folder;
  }
  return std::nullopt;
}

CanonicalModel ReadCTranslate2(const fs::path& folder, bool with_tokenizer,
                               const PositionLimits& limits) {
  const fs::path path = folder / "model.bin";
  CTranslate2File file = ReadCTranslate2File(path);
  const CTranslate2Network network =
      ReadCTranslate2Network(folder, file, limits);
  ModelMap names = NamesOf(network.architecture, file);
  const auto tensors = std::make_shared<MappedTensors>(std::move(file.tensors),
                                                       path, std::move(names));
  CanonicalModel model;
  model.architecture = network.architecture;
  model.warnings = network.warnings;
  model.storage = tensors;
  MapTransformer({}, tensors.get(), &model);
  const Architecture& a = model.architecture;
  if (a.relative_attention) {
    MapRelativeBias("encoder", network.encoder_buckets, a.source_positions,
                    a.encoder_heads, tensors.get(), &model);
    MapRelativeBias("decoder", network.decoder_buckets, a.target_positions,
                    a.decoder_heads, tensors.get(), &model);
  } else {
    MapPositions(tensors.get(), &model);
  }
  tensors->Finish();
  if (a.final_norm) {
    // Only the output reads the last norm, so its gamma can take the factor.
    model.norms.at("decoder.norm").gamma_scale = network.output_scale;
  }
  model.source = fs::weakly_canonical(folder).filename().string();
  model.license = ReadLicense(folder);
  if (a.reads_speech()) {
    ReadWhisperTokens(folder,
                      {.multilingual = {},
                       .suppressed = network.config.suppressed,
                       .suppressed_first = network.config.suppressed_first,
                       .alignment_heads = network.config.alignment_heads},
                      &model);
    return model;
  }
  ReadCTranslate2Vocabularies(folder, network.config, with_tokenizer, &model);
  return model;
}

}  // namespace latimer
