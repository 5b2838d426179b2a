#include "converter/readers/huggingface_bart.h"

#include <cmath>

#include "converter/check_sizes.h"
#include "converter/error.h"
#include "converter/readers/bart_config.h"
#include "converter/readers/license.h"
#include "converter/readers/marian_tokenizer.h"
#include "converter/readers/model_tokenizer.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/tensor_map.h"
#include "converter/readers/tie_embeddings.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// Sines in the first half of a row, cosines in the second. transformers'
// MarianSinusoidalPositionalEmbedding, and Pegasus' alike: frequencies
// 10000^(-2i / D).
std::vector<float> MarianSinusoids(uint32_t positions, uint32_t d_model) {
  std::vector<float> table(size_t{positions} * d_model);
  const uint32_t sines = (d_model + 1) / 2;
  for (uint32_t p = 0; p < positions; ++p) {
    for (uint32_t i = 0; i < d_model; ++i) {
      const uint32_t pair = i < sines ? i : i - sines;
      const double angle =
          p / std::pow(10000.0, 2.0 * pair / static_cast<double>(d_model));
      table[size_t{p} * d_model + i] =
          static_cast<float>(i < sines ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

// transformers' M2M100SinusoidalPositionalEmbedding, which computes in f32:
// frequencies 10000^(-i / (D/2 - 1)), a last column of zeros where D is odd.
// Row 0 is the position of the first token.
std::vector<float> M2M100Sinusoids(uint32_t positions, uint32_t d_model,
                                   uint32_t first) {
  std::vector<float> table(size_t{positions} * d_model);
  const uint32_t half = d_model / 2;
  const float step =
      static_cast<float>(std::log(10000.0) / (static_cast<double>(half) - 1));
  for (uint32_t p = 0; p < positions; ++p) {
    float* row = &table[size_t{p} * d_model];
    for (uint32_t i = 0; i < half; ++i) {
      const float frequency = std::exp(static_cast<float>(i) * -step);
      const float angle = static_cast<float>(first + p) * frequency;
      row[i] = std::sin(angle);
      row[half + i] = std::cos(angle);
    }
  }
  return table;
}

class BartMapper {
 public:
  BartMapper(const BartConfig& config, TensorMap& map, CanonicalModel* model)
      : config_(config), map_(map), model_(*model) {}

  void MapAll() {
    MapEmbeddings();
    MapPositions("encoder", "source_positions");
    MapPositions("decoder", "target_positions");
    const Architecture& a = model_.architecture;
    // What fairseq left in old files.
    for (const char* stack : {"", "model.", "model.encoder.", "model.decoder.",
                              "encoder.", "decoder."}) {
      map_.Ignore(std::string(stack) + "version");
    }
    MapStackNorms("encoder");
    for (uint32_t i = 0; i < a.encoder_layers; ++i) {
      const std::string from = "model.encoder.layers." + std::to_string(i);
      const std::string to = "encoder." + std::to_string(i);
      MapAttention(from + ".self_attn", to + ".self_attention");
      MapNorm(from + ".self_attn_layer_norm", to + ".self_attention.norm");
      MapFeedForward(from, to, a.encoder_ffn);
    }
    MapStackNorms("decoder");
    for (uint32_t i = 0; i < a.decoder_layers; ++i) {
      const std::string from = "model.decoder.layers." + std::to_string(i);
      const std::string to = "decoder." + std::to_string(i);
      MapAttention(from + ".self_attn", to + ".self_attention");
      MapNorm(from + ".self_attn_layer_norm", to + ".self_attention.norm");
      MapCrossAttention(from + ".encoder_attn", to + ".cross_attention");
      MapNorm(from + ".encoder_attn_layer_norm", to + ".cross_attention.norm");
      MapFeedForward(from, to, a.decoder_ffn);
    }
  }

 private:
  void Add(const std::string& to, const std::vector<std::string>& from,
           uint64_t outputs, uint64_t inputs) {
    CanonicalLinear linear;
    for (const std::string& name : from) {
      linear.weights.push_back(
          map_.Require(name + ".weight", {outputs, inputs}));
      linear.biases.push_back(map_.Require(name + ".bias", {outputs}));
    }
    model_.linears.emplace(to, std::move(linear));
  }

  void MapAttention(const std::string& from, const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    Add(to + ".qkv", {from + ".q_proj", from + ".k_proj", from + ".v_proj"}, d,
        d);
    Add(to + ".out", {from + ".out_proj"}, d, d);
  }

  void MapCrossAttention(const std::string& from, const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    Add(to + ".query", {from + ".q_proj"}, d, d);
    Add(to + ".kv", {from + ".k_proj", from + ".v_proj"}, d, d);
    Add(to + ".out", {from + ".out_proj"}, d, d);
  }

  void MapFeedForward(const std::string& from, const std::string& to,
                      uint64_t ffn) {
    const uint64_t d = model_.architecture.d_model;
    Add(to + ".ffn.in", {from + ".fc1"}, ffn, d);
    Add(to + ".ffn.out", {from + ".fc2"}, d, ffn);
    MapNorm(from + ".final_layer_norm", to + ".ffn.norm");
  }

  void MapNorm(const std::string& from, const std::string& to) {
    const uint64_t d = model_.architecture.d_model;
    model_.norms.emplace(to, CanonicalNorm{map_.Require(from + ".weight", {d}),
                                           map_.Require(from + ".bias", {d})});
  }

  // The norms before the first and after the last layer, where there are any.
  void MapStackNorms(const std::string& stack) {
    const Architecture& a = model_.architecture;
    if (a.embedding_norm) {
      MapNorm("model." + stack + ".layernorm_embedding",
              stack + ".embedding_norm");
    }
    if (a.final_norm) {
      MapNorm("model." + stack + ".layer_norm", stack + ".norm");
    }
  }

  // A file may hold a tied matrix under any of its names, or under all. A name
  // that it has wins; equal matrices are stored once.
  void MapEmbeddings() {
    Architecture& a = model_.architecture;
    const uint64_t d = a.d_model;
    const std::string shared = "model.shared.weight";
    const std::string source = "model.encoder.embed_tokens.weight";
    const std::string target = "model.decoder.embed_tokens.weight";
    const std::string head = "lm_head.weight";
    std::vector<std::string> source_names = {source};
    std::vector<std::string> target_names = {target};
    std::vector<std::string> output_names = {head};
    if (config_.share_embeddings) {
      source_names.push_back(shared);
      target_names.push_back(shared);
      source_names.push_back(target);
      target_names.push_back(source);
      // Unused by transformers 5 when nothing is tied, but saved all the same.
      map_.Ignore(shared);
    }
    if (config_.tie_output) {
      output_names.insert(output_names.end(), target_names.begin(),
                          target_names.end());
      target_names.push_back(head);
      if (config_.share_embeddings) source_names.push_back(head);
    }
    const SourceTensor* source_matrix =
        map_.RequireOneOf(source_names, {a.source_vocabulary, d});
    const SourceTensor* target_matrix =
        map_.RequireOneOf(target_names, {a.target_vocabulary, d});
    const SourceTensor* output_matrix =
        map_.RequireOneOf(output_names, {a.target_vocabulary, d});
    const SourceTensor* bias =
        map_.Find("final_logits_bias", {1, a.target_vocabulary});

    model_.linears["output"] = {{output_matrix}, {bias}};
    TieEmbeddings(source_matrix, target_matrix, output_matrix, &model_);
  }

  // A table in the file wins over the formula, as in transformers, but for
  // M2M100: its old files hold tables that are never read.
  void MapPositions(const std::string& stack, const std::string& to) {
    const Architecture& a = model_.architecture;
    const std::string name = "model." + stack + ".embed_positions.weight";
    if (config_.positions == BartPositions::kM2M100Sinusoids) {
      map_.Ignore(name);
      map_.Ignore("model." + stack + ".embed_positions.weights");
      model_.tables[to] =
          M2M100Sinusoids(a.source_positions, a.d_model,
                          static_cast<uint32_t>(config_.generation.pad) + 1);
      return;
    }
    const std::vector<uint64_t> shape = {
        a.source_positions + config_.position_offset, a.d_model};
    if (const SourceTensor* tensor = map_.Find(name, shape)) {
      if (tensor->shape != shape) return;  // Finish will throw.
      const size_t skipped = size_t{config_.position_offset} * a.d_model;
      std::vector<float> table(tensor->size() - skipped);
      tensor->Read(skipped, table);
      model_.tables[to] = std::move(table);
    } else if (config_.positions == BartPositions::kMarianSinusoids) {
      model_.tables[to] = MarianSinusoids(a.source_positions, a.d_model);
    } else {
      map_.Require(name, shape);
    }
  }

  const BartConfig& config_;
  TensorMap& map_;
  CanonicalModel& model_;
};

}  // namespace

CanonicalModel ReadHuggingFaceBart(const fs::path& directory,
                                   bool with_tokenizer) {
  BartConfig config = ReadBartConfig(directory);
  CheckSizes(config.architecture);
  const fs::path weights = FindWeights(directory);
  const std::shared_ptr<const TensorFile> file = OpenTensorFile(weights);

  CanonicalModel model;
  model.architecture = config.architecture;
  model.generation = config.generation;
  model.warnings = config.warnings;
  model.storage = file;
  TensorMap map(*file);
  BartMapper(config, map, &model).MapAll();
  map.Finish(weights, "config.json");

  Architecture& a = model.architecture;
  a.positions_shared = model.tables.at("source_positions") ==
                       model.tables.at("target_positions");
  if (a.positions_shared) model.tables.erase("target_positions");

  model.source = config.name.empty()
                     ? fs::weakly_canonical(directory).filename().string()
                     : config.name;
  model.license = ReadLicense(directory);
  if (!with_tokenizer) return model;
  if (config.family == BartFamily::kMarian) {
    model.tokenizer = ReadMarianTokenizer(directory, a, model.generation);
  } else {
    ReadModelTokenizer(directory, &model);
  }
  return model;
}

}  // namespace latimer
