#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "converter/readers/huggingface_model.h"
#include "converter/readers/known_transformer.h"
#include "converter/readers/open_model.h"
#include "converter/readers/relative_bias.h"
#include "converter/readers/t5_config.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// By part; the modules of a layer that have the same name in encoder and
// decoder.
constexpr std::pair<const char*, const char*> kT5LayerModules[] = {
    {"self_attention.query", "0.SelfAttention.q"},
    {"self_attention.key", "0.SelfAttention.k"},
    {"self_attention.value", "0.SelfAttention.v"},
    {"self_attention.out", "0.SelfAttention.o"},
    {"self_attention.norm", "0.layer_norm"},
    {"cross_attention.query", "1.EncDecAttention.q"},
    {"cross_attention.key", "1.EncDecAttention.k"},
    {"cross_attention.value", "1.EncDecAttention.v"},
    {"cross_attention.out", "1.EncDecAttention.o"},
    {"cross_attention.norm", "1.layer_norm"},
};

constexpr std::pair<const char*, const char*> kFeedForwardModules[] = {
    {"ffn.in", "DenseReluDense.wi"},
    {"ffn.out", "DenseReluDense.wo"},
    {"ffn.norm", "layer_norm"},
};

constexpr std::pair<const char*, const char*> kGatedModules[] = {
    {"ffn.gate", "DenseReluDense.wi_0"},
    {"ffn.in", "DenseReluDense.wi_1"},
};

constexpr char kBias[] = "0.SelfAttention.relative_attention_bias.weight";

ModelMap NamesOf(const T5Config& config) {
  ModelMap names;
  NameEmbeddings("", /*shared=*/true, !config.own_output, &names);
  if (!config.own_output) {  // The shared matrix counts before the decoder's.
    std::vector<std::string>& output = names.tensors["output"].weight;
    std::swap(output[1], output[2]);
  }
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string layer = stack + ".block.{layer}.layer.";
    const std::string ffn = layer + (stack == "decoder" ? "2." : "1.");
    NameModules(stack, layer, kT5LayerModules, false, &names);
    NameModules(stack, ffn, kFeedForwardModules, false, &names);
    if (config.architecture.gated_ffn) {
      NameModules(stack, ffn, kGatedModules, false, &names);
    }
    names.tensors[stack + ".norm"].weight = {stack +
                                             ".final_layer_norm.weight"};
    // The first layer's serves all of them, unless each has its own.
    const bool per_layer = config.architecture.relative_bias_per_layer;
    names.tensors[stack + ".relative_bias"].weight = {
        (per_layer ? layer : stack + ".block.0.layer.") + kBias};
  }
  // In the first uploads; nothing reads it.
  names.ignore.push_back(
      "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
  // T5's norms have none, but t5-small was first published with them.
  names.unread.push_back("*layer_norm.bias");
  return names;
}

// The table of a stack with `rows` rows: `heads` of each layer that has biases.
void MapRelativeBias(const T5Config& config, const std::string& stack,
                     uint32_t positions, uint32_t heads, uint32_t rows,
                     HuggingFaceModel* read) {
  const std::string part = stack + ".relative_bias";
  const std::vector<uint64_t> shape = {config.buckets, heads};
  const RelativeBuckets buckets = {.both_ways = stack == "encoder",
                                   .count = config.buckets,
                                   .max_distance = config.max_distance};
  std::vector<float>& table = read->model.tables[part];
  for (uint32_t layer = 0; layer < rows / heads; ++layer) {
    const SourceTensor* biases = read->tensors->Take(part, layer).weight;
    read->tensors->Expect(biases, shape);
    if (biases == nullptr || biases->shape != shape) continue;  // Noted.
    const std::vector<float> own = BiasByDistance(buckets, *biases, positions);
    table.insert(table.end(), own.begin(), own.end());
  }
}

}  // namespace

CanonicalModel ReadHuggingFaceT5(const fs::path& directory, bool with_tokenizer,
                                 const PositionLimits& limits) {
  const T5Config config = ReadT5Config(directory, limits);
  HuggingFaceModel read(directory, config, NamesOf(config), /*base=*/"");
  CanonicalModel& model = read.model;
  MapTransformer({}, read.tensors.get(), &model);
  const Architecture& a = model.architecture;
  if (config.scale_output) {
    // Only the output reads this norm, so its gamma can take the factor.
    model.norms.at("decoder.norm").gamma_scale =
        static_cast<float>(1.0 / std::sqrt(static_cast<double>(a.d_model)));
  }
  MapRelativeBias(config, "encoder", a.source_positions, a.encoder_heads,
                  a.encoder_bias_rows(), &read);
  MapRelativeBias(config, "decoder", a.target_positions, a.decoder_heads,
                  a.decoder_bias_rows(), &read);
  read.Finish();
  if (with_tokenizer) ReadModelTokenizer(directory, &model);
  return model;
}

}  // namespace latimer
