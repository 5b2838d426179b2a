#include "converter/readers/generation_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "converter/error.h"
#include "converter/readers/languages.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

// Settings of generate() that change its result and are not supported,
// with the value at which they do nothing. They also do nothing if they are
// absent, false or empty.
constexpr std::array<std::pair<const char*, int>, 9> kUnsupportedRules = {{
    {"do_sample", 0},
    {"encoder_no_repeat_ngram_size", 0},
    {"encoder_repetition_penalty", 1},
    {"exponential_decay_length_penalty", 0},
    {"force_words_ids", 0},
    {"forced_decoder_ids", 0},
    {"guidance_scale", 1},
    {"sequence_bias", 0},
    {"watermarking_config", 0},
}};

// Fields of either file, of any family, that are read here or that cannot
// change what a search gives.
constexpr std::string_view kKnownFields[] = {
    // Read.
    "bad_words_ids", "begin_suppress_tokens", "bos_token_id",
    "decoder_start_token_id", "early_stopping", "eos_token_id",
    "force_bos_token_to_be_generated", "forced_bos_token_id",
    "forced_eos_token_id", "is_encoder_decoder", "length_penalty", "max_length",
    "max_new_tokens", "min_length", "min_new_tokens", "model_type",
    "no_repeat_ngram_size", "num_beams", "pad_token_id", "renormalize_logits",
    "repetition_penalty", "suppress_tokens", "task_specific_params",
    "vocab_size",
    // Training, beam search, sampling, bookkeeping.
    "_commit_hash", "_from_model_config", "_name_or_path", "_num_labels",
    "add_cross_attention", "architectures", "attention_dropout", "auto_map",
    "bad_words", "chunk_size_feed_forward", "cross_attention_hidden_size",
    "diversity_penalty", "dropout", "dtype", "finetuning_task",
    "gradient_checkpointing", "id2label", "is_decoder", "label2id",
    "num_beam_groups", "num_labels", "num_return_sequences",
    "output_attentions", "output_hidden_states", "output_past", "output_scores",
    "prefix", "problem_type", "pruned_heads", "remove_invalid_values",
    "return_dict", "return_dict_in_generate", "save_step", "sep_token_id",
    "temperature", "tf_legacy_loss", "tie_encoder_decoder", "tokenizer_class",
    "top_k", "top_p", "torch_dtype", "torchscript", "transformers_version",
    "typical_p", "use_bfloat16", "use_cache", "xla_device"};

bool IsKnown(std::string_view name, std::span<const std::string_view> known) {
  return std::ranges::find(kKnownFields, name) != std::end(kKnownFields) ||
         std::ranges::find(known, name) != known.end() ||
         std::ranges::any_of(kUnsupportedRules, [&](const auto& rule) {
           return rule.first == name;
         });
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
               "this generation setting is not supported; remove it from the "
               "file to convert without it");
  }
}

