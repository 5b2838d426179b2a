#include "converter/readers/marian_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/json_fields.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

// PyTorch's nn.LayerNorm, which transformers uses as it is.
constexpr float kNormEpsilon = 1e-5f;

Activation ReadActivation(const JsonFields& config) {
  // Names of transformers' ACT2FN.
  const std::string name = config.Text("activation_function", "gelu");
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu" || name == "gelu_python") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_fast" ||
      name == "gelu_pytorch_tanh" || name == "gelu_python_tanh" ||
      name == "gelu_accurate") {
    return Activation::kGeluTanh;
  }
  if (name == "swish" || name == "silu") return Activation::kSwish;
  config.Fail("activation_function",
              "supported are relu, gelu, gelu_new, swish and silu");
}

// JsonFields that transformers treats as other names of the first one.
void CheckAliases(const JsonFields& config) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kAliases = {{
      {"num_hidden_layers", "encoder_layers"},
      {"hidden_size", "d_model"},
      {"num_attention_heads", "encoder_attention_heads"},
  }};
  for (const auto& [alias, name] : kAliases) {
    if (config.Has(alias) && config.Has(name) &&
        *config.Find(alias) != *config.Find(name)) {
      config.Fail(alias, std::string("it contradicts ") + name +
                             ", of which it is another name");
    }
  }
}

void ReadArchitecture(const JsonFields& config, MarianConfig* out) {
  Architecture& a = out->architecture;
  // Defaults are those of transformers' MarianConfig.
  a.d_model = config.Count("d_model", config.Count("hidden_size", 1024), 1);
  a.encoder_layers =
      config.Count("encoder_layers", config.Count("num_hidden_layers", 12), 1);
  a.decoder_layers = config.Count("decoder_layers", 12, 1);
  a.encoder_heads = config.Count("encoder_attention_heads",
                                 config.Count("num_attention_heads", 16), 1);
  a.decoder_heads = config.Count("decoder_attention_heads", 16, 1);
  a.encoder_ffn = config.Count("encoder_ffn_dim", 4096, 1);
  a.decoder_ffn = config.Count("decoder_ffn_dim", 4096, 1);
  a.source_vocabulary = config.Count("vocab_size", 58101, 1);
  out->share_embeddings = config.Bool("share_encoder_decoder_embeddings", true);
  out->tie_output = config.Bool("tie_word_embeddings", true);
  a.target_vocabulary =
      out->share_embeddings
          ? a.source_vocabulary
          : config.Count("decoder_vocab_size", a.source_vocabulary, 1);
  a.source_positions = config.Count("max_position_embeddings", 1024, 1);
  a.target_positions = a.source_positions;
  a.activation = ReadActivation(config);
  a.embedding_scale =
      config.Bool("scale_embedding", false)
          ? static_cast<float>(std::sqrt(static_cast<double>(a.d_model)))
          : 1.0f;
  a.norm_epsilon = kNormEpsilon;
  a.norm_position = config.Bool("normalize_before", false)
                        ? NormPosition::kPre
                        : NormPosition::kPost;
  a.embedding_norm = config.Bool("normalize_embedding", false);
  a.final_norm = config.Bool("add_final_layer_norm", false);
  a.norm_kind = NormKind::kLayerNorm;
  a.decoder_kind = DecoderKind::kSelfAttention;
  a.residual = true;
  a.has_positions = true;
  out->static_positions = config.Bool("static_position_embeddings", true);
  for (const char* heads :
       {"encoder_attention_heads", "decoder_attention_heads"}) {
    if (a.d_model % config.Count(heads, 16, 1) != 0) {
      config.Fail(heads, "it must divide d_model " + std::to_string(a.d_model));
    }
  }
  SplitHeads(&a);
  if (a.norm_position == NormPosition::kPre || a.embedding_norm ||
      a.final_norm) {
    out->warnings.push_back(
        config.path().string() +
        ": normalize_before, normalize_embedding and add_final_layer_norm are "
        "honoured as Marian and transformers 3 do; later versions of "
        "transformers ignore them.");
  }
}

// Rules of generate() that change a greedy result and are not supported,
// with the value, besides an absent, false or empty one, at which they do
// nothing.
constexpr std::array<std::pair<const char*, int>, 12> kUnsupportedRules = {{
    {"do_sample", 0},
    {"encoder_no_repeat_ngram_size", 0},
    {"encoder_repetition_penalty", 1},
    {"exponential_decay_length_penalty", 0},
    {"force_words_ids", 0},
    {"forced_bos_token_id", -1},  // 0 is a token.
    {"forced_decoder_ids", 0},
    {"guidance_scale", 1},
    {"no_repeat_ngram_size", 0},
    {"repetition_penalty", 1},
    {"sequence_bias", 0},
    {"watermarking_config", 0},
}};

