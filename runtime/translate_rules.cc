#include "translate_rules.h"

#include <algorithm>

namespace latimer {
namespace {

Status CheckTarget(const char* what, int32_t token, uint32_t vocabulary) {
  if (token >= 0 && static_cast<uint32_t>(token) < vocabulary) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "%s id %d is outside the target vocabulary of %u.", what,
                       static_cast<int>(token),
                       static_cast<unsigned>(vocabulary));
}

}  // namespace

Result<const Task*> FindTask(const GenerationConfig& rules,
                             std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Task& task : rules.tasks) {
    if (name == task.name) return &task;
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "The model has no task \"%.*s\"; latimer inspect lists "
                       "those that it has.",
                       static_cast<int>(std::min<size_t>(40, name.size())),
                       name.data());
}

Result<int32_t> FindLanguage(const GenerationConfig& rules, const char* side,
                             std::string_view code) {
  for (const Language& language : rules.languages) {
    if (code == language.code) return language.token;
  }
  return Status::Error(
      StatusCode::kInvalidArgument,
      "The model has no %s language \"%.*s\" among its %u; "
      "latimer inspect lists them.",
      side, static_cast<int>(std::min<size_t>(20, code.size())), code.data(),
      static_cast<unsigned>(rules.languages.size()));
}

Status NeedLanguages(const GenerationConfig& rules,
                     const TranslateOptions& options) {
  const char* missing = nullptr;
  if (options.target_language.empty()) missing = "target";
  if (options.source_language.empty() &&
      rules.source_language != SourceLanguage::kNone) {
    missing = "source";
  }
  if (missing == nullptr) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "The model has %u languages and must be told the %s's, "
                       "\"%s\" for example; latimer inspect lists them.",
                       static_cast<unsigned>(rules.languages.size()), missing,
                       rules.languages[0].code);
}

Status CheckPrefix(const TokenizerView& tokenizer, std::string_view* prefix) {
  if (prefix->empty() || tokenizer.segmentation == Segmentation::kBytes) {
    return Status();
  }
  if (tokenizer.segmentation == Segmentation::kByteBpe) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "This model's tokenizer joins a prefix and the first "
                         "word; put the prefix into the text.");
  }
  // The text brings the space before its first word itself.
  while (!prefix->empty() && prefix->back() == ' ') prefix->remove_suffix(1);
  return Status();
}

void GuardText(std::span<const int32_t> source, SearchRules* rules) {
  const uint64_t most = kTargetTokensPerSource * source.size() +
                        kTargetTokensBeyond + uint64_t{rules->min_tokens};
  if (most < rules->max_tokens) {
    rules->max_tokens = static_cast<size_t>(most);
    rules->forced_last_token = -1;
  }
  rules->guards_loops = true;
  rules->loop_allowance = kLoopTokensPerSource * MostRepeatedTokens(source);
}

Status ResolveRules(const ModelInfo& info, const TranslateOptions& options,
                    uint32_t most_tokens, SearchRules* out) {
  const GenerationConfig& rules = info.generation;
  const uint32_t vocabulary = info.architecture.target_vocabulary;
  const Result<const Task*> task = FindTask(rules, options.task);
  if (!task.ok()) return task.status();
  const uint32_t model_max = *task != nullptr && (*task)->max_target_tokens > 0
                                 ? (*task)->max_target_tokens
                                 : rules.max_target_tokens;
  const uint32_t model_min = *task != nullptr && (*task)->min_target_tokens > 0
                                 ? (*task)->min_target_tokens
                                 : rules.min_target_tokens;
  const uint32_t model_ngram = *task != nullptr && (*task)->no_repeat_ngram > 0
                                   ? (*task)->no_repeat_ngram
                                   : rules.no_repeat_ngram;
  // The caller's limit goes before the model's, which alone may force EOS.
  const uint32_t max_tokens = std::min(
      options.max_target_tokens != 0 ? options.max_target_tokens : model_max,
      most_tokens);
  *out = {.decoder_start = rules.decoder_start,
          .eos = rules.eos,
          .forced_first_token = rules.forced_first,
          .max_tokens = max_tokens,
          .min_tokens = options.min_target_tokens > model_min
                            ? options.min_target_tokens
                            : model_min,
          .forced_last_token = max_tokens == model_max ? rules.forced_eos : -1,
          .no_repeat_ngram = options.no_repeat_ngram < 0
                                 ? model_ngram
                                 : static_cast<size_t>(options.no_repeat_ngram),
          .repetition_penalty = options.repetition_penalty > 0
                                    ? options.repetition_penalty
                                    : rules.repetition_penalty,
          .banned_tokens = rules.banned_tokens,
          .banned_ends = rules.banned_ends,
          .suppressed = options.suppressed,
          .scores = options.scores,
          .times = options.times,
          .budget_tokens = options.budget_tokens,
          .cancel = options.cancel,
          .on_token = options.on_token,
          .token_context = options.token_context};
  for (const int32_t token : options.suppressed) {
    LATIMER_RETURN_IF_ERROR(CheckTarget("Suppressed", token, vocabulary));
  }
  if (!options.target_language.empty()) {
    const Result<int32_t> language =
        FindLanguage(rules, "target", options.target_language);
    if (!language.ok()) return language.status();
    (rules.target_language == TargetLanguage::kDecoderStart
         ? out->decoder_start
         : out->forced_first_token) = *language;
  }
  if (options.forced_first_token >= 0) {
    out->forced_first_token = options.forced_first_token;
    return CheckTarget("Forced", options.forced_first_token, vocabulary);
  }
  return Status();
}

}  // namespace latimer