// Fields that are not read here may matter to whoever wrote them.
void WarnOfUnknownFields(const JsonFields& fields,
                         std::span<const std::string_view> known,
                         std::vector<std::string>* warnings) {
  for (const auto& [name, value] : fields.json().items()) {
    if (!IsKnown(name, known) && !IsNeutral(value)) {
      warnings->push_back(Concat(fields.path(), ": field ", name,
                                 " is unknown and has no effect."));
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
    // transformers drops a ban of EOS alone, with which no output would end.
    if (sequence == std::vector<int32_t>{out->eos}) continue;
    out->banned_sequences.push_back(std::move(sequence));
  }
}

// Tokens that are banned only as the first output: they are banned after
// decoder_start, which is unique to the beginning if it is itself banned.
void AddBeginSuppressed(const JsonFields& rules, uint32_t vocabulary,
                        CanonicalGeneration* out) {
  constexpr std::string_view kName = "begin_suppress_tokens";
  CanonicalGeneration first;
  first.eos = -1;  // Keeps a ban of EOS.
  AddBannedSequences(rules, kName, vocabulary, &first);
  if (first.banned_sequences.empty()) return;
  const std::vector<int32_t> start = {out->decoder_start};
  if (std::ranges::count(out->banned_sequences, start) == 0) {
    rules.Fail(
        kName,
        "it is supported only where bad_words_ids bans decoder_start_token_id");
  }
  for (const std::vector<int32_t>& token : first.banned_sequences) {
    out->banned_sequences.push_back({out->decoder_start, token.back()});
  }
}

void ReadSpecialTokens(const JsonFields& rules, const JsonFields& config,
                       bool rules_are_config, uint32_t vocabulary,
                       const SpecialTokenDefaults& defaults,
                       CanonicalGeneration* out) {
  // Other settings come from generation_config.json alone if that exists, but
  // these fall back to config.json. A field that is null has no default.
  const auto find = [&](const char* name,
                        int32_t fallback) -> std::optional<int32_t> {
    if (const auto id = rules.Token(name, vocabulary)) return id;
    if (const auto id = config.Token(name, vocabulary)) return id;
    if (fallback < 0 || static_cast<uint32_t>(fallback) >= vocabulary ||
        config.json().contains(name)) {
      return std::nullopt;
    }
    return fallback;
  };
  const std::optional<int32_t> eos = find("eos_token_id", defaults.eos);
  if (!eos) config.Fail("eos_token_id", "a model needs one");
  out->eos = *eos;
  out->pad = find("pad_token_id", defaults.pad).value_or(out->eos);
  const std::optional<int32_t> bos = find("bos_token_id", defaults.bos);
  std::optional<int32_t> start =
      find("decoder_start_token_id", defaults.decoder_start);
  if (!start) start = bos;
  if (!start) config.Fail("decoder_start_token_id", "a model needs one");
  out->decoder_start = *start;
  out->forced_eos =
      rules_are_config
          ? find("forced_eos_token_id", defaults.forced_eos).value_or(-1)
          : rules.Token("forced_eos_token_id", vocabulary).value_or(-1);
  out->forced_first =
      rules.Token("forced_bos_token_id", vocabulary).value_or(-1);
  // In files of transformers 3.
  if (rules_are_config && bos &&
      rules.Bool("force_bos_token_to_be_generated", false)) {
    out->forced_first = *bos;
  }
}

void ReadLengths(const JsonFields& rules, const Architecture& a,
                 CanonicalGeneration* out) {
  // max_length and min_length count the start token, the others do not. The
  // default limit is the number of positions, not 20 as in transformers.
  out->max_target_tokens = a.target_positions;
  if (rules.Has("max_new_tokens")) {
    out->max_target_tokens = rules.Count("max_new_tokens", 0, 1);
  } else if (rules.Has("max_length")) {
    out->max_target_tokens = rules.Count("max_length", 0, 2) - 1;
  }
  out->max_target_tokens = std::min(out->max_target_tokens, a.target_positions);
  const uint32_t min_length = rules.Count("min_length", 0);
  out->min_target_tokens = std::max(min_length > 0 ? min_length - 1 : 0,
                                    rules.Count("min_new_tokens", 0));
}

// The number `name`, greater than `bound`.
float ReadNumber(const JsonFields& rules, std::string_view name, float fallback,
                 float bound) {
  const Json* value = rules.Find(name);
  if (value == nullptr) return fallback;
  if (!value->is_number() || !(value->get<double>() > bound) ||
      !std::isfinite(value->get<float>())) {
    rules.Fail(name, bound == 0 ? "it must be a number above 0"
                                : "it must be a number");
  }
  return value->get<float>();
}

// The settings of beam search; those that are absent are `defaults`.
BeamRule ReadSearch(const JsonFields& rules, const BeamRule& defaults) {
  BeamRule rule = defaults;
  rule.beams = rules.Count("num_beams", rule.beams, 1);
  rule.length_penalty = ReadNumber(rules, "length_penalty", rule.length_penalty,
                                   -std::numeric_limits<float>::infinity());
  rule.early_stopping =
      rules.Choice<EarlyStopping>("early_stopping",
                                  {{"false", EarlyStopping::kHeuristic},
                                   {"true", EarlyStopping::kAlways},
                                   {"never", EarlyStopping::kNever}},
                                  rule.early_stopping);
  rule.renormalize = rules.Bool("renormalize_logits", rule.renormalize != 0);
  return rule;
}

// Copies zero-terminated text; returns false if it does not fit.
template <size_t kBytes>
bool CopyText(const std::string& text, char (&out)[kBytes]) {
  if (text.size() >= kBytes || text.find('\0') != std::string::npos) {
    return false;
  }
  std::copy(text.begin(), text.end(), out);
  return true;
}

// task_specific_params of config.json: T5's prefixes and limits.
void ReadTasks(const JsonFields& config, const Architecture& a,
               CanonicalGeneration* out) {
  constexpr std::string_view kName = "task_specific_params";
  const Json* tasks = config.Find(kName);
  if (tasks == nullptr) return;
  if (!tasks->is_object()) config.Fail(kName, "it must be an object");
  for (const auto& [name, value] : tasks->items()) {
    if (!value.is_object()) config.Fail(kName, name, " must be an object");
    const auto fields = JsonFields::From(
        config.path().string() + ": " + std::string(kName) + "." + name, value);
    RefuseUnsupportedRules(fields);
    Task task = {};
    if (!IsName(name)) {
      config.Fail(kName, "a task's name, '", name,
                  "', is empty or has control characters");
    }
    if (!CopyText(name, task.name) ||
        !CopyText(fields.Text("prefix", ""), task.prefix)) {
      fields.Fail("prefix", "a task's name can have ", sizeof(task.name) - 1,
                  " bytes and its prefix ", sizeof(task.prefix) - 1);
    }
    // As in ReadLengths.
    if (fields.Has("max_length")) {
      task.max_target_tokens =
          std::min(fields.Count("max_length", 0, 2) - 1, a.target_positions);
    }
    const uint32_t min_length = fields.Count("min_length", 0);
    task.min_target_tokens = min_length > 0 ? min_length - 1 : 0;
    task.no_repeat_ngram = fields.Count("no_repeat_ngram_size", 0);
    out->tasks.push_back(task);
    out->task_search.push_back(ReadSearch(fields, out->search));
  }
}

}  // namespace

