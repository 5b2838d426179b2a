#include "converter/readers/huggingface_t5.h"

#include <cmath>

#include "converter/check_sizes.h"
#include "converter/readers/license.h"
#include "converter/readers/model_tokenizer.h"
#include "converter/readers/relative_bias.h"
#include "converter/readers/t5_config.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/tensor_map.h"
#include "converter/readers/tie_embeddings.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

class T5Mapper {
 public:
  T5Mapper(const T5Config& config, TensorMap& map, CanonicalModel* model)
      : config_(config), map_(map), model_(*model) {}

  void MapAll() {
    const Architecture& a = model_.architecture;
    MapEmbeddings();
    for (uint32_t i = 0; i < a.encoder_layers; ++i) {
      const std::string from = "encoder.block." + std::to_string(i) + ".layer.";
      const std::string to = "encoder." + std::to_string(i);
      MapSelfAttention(from + "0", to, a.encoder_attention_width());
      MapFeedForward(from + "1", to, a.encoder_ffn);
    }
    for (uint32_t i = 0; i < a.decoder_layers; ++i) {
      const std::string from = "decoder.block." + std::to_string(i) + ".layer.";
      const std::string to = "decoder." + std::to_string(i);
      MapSelfAttention(from + "0", to, a.decoder_attention_width());
      MapCrossAttention(from + "1", to, a.decoder_attention_width());
      MapFeedForward(from + "2", to, a.decoder_ffn);
    }
    MapNorm("encoder.final_layer_norm", "encoder.norm");
    MapNorm("decoder.final_layer_norm", "decoder.norm");
    if (config_.scale_output) {
      // Only the output reads this norm, so that its gamma can take the factor.
      model_.norms.at("decoder.norm").gamma_scale =
          static_cast<float>(1.0 / std::sqrt(static_cast<double>(a.d_model)));
    }
    MapRelativeBias("encoder", a.source_positions, a.encoder_heads);
    MapRelativeBias("decoder", a.target_positions, a.decoder_heads);
    // In the first uploads, read by nothing.
    map_.Ignore(
        "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias."
        "weight");
  }

 private:
  void Add(const std::string& to, const std::vector<std::string>& from,
           uint64_t outputs, uint64_t inputs) {
    CanonicalLinear linear;
    for (const std::string& name : from) {
      linear.weights.push_back(
          map_.Require(name + ".weight", {outputs, inputs}));
      linear.biases.push_back(nullptr);
    }
    model_.linears.emplace(to, std::move(linear));
  }

  void MapNorm(const std::string& from, const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    model_.norms.emplace(to,
                         CanonicalNorm{map_.Require(from + ".weight", {d})});
  }

  void MapSelfAttention(const std::string& from, const std::string& to,
                        uint64_t width) {
    const uint64_t d = model_.architecture.d_model;
    const std::string attention = from + ".SelfAttention.";
    Add(to + ".self_attention.qkv",
        {attention + "q", attention + "k", attention + "v"}, width, d);
    Add(to + ".self_attention.out", {attention + "o"}, d, width);
    MapNorm(from + ".layer_norm", to + ".self_attention.norm");
  }

  void MapCrossAttention(const std::string& from, const std::string& to,
                         uint64_t width) {
    const uint64_t d = model_.architecture.d_model;
    const std::string attention = from + ".EncDecAttention.";
    Add(to + ".cross_attention.query", {attention + "q"}, width, d);
    Add(to + ".cross_attention.kv", {attention + "k", attention + "v"}, width,
        d);
    Add(to + ".cross_attention.out", {attention + "o"}, d, width);
    MapNorm(from + ".layer_norm", to + ".cross_attention.norm");
  }

  void MapFeedForward(const std::string& from, const std::string& to,
                      uint64_t ffn) {
    const uint64_t d = model_.architecture.d_model;
    const std::string dense = from + ".DenseReluDense.";
    if (model_.architecture.gated_ffn) {
      Add(to + ".ffn.in", {dense + "wi_0", dense + "wi_1"}, ffn, d);
    } else {
      Add(to + ".ffn.in", {dense + "wi"}, ffn, d);
    }
    Add(to + ".ffn.out", {dense + "wo"}, d, ffn);
    MapNorm(from + ".layer_norm", to + ".ffn.norm");
  }

  // A file may hold a tied matrix under any of its names, or under all. A name
  // that it has wins, as in transformers 5; equal matrices are stored once.
  void MapEmbeddings() {
    Architecture& a = model_.architecture;
    const std::string shared = "shared.weight";
    const std::string source = "encoder.embed_tokens.weight";
    const std::string target = "decoder.embed_tokens.weight";
    const std::string head = "lm_head.weight";
    const std::vector<uint64_t> shape = {a.source_vocabulary, a.d_model};
    map_.Ignore(shared);
    std::vector<std::string> names = {shared, target, source};
    const auto one_of = [&](const std::string& first, bool or_others) {
      std::vector<std::string> all = {first};
      if (or_others) all.insert(all.end(), names.begin(), names.end());
      return map_.RequireOneOf(all, shape);
    };
    const SourceTensor* output_matrix = one_of(head, !config_.own_output);
    if (!config_.own_output) names.push_back(head);
    const SourceTensor* source_matrix = one_of(source, true);
    const SourceTensor* target_matrix = one_of(target, true);
    model_.linears["output"] = {{output_matrix}, {nullptr}};
    TieEmbeddings(source_matrix, target_matrix, output_matrix, &model_);
  }

  // The first layer's serves all.
  void MapRelativeBias(const std::string& stack, uint32_t positions,
                       uint64_t heads) {
    const std::vector<uint64_t> shape = {config_.buckets, heads};
    const SourceTensor* biases = map_.Require(
        stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight",
        shape);
    // Finish will throw.
    if (biases == nullptr || biases->shape != shape) return;
    const RelativeBuckets buckets = {.both_ways = stack == "encoder",
                                     .count = config_.buckets,
                                     .max_distance = config_.max_distance};
    model_.tables[stack + ".relative_bias"] =
        BiasByDistance(buckets, *biases, positions);
  }

  const T5Config& config_;
  TensorMap& map_;
  CanonicalModel& model_;
};

}  // namespace

CanonicalModel ReadHuggingFaceT5(const fs::path& directory, bool with_tokenizer,
                                 const PositionLimits& limits) {
  const T5Config config = ReadT5Config(directory, limits);
  CheckSizes(config.architecture);
  const fs::path weights = FindWeights(directory);
  const std::shared_ptr<const TensorFile> file = OpenTensorFile(weights);

  CanonicalModel model;
  model.architecture = config.architecture;
  model.generation = config.generation;
  model.warnings = config.warnings;
  model.storage = file;
  TensorMap map(*file);
  T5Mapper(config, map, &model).MapAll();
  map.Finish(weights, "config.json");

  model.source = config.name.empty()
                     ? fs::weakly_canonical(directory).filename().string()
                     : config.name;
  model.license = ReadLicense(directory);
  if (with_tokenizer) ReadModelTokenizer(directory, &model);
  return model;
}

}  // namespace latimer
