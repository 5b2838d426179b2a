// T5Gemma ("Encoder-Decoder Gemma", Zhang et al., 2025): encoder and decoder
// are those of Gemma 2, and the decoder also has cross-attention.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/generation_config.h"
#include "converter/readers/huggingface_model.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/known_transformer.h"
#include "converter/readers/open_model.h"
#include "latimer/profile_config.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<const char*, const char*> kT5GemmaModules[] = {
    {"self_attention.query", "self_attn.q_proj"},
    {"self_attention.key", "self_attn.k_proj"},
    {"self_attention.value", "self_attn.v_proj"},
    {"self_attention.out", "self_attn.o_proj"},
    {"self_attention.norm", "pre_self_attn_layernorm"},
    {"self_attention.output_norm", "post_self_attn_layernorm"},
    {"cross_attention.query", "cross_attn.q_proj"},
    {"cross_attention.key", "cross_attn.k_proj"},
    {"cross_attention.value", "cross_attn.v_proj"},
    {"cross_attention.out", "cross_attn.o_proj"},
    {"cross_attention.norm", "pre_cross_attn_layernorm"},
    {"cross_attention.output_norm", "post_cross_attn_layernorm"},
    {"ffn.gate", "mlp.gate_proj"},
    {"ffn.in", "mlp.up_proj"},
    {"ffn.out", "mlp.down_proj"},
    {"ffn.norm", "pre_feedforward_layernorm"},
    {"ffn.output_norm", "post_feedforward_layernorm"},
};

constexpr std::string_view kKnownOfT5Gemma[] = {
    "encoder", "decoder", "tie_word_embeddings",
    // Only for training.
    "classifier_dropout_rate", "dropout_rate", "initializer_range"};

constexpr char kActivation[] = "gelu_pytorch_tanh";

// What config.json says of one side.
struct Side {
  uint32_t layers, heads, key_heads, head_dim, ffn, d_model, vocabulary;
  uint32_t positions;
  Activation activation;
  float attention_scale, attention_cap, logit_cap, epsilon;
  double rotary_base;
};

// A number above 0. A field that is null is 0, as None in Python.
double Number(const JsonFields& fields, const char* name, double fallback) {
  if (!fields.json().contains(name)) return fallback;
  const nlohmann::json* value = fields.Find(name);
  if (value == nullptr) return 0;
  const double number = value->is_number() ? value->get<double>() : 0;
  if (!(number > 0) || !std::isfinite(static_cast<float>(number))) {
    fields.Fail(name, "it must be a number above 0");
  }
  return number;
}

double RotaryBase(const JsonFields& fields) {
  const JsonFields own = fields.Object("rope_parameters");
  const std::string type = own.Text("rope_type", "default");
  if (type != "default") {
    own.Fail("rope_type",
             "the only rotary positions supported are \"default\"");
  }
  if (fields.Has("rope_scaling")) {
    fields.Fail("rope_scaling", "scaled rotary positions are not supported");
  }
  return Number(own, "rope_theta", Number(fields, "rope_theta", 10000));
}

// How many tokens a text may have: as many as asked for, or else as the
// programs translate.
uint32_t Positions(const JsonFields& fields, uint32_t limit, uint32_t most,
                   const char* option) {
  const uint32_t positions =
      std::min(fields.Count("max_position_embeddings", 8192, 1),
               limit != 0 ? limit : most);
  const std::vector<std::string> types = fields.Texts("layer_types");
  const bool slides =
      types.empty() || std::ranges::count(types, "sliding_attention") > 0;
  const uint32_t window = fields.Count("sliding_window", 4096, 1);
  if (slides && fields.Has("sliding_window") && window < positions) {
    fields.Fail("sliding_window",
                "attention in windows is not supported; with texts of at most "
                "as many tokens (",
                option, " ", window, ") each window covers the text");
  }
  return positions;
}

Side ReadSide(const JsonFields& fields, uint32_t limit, uint32_t most,
              const char* option) {
  Side side{};
  side.layers = fields.Count("num_hidden_layers", 26, 1);
  side.heads = fields.Count("num_attention_heads", 8, 1);
  side.key_heads = fields.Count("num_key_value_heads", 4, 1);
  if (side.heads % side.key_heads != 0) {
    fields.Fail("num_key_value_heads", "it must divide num_attention_heads ",
                side.heads);
  }
  side.head_dim = fields.Count("head_dim", 256, 1);
  if (side.head_dim % 2 != 0) fields.Fail("head_dim", "it must be even");
  side.ffn = fields.Count("intermediate_size", 9216, 1);
  side.d_model = fields.Count("hidden_size", 2304, 1);
  side.vocabulary = fields.Count("vocab_size", 256000, 1);
  const auto activation =
      ActivationNamed(fields.Text("hidden_activation", kActivation));
  if (!activation) {
    fields.Fail("hidden_activation",
                "supported are relu, gelu, gelu_pytorch_tanh, silu and swish");
  }
  side.activation = *activation;
  if (fields.Bool("attention_bias", false)) {
    fields.Fail("attention_bias", "only false is supported");
  }
  side.attention_scale = static_cast<float>(
      1.0 / std::sqrt(Number(fields, "query_pre_attn_scalar", 256)));
  side.attention_cap =
      static_cast<float>(Number(fields, "attn_logit_softcapping", 50));
  side.logit_cap =
      static_cast<float>(Number(fields, "final_logit_softcapping", 30));
  side.epsilon = static_cast<float>(Number(fields, "rms_norm_eps", 1e-6));
  side.rotary_base = RotaryBase(fields);
  side.positions = Positions(fields, limit, most, option);
  return side;
}