CanonicalGeneration ReadGenerationConfig(
    const std::filesystem::path& directory, const JsonFields& config,
    const Architecture& architecture, const SpecialTokenDefaults& defaults,
    std::span<const std::string_view> known,
    std::vector<std::string>* warnings) {
  WarnOfUnknownFields(config, known, warnings);
  const auto own = JsonFields::Open(directory / "generation_config.json");
  if (own) WarnOfUnknownFields(*own, known, warnings);
  const JsonFields& rules = own ? *own : config;
  RefuseUnsupportedRules(rules);

  const uint32_t vocabulary = architecture.target_vocabulary;
  CanonicalGeneration g;
  ReadSpecialTokens(rules, config, !own, vocabulary, defaults, &g);
  if (static_cast<uint32_t>(g.eos) < architecture.source_vocabulary) {
    g.source_suffix = {g.eos};
  }
  AddBannedSequences(rules, "bad_words_ids", vocabulary, &g);
  AddBannedSequences(rules, "suppress_tokens", vocabulary, &g);
  AddBeginSuppressed(rules, vocabulary, &g);
  ReadLengths(rules, architecture, &g);
  g.search = ReadSearch(rules, g.search);
  ReadTasks(config, architecture, &g);
  g.no_repeat_ngram = rules.Count("no_repeat_ngram_size", 0);
  g.repetition_penalty = ReadNumber(rules, "repetition_penalty", 1.0f, 0.0f);
  return g;
}

}  // namespace latimer