// JsonFields that cannot change what greedy search gives, or that are read.
bool IsKnownField(std::string_view name) {
  constexpr std::array kKnown = {
      // Read.
      "activation_function",
      "add_final_layer_norm",
      "d_model",
      "decoder_attention_heads",
      "decoder_ffn_dim",
      "decoder_layers",
      "decoder_vocab_size",
      "encoder_attention_heads",
      "encoder_ffn_dim",
      "encoder_layers",
      "hidden_size",
      "max_position_embeddings",
      "model_type",
      "normalize_before",
      "normalize_embedding",
      "num_attention_heads",
      "num_hidden_layers",
      "scale_embedding",
      "share_encoder_decoder_embeddings",
      "static_position_embeddings",
      "tie_word_embeddings",
      "vocab_size",
      "_name_or_path",
      "add_bias_logits",
      "is_encoder_decoder",
      // Generation, read by ReadGeneration.
      "bad_words_ids",
      "begin_suppress_tokens",
      "bos_token_id",
      "decoder_start_token_id",
      "eos_token_id",
      "forced_eos_token_id",
      "max_length",
      "max_new_tokens",
      "min_length",
      "min_new_tokens",
      "pad_token_id",
      "suppress_tokens",
      // Training, beam search, sampling, bookkeeping.
      "_num_labels",
      "activation_dropout",
      "architectures",
      "attention_dropout",
      "bad_words",
      "chunk_size_feed_forward",
      "classif_dropout",
      "classifier_dropout",
      "cross_attention_hidden_size",
      "decoder_layerdrop",
      "do_blenderbot_90_layernorm",
      "dropout",
      "dtype",
      "early_stopping",
      "encoder_layerdrop",
      "extra_pos_embeddings",
      "finetuning_task",
      "force_bos_token_to_be_generated",
      "gradient_checkpointing",
      "id2label",
      "init_std",
      "is_decoder",
      "label2id",
      "length_penalty",
      "num_beam_groups",
      "num_beams",
      "num_labels",
      "num_return_sequences",
      "output_attentions",
      "output_hidden_states",
      "output_past",
      "output_scores",
      "prefix",
      "problem_type",
      "pruned_heads",
      "remove_invalid_values",
      "return_dict",
      "return_dict_in_generate",
      "sep_token_id",
      "task_specific_params",
      "temperature",
      "tf_legacy_loss",
      "tokenizer_class",
      "top_k",
      "top_p",
      "torch_dtype",
      "torchscript",
      "transformers_version",
      "typical_p",
      "use_bfloat16",
      "use_cache",
      "xla_device",
      "renormalize_logits",
      "_from_model_config",
      "diversity_penalty",
      "add_cross_attention",
      "tie_encoder_decoder",
      "_commit_hash",
  };
  return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end() ||
         std::any_of(kUnsupportedRules.begin(), kUnsupportedRules.end(),
                     [&](const auto& rule) { return rule.first == name; });
}

