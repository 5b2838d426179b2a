#include "converter/readers/t5_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "converter/readers/generation_config.h"
#include "converter/readers/json_fields.h"

namespace latimer {
namespace {

// The length that training used, unless n_positions states it. The network
// itself has no limit.
constexpr uint32_t kPositions = 512;
constexpr uint32_t kMostPositions = 1 << 20;

// The defaults of transformers' T5Config; MT5Config and UMT5Config.
struct Defaults {
  uint32_t vocab_size, d_ff, num_layers, num_heads;
  const char* feed_forward_proj;
};

constexpr Defaults kT5 = {32128, 2048, 6, 8, "relu"};
constexpr Defaults kMt5 = {250112, 1024, 8, 6, "gated-gelu"};

// feed_forward_proj is "ACT" or "gated-ACT". Saved files also have both parts
// as fields, which take precedence.
void ReadFeedForward(const JsonFields& config, const Defaults& defaults,
                     Architecture* a) {
  const std::string field = "feed_forward_proj";
  const std::string projection = config.Text(field, defaults.feed_forward_proj);
  constexpr std::string_view kGated = "gated-";
  const bool gated = projection.starts_with(kGated);
  std::string name = gated ? projection.substr(kGated.size()) : projection;
  // "for backwards compatibility", as transformers says.
  if (gated && name == "gelu") name = "gelu_new";
  name = config.Text("dense_act_fn", name);
  a->gated_ffn = config.Bool("is_gated_act", gated);
  const auto activation = ActivationNamed(name);
  if (!activation) {
    config.Fail(config.Has("dense_act_fn") ? "dense_act_fn" : field,
                "supported are relu, gelu, gelu_new, silu and swish, each with "
                "or without gated-");
  }
  a->activation = *activation;
}

float ReadEpsilon(const JsonFields& config) {
  const nlohmann::json* value = config.Find("layer_norm_epsilon");
  if (value == nullptr) return 1e-6f;
  const float epsilon = value->is_number() ? value->get<float>() : 0.0f;
  if (!(epsilon > 0.0f) || !std::isfinite(epsilon)) {
    config.Fail("layer_norm_epsilon", "it must be a number above 0");
  }
  return epsilon;
}

void ReadBuckets(const JsonFields& config, T5Config* out) {
  const char* count = "relative_attention_num_buckets";
  const char* distance = "relative_attention_max_distance";
  constexpr uint32_t kMost = 1 << 20;
  out->buckets = config.Count(count, 32, 4);
  out->max_distance = config.Count(distance, 128, 1);
  if (out->buckets % 2 != 0 || out->buckets > kMost) {
    config.Fail(count, "it must be even and at most ", kMost);
  }
  // The decoder uses half of the buckets for one distance each.
  if (out->max_distance <= out->buckets / 2) {
    config.Fail(distance, "it must be more than half of ", count, " ",
                out->buckets);
  }
}

void ReadArchitecture(const JsonFields& config, const std::string& type,
                      T5Config* out) {
  const Defaults& defaults = type == "t5" ? kT5 : kMt5;
  Architecture& a = out->architecture;
  // Each has its own name, and one that transformers uses for all families.
  const auto count = [&](const char* name, const char* alias, uint32_t other) {
    return config.Count(name, config.Count(alias, other, 1), 1);
  };
  a.d_model = count("d_model", "hidden_size", 512);
  a.encoder_layers =
      count("num_layers", "num_hidden_layers", defaults.num_layers);
  a.decoder_layers = config.Count("num_decoder_layers", a.encoder_layers, 1);
  a.encoder_heads =
      count("num_heads", "num_attention_heads", defaults.num_heads);
  a.decoder_heads = a.encoder_heads;
  a.encoder_head_dim = count("d_kv", "head_dim", 64);
  a.decoder_head_dim = a.encoder_head_dim;
  a.encoder_ffn = config.Count("d_ff", defaults.d_ff, 1);
  a.decoder_ffn = a.encoder_ffn;
  a.source_vocabulary = config.Count("vocab_size", defaults.vocab_size, 1);
  a.target_vocabulary = a.source_vocabulary;
  a.source_positions = config.Count("n_positions", kPositions, 1);
  a.target_positions = a.source_positions;
  ReadFeedForward(config, defaults, &a);
  a.embedding_scale = 1.0f;
  a.encoder_attention_scale = 1.0f;
  a.decoder_attention_scale = 1.0f;
  a.norm_epsilon = ReadEpsilon(config);
  a.norm_kind = NormKind::kRms;
  a.norm_position = NormPosition::kPre;
  a.final_norm = true;
  a.network_kind = NetworkKind::kTransformer;
  a.residual = true;
  a.relative_attention = true;
  a.relative_bias_per_layer = type == "umt5";
  ReadBuckets(config, out);
  // transformers 5 ties the matrices that the file has only once. This field
  // alone decides whether the output is scaled; mT5's never is. (For umT5,
  // transformers 5 overlooks it and scales always.)
  const bool tied = config.Bool("tie_word_embeddings", true);
  out->own_output = !tied;
  out->scale_output =
      type != "mt5" && config.Bool("scale_decoder_outputs", tied);
}

constexpr std::string_view kKnownFields[] = {
    // Read here.
    "d_ff", "d_kv", "d_model", "dense_act_fn", "feed_forward_proj", "head_dim",
    "hidden_size", "is_gated_act", "layer_norm_epsilon", "n_positions",
    "num_attention_heads", "num_decoder_layers", "num_heads",
    "num_hidden_layers", "num_layers", "relative_attention_max_distance",
    "relative_attention_num_buckets", "scale_decoder_outputs",
    "tie_word_embeddings",
    // Only for training.
    "classifier_dropout", "dropout_rate", "initializer_factor"};

}  // namespace

T5Config ReadT5Config(const std::filesystem::path& directory,
                      const PositionLimits& limits) {
  const JsonFields config = OpenModelConfig(directory);
  const std::string type = config.Text("model_type", "");
  if (type != "t5" && type != "mt5" && type != "umt5") {
    config.Fail("model_type", "only t5, mt5 and umt5 are read here");
  }
  T5Config out;
  ReadArchitecture(config, type, &out);
  Architecture& a = out.architecture;
  a.source_positions = std::max(a.source_positions, limits.source);
  a.target_positions = std::max(a.target_positions, limits.target);
  if (std::max(a.source_positions, a.target_positions) > kMostPositions) {
    config.Fail("n_positions", "texts of more than ", kMostPositions,
                " tokens are not supported");
  }
  out.name = config.Text("_name_or_path", "");
  const SpecialTokenDefaults defaults = {
      .eos = 1, .pad = 0, .decoder_start = type == "t5" ? -1 : 0};
  out.generation = ReadGenerationConfig(directory, config, out.architecture,
                                        defaults, kKnownFields, &out.warnings);
  return out;
}

}  // namespace latimer