// The cosines and sines of each position, computed in the precision in which
// transformers computes them.
std::vector<float> Rotations(const Side& side) {
  const uint32_t half = side.head_dim / 2;
  std::vector<float> table(uint64_t{side.positions} * side.head_dim);
  for (uint32_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / side.head_dim;
    const float frequency =
        1.0f / static_cast<float>(
                   std::pow(side.rotary_base, static_cast<double>(exponent)));
    for (uint32_t position = 0; position < side.positions; ++position) {
      const double angle = static_cast<float>(position) * frequency;
      float* row = table.data() + uint64_t{position} * side.head_dim;
      row[i] = static_cast<float>(std::cos(angle));
      row[half + i] = static_cast<float>(std::sin(angle));
    }
  }
  return table;
}

// What both sides must have in common.
template <typename T>
void RequireSame(const JsonFields& decoder, const char* name, T of_encoder,
                 T of_decoder) {
  if (of_encoder == of_decoder) return;
  decoder.Fail(name, "it must equal the encoder's, ", of_encoder);
}

struct Sides {
  Side encoder, decoder;
  bool tied = true;
};

HuggingFaceConfig ReadT5GemmaConfig(const fs::path& directory,
                                    const PositionLimits& limits,
                                    Sides* sides) {
  const JsonFields config = OpenModelConfig(directory);
  const JsonFields encoder = config.Object("encoder");
  const JsonFields decoder = config.Object("decoder");
  sides->encoder = ReadSide(encoder, limits.source, kProfile.source_tokens,
                            "--max-source-tokens");
  sides->decoder = ReadSide(decoder, limits.target, kProfile.target_tokens,
                            "--max-target-tokens");
  sides->tied = config.Bool("tie_word_embeddings", true);
  const Side& e = sides->encoder;
  const Side& d = sides->decoder;
  RequireSame(decoder, "hidden_size", e.d_model, d.d_model);
  RequireSame(decoder, "rms_norm_eps", e.epsilon, d.epsilon);
  RequireSame(decoder, "attn_logit_softcapping", e.attention_cap,
              d.attention_cap);
  RequireSame(decoder, "hidden_activation",
              encoder.Text("hidden_activation", kActivation),
              decoder.Text("hidden_activation", kActivation));
  HuggingFaceConfig out;
  Architecture& a = out.architecture;
  a.d_model = e.d_model;
  a.encoder_layers = e.layers;
  a.decoder_layers = d.layers;
  a.encoder_heads = e.heads;
  a.decoder_heads = d.heads;
  a.encoder_head_dim = e.head_dim;
  a.decoder_head_dim = d.head_dim;
  a.encoder_attention_scale = e.attention_scale;
  a.decoder_attention_scale = d.attention_scale;
  a.encoder_ffn = e.ffn;
  a.decoder_ffn = d.ffn;
  a.source_vocabulary = e.vocabulary;
  a.target_vocabulary = d.vocabulary;
  a.source_positions = e.positions;
  a.target_positions = d.positions;
  a.positions_shared = e.positions == d.positions && e.head_dim == d.head_dim &&
                       e.rotary_base == d.rotary_base;
  a.activation = d.activation;
  a.norm_kind = NormKind::kRms;
  a.norm_position = NormPosition::kBoth;
  a.norm_epsilon = d.epsilon;
  a.final_norm = true;
  a.network_kind = NetworkKind::kTransformer;
  a.residual = true;
  a.gated_ffn = true;
  a.embedding_scale =
      static_cast<float>(std::sqrt(static_cast<double>(a.d_model)));
  a.rotary_positions = true;
  a.attention_cap = d.attention_cap;
  a.logit_cap = d.logit_cap;
  out.name = config.Text("_name_or_path", "");
  out.generation =
      ReadGenerationConfig(directory, config, a, {.bos = 2, .eos = 1, .pad = 0},
                           kKnownOfT5Gemma, &out.warnings);
  return out;
}

ModelMap NamesOfT5Gemma(bool tied) {
  ModelMap names;
  const std::string target = "model.decoder.embed_tokens.weight";
  const std::string output = "lm_head.out_proj.weight";
  names.tensors["source_embedding"].weight = {
      "model.encoder.embed_tokens.weight"};
  names.tensors["target_embedding"].weight = {target};
  names.tensors["output"].weight = {output};
  if (tied) names.tensors["output"].weight.push_back(target);
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string prefix = "model." + stack + ".";
    NameModules(stack, prefix + "layers.{layer}.", kT5GemmaModules, false,
                &names);
    names.tensors[stack + ".norm"].weight = {prefix + "norm.weight"};
  }
  return names;
}

}  // namespace

CanonicalModel ReadT5Gemma(const fs::path& directory, bool with_tokenizer,
                           const PositionLimits& limits) {
  Sides sides;
  const HuggingFaceConfig config = ReadT5GemmaConfig(directory, limits, &sides);
  HuggingFaceModel read(directory, config, NamesOfT5Gemma(sides.tied),
                        /*base=*/"");
  CanonicalModel& model = read.model;
  TransformerLayout layout;
  layout.encoder_key_heads = sides.encoder.key_heads;
  layout.decoder_key_heads = sides.decoder.key_heads;
  MapTransformer(layout, read.tensors.get(), &model);
  // Files have the weights of norms less 1.
  for (auto& [name, norm] : model.norms) norm.gamma_offset = 1.0f;
  model.tables["source_rotations"] = Rotations(sides.encoder);
  if (!model.architecture.positions_shared) {
    model.tables["target_rotations"] = Rotations(sides.decoder);
  }
  read.Finish();
  if (with_tokenizer) ReadModelTokenizer(directory, &model);
  return model;
}

}  // namespace latimer