bool IsNeutral(const Json& value) {
  return value.is_null() || value == false || value == 0 || value == 0.0 ||
         (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         ((value.is_array() || value.is_object()) && value.empty());
}

void RefuseUnsupportedRules(const JsonFields& rules) {
  for (const auto& [name, neutral] : kUnsupportedRules) {
    const Json* value = rules.Find(name);
    if (value == nullptr || *value == neutral || *value == false ||
        (value->is_structured() && value->empty())) {
      continue;
    }
    rules.Fail(name,
               "this generation rule is not supported; remove it from "
               "the file to convert without it");
  }
}

// JsonFields that nobody here reads may matter to whoever wrote them.
void WarnOfUnknownFields(const JsonFields& fields,
                         std::vector<std::string>* warnings) {
  for (const auto& [name, value] : fields.json().items()) {
    if (!IsKnownField(name) && !IsNeutral(value)) {
      warnings->push_back(fields.path().string() + ": field " + name +
                          " is unknown and has no effect.");
    }
  }
}

void AddBannedSequences(const JsonFields& rules, std::string_view name,
                        uint32_t vocabulary, CanonicalGeneration* out) {
  const Json* value = rules.Find(name);
  if (value == nullptr) return;
  const std::string why = "it must list ids of the target vocabulary of " +
                          std::to_string(vocabulary);
  if (!value->is_array()) rules.Fail(name, why);
  for (const Json& entry : *value) {
    std::vector<int32_t> sequence;
    for (const Json& id : entry.is_array() ? entry : Json::array({entry})) {
      if (!JsonFields::IsToken(id, vocabulary)) rules.Fail(name, why);
      sequence.push_back(id.get<int32_t>());
    }
    if (sequence.empty()) rules.Fail(name, why);
    // transformers drops a ban of EOS alone, which would never end.
    if (sequence == std::vector<int32_t>{out->eos}) continue;
    out->banned_sequences.push_back(std::move(sequence));
  }
}

// Tokens banned as the first output only: banned where decoder_start comes
// before, which is there alone if it is itself never produced.
void AddBeginSuppressed(const JsonFields& rules, uint32_t vocabulary,
                        CanonicalGeneration* out) {
  constexpr std::string_view kName = "begin_suppress_tokens";
  CanonicalGeneration first;
  first.eos = -1;  // Nothing is dropped: EOS may be banned here.
  AddBannedSequences(rules, kName, vocabulary, &first);
  if (first.banned_sequences.empty()) return;
  const std::vector<int32_t> start = {out->decoder_start};
  if (std::find(out->banned_sequences.begin(), out->banned_sequences.end(),
                start) == out->banned_sequences.end()) {
    rules.Fail(kName,
               "it is supported only where bad_words_ids bans "
               "decoder_start_token_id");
  }
  for (const std::vector<int32_t>& token : first.banned_sequences) {
    out->banned_sequences.push_back({out->decoder_start, token.back()});
  }
}

// `rules` is generation_config.json alone where that exists, as in
// transformers; only the special tokens fall back to config.json.
void ReadGeneration(const JsonFields& rules, const JsonFields& config,
                    MarianConfig* out) {
  RefuseUnsupportedRules(rules);
  const Architecture& a = out->architecture;
  const uint32_t vocabulary = a.target_vocabulary;
  CanonicalGeneration& g = out->generation;
  const auto special = [&](std::string_view name) {
    std::optional<int32_t> id = rules.Token(name, vocabulary);
    if (!id) id = config.Token(name, vocabulary);
    return id;
  };
  const std::optional<int32_t> eos = special("eos_token_id");
  if (!eos) config.Fail("eos_token_id", "a model needs one");
  g.eos = *eos;
  if (static_cast<uint32_t>(g.eos) < out->architecture.source_vocabulary) {
    g.source_suffix = {g.eos};
  }
  g.pad = special("pad_token_id").value_or(g.eos);
  const std::optional<int32_t> start = special("decoder_start_token_id");
  if (!start && !special("bos_token_id")) {
    config.Fail("decoder_start_token_id", "a model needs one");
  }
  g.decoder_start = start ? *start : *special("bos_token_id");
  g.forced_eos = rules.Token("forced_eos_token_id", vocabulary).value_or(-1);
  AddBannedSequences(rules, "bad_words_ids", vocabulary, &g);
  AddBannedSequences(rules, "suppress_tokens", vocabulary, &g);
  AddBeginSuppressed(rules, vocabulary, &g);

  // max_length and min_length count the start token, the others do not.
  g.max_target_tokens = a.target_positions;
  if (rules.Has("max_new_tokens")) {
    g.max_target_tokens = rules.Count("max_new_tokens", 0, 1);
  } else if (rules.Has("max_length")) {
    g.max_target_tokens = rules.Count("max_length", 0, 2) - 1;
  }
  g.max_target_tokens = std::min(g.max_target_tokens, a.target_positions);
  const uint32_t min_length = rules.Count("min_length", 0);
  g.min_target_tokens = std::max(min_length > 0 ? min_length - 1 : 0,
                                 rules.Count("min_new_tokens", 0));
}

}  // namespace

MarianConfig ReadMarianConfig(const std::filesystem::path& directory) {
  const auto config = JsonFields::Open(directory / "config.json");
  if (!config) {
    throw ConversionError(
        (directory / "config.json").string() +
        ": cannot open the file; give the folder of a Hugging "
        "Face model.");
  }
  if (config->Text("model_type", "") != "marian") {
    config->Fail("model_type", "only \"marian\" can be converted");
  }
  if (config->Bool("add_bias_logits", false)) {
    config->Fail("add_bias_logits", "it is not supported");
  }
  if (!config->Bool("is_encoder_decoder", true)) {
    config->Fail("is_encoder_decoder", "only true is supported");
  }
  MarianConfig out;
  CheckAliases(*config);
  ReadArchitecture(*config, &out);
  out.name = config->Text("_name_or_path", "");
  WarnOfUnknownFields(*config, &out.warnings);
  const auto rules = JsonFields::Open(directory / "generation_config.json");
  if (rules) WarnOfUnknownFields(*rules, &out.warnings);
  ReadGeneration(rules ? *rules : *config, *config, &out);
  return out;
}

}  // namespace latimer
