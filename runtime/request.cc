#include "request.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/generation.h"
#include "search/loop_detector.h"
#include "transformer/trace.h"

namespace latimer {
namespace {

Status CheckSampling(const TranslateOptions& options) {
  if (!kProfile.sampling) return NoRoomFor("sampling", false, "sampling");
  const bool beams = options.beams.value_or(1) > 1;
  const std::optional<uint32_t> count =
      beams ? options.beams : options.alternatives;
  if (count) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "Tokens are drawn without %s, but %u are asked for.",
                         beams ? "beams" : "alternatives",
                         static_cast<unsigned>(*count));
  }
  const Sampling& sampling = options.sampling;
  if (sampling.temperature > 0 && std::isfinite(sampling.temperature) &&
      sampling.top_p > 0 && sampling.min_p >= 0 && sampling.min_p <= 1) {
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "Temperature and top-p of sampling must be finite "
                       "numbers above 0, and min-p one from 0 to 1.");
}

Status CheckBanned(const TokenSequences& banned, uint32_t vocabulary) {
  size_t begin = 0;
  for (const uint32_t end : banned.ends) {
    if (end <= begin || end > banned.tokens.size()) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "A banned sequence ends at token %u, but it begins "
                           "at %zu, and there are %zu.",
                           static_cast<unsigned>(end), begin,
                           banned.tokens.size());
    }
    begin = end;
  }
  for (const int32_t token : banned.tokens) {
    LATIMER_RETURN_IF_ERROR(CheckTargetId("Banned", token, vocabulary));
  }
  return Status();
}

// Of the numbers that are given.
Status CheckNumbers(const TranslateOptions& options) {
  const struct {
    const char* name;
    std::optional<uint32_t> count;
  } kCounts[] = {{"max_target_tokens", options.max_target_tokens},
                 {"beams", options.beams},
                 {"alternatives", options.alternatives},
                 {"top_k", options.sampling.top_k},
                 {"budget_tokens", options.budget_tokens},
                 {"budget_ms", options.budget_ms}};
  for (const auto& [name, count] : kCounts) {
    if (count != 0u) continue;
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s 0: give a number from 1, or none.", name);
  }
  const float penalty = options.repetition_penalty.value_or(1);
  if (penalty > 0 && std::isfinite(penalty) &&
      std::isfinite(options.length_penalty.value_or(0))) {
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "The repetition penalty must be a finite number above "
                       "0, and the length penalty a finite one.");
}

Status CheckChoices(const ModelDescription& info,
                    const TranslateOptions& options) {
  const uint32_t vocabulary = info.architecture.target_vocabulary;
  LATIMER_RETURN_IF_ERROR(CheckNumbers(options));
  if (options.sampling.enabled) {
    LATIMER_RETURN_IF_ERROR(CheckSampling(options));
  }
  if (options.alternatives && options.beams) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "Give a number of alternatives or of beams, not "
                         "both.");
  }
  LATIMER_RETURN_IF_ERROR(CheckBanned(options.banned, vocabulary));
  for (const int32_t token : options.suppressed) {
    LATIMER_RETURN_IF_ERROR(CheckTargetId("Suppressed", token, vocabulary));
  }
  return Status();
}

Status TooManyBeams(const SearchOptions& options, uint32_t most) {
  const unsigned limit = kProfile.beams;
  const char* const name = options.alternatives ? "alternatives" : "beams";
  if (options.beams > limit) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s %u: this build takes up to %u.", name,
                         static_cast<unsigned>(options.beams), limit);
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "%s %u: the model was loaded with room for %u; load it "
                       "with more beams, up to %u.",
                       name, static_cast<unsigned>(options.beams),
                       static_cast<unsigned>(most), limit);
}

uint32_t BeamsFor(const TranslateOptions& options, const BeamRule& rule,
                  uint32_t room) {
  if (options.sampling.enabled) return 1;
  if (options.alternatives) return *options.alternatives;
  return options.beams.value_or(std::min(rule.beams, room));
}

// A number of the task, unless it has none: 0.
uint32_t OfTaskOr(uint32_t of_model, uint32_t of_task) {
  return of_task > 0 ? of_task : of_model;
}

// `task` is one of the model's, or none.
const BeamRule& RuleOf(const GenerationConfig& config, const Task& task) {
  for (size_t i = 0; i < config.task_search.size(); ++i) {
    if (&task == &config.tasks[i] && config.task_search[i].beams > 0) {
      return config.task_search[i];
    }
  }
  return config.search;
}

// What begins each translation: the target's language, if the model has it
// there, and the caller's token.
Status ForceFirst(const ModelDescription& info, const TranslateOptions& options,
                  SearchOptions* out) {
  const GenerationConfig& config = info.generation;
  if (!options.target_language.empty()) {
    const Result<int32_t> language =
        FindLanguage(config, "target", options.target_language);
    if (!language.ok()) return language.status();
    if (config.target_language == TargetLanguage::kDecoderStart) {
      out->decoder_start = *language;
    } else if (config.target_language == TargetLanguage::kForcedFirst) {
      out->forced_first_token = *language;
    }
  }
  if (!options.forced_first_token) return Status();
  out->forced_first_token = *options.forced_first_token;
  return CheckTargetId("Forced", *options.forced_first_token,
                       info.architecture.target_vocabulary);
}

void AddTargetPrefix(std::span<int32_t> ids, SearchOptions* options) {
  if (ids.empty()) return;
  const bool forces_first = options->forced_first_token >= 0;
  if (forces_first) ids[0] = options->forced_first_token;
  options->target_prefix = ids.subspan(forces_first ? 0 : 1);
}

Status CheckTargetPrefix(const SearchOptions& options) {
  if (options.target_prefix.empty() ||
      options.target_prefix.size() < options.max_tokens) {
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "The target prefix has %zu tokens, and the translation "
                       "may have %zu; nothing could follow.",
                       options.target_prefix.size(), options.max_tokens);
}

// The loop guard of a text; see TranslateOptions::guards.
void GuardLoops(std::span<const int32_t> source, SearchOptions* options) {
  options->guards_loops = true;
  options->loop_allowance = kLoopTokensPerSource * MostRepeatedTokens(source);
}

}  // namespace

Status ResolveOptions(const Model& model, const TranslateOptions& options,
                      const SearchRequest& request, const SearchRoom& room,
                      SearchOptions* out) {
  const GenerationConfig& config = model.info.generation;
  const Result<const Task*> found = FindTask(config, options.task);
  if (!found.ok()) return found.status();
  const Task& task = **found;
  const BeamRule& rule = RuleOf(config, task);
  *out = {
      .decoder_start = config.decoder_start,
      .eos = config.eos,
      .forced_first_token = config.forced_first,
      .min_tokens =
          std::max(options.min_target_tokens,
                   OfTaskOr(config.min_target_tokens, task.min_target_tokens)),
      .no_repeat_ngram = options.no_repeat_ngram.value_or(
          OfTaskOr(config.no_repeat_ngram, task.no_repeat_ngram)),
      .repetition_penalty =
          options.repetition_penalty.value_or(config.repetition_penalty),
      .banned_tokens = config.banned_tokens,
      .banned_ends = config.banned_ends,
      .banned = options.banned,
      .phrases = request.phrases,
      .tokenizer = &model.tokenizer,
      .suppressed = options.suppressed,
      .beams = BeamsFor(options, rule, room.beams),
      .length_penalty = options.length_penalty.value_or(rule.length_penalty),
      .early_stopping = options.early_stopping.value_or(rule.early_stopping),
      .renormalize = rule.renormalize != 0,
      .alternatives = options.alternatives.has_value(),
      .sampling = options.sampling,
      .budget_tokens = options.budget_tokens.value_or(0),
      .deadline = request.deadline,
      .cancel = options.cancel,
      .on_token = options.on_token,
      .token_context = options.token_context};
  LATIMER_RETURN_IF_ERROR(CheckChoices(model.info, options));
  LATIMER_RETURN_IF_ERROR(ForceFirst(model.info, options, out));
  if (out->beams > room.beams) return TooManyBeams(*out, room.beams);
  AddTargetPrefix(request.target_prefix, out);
  const bool is_guarded = request.is_text && options.guards;
  const std::span<const int32_t> source = WithoutPads(config, request.source);
  if (is_guarded) GuardLoops(source, out);
  const uint64_t must_come = uint64_t{out->min_tokens} +
                             out->target_prefix.size() +
                             (kProfile.phrases ? out->phrases.tokens() : 0);
  const TargetLength length = LimitLength(
      {.model = OfTaskOr(config.max_target_tokens, task.max_target_tokens),
       .forced_last_token = config.forced_eos,
       .caller = options.max_target_tokens.value_or(0),
       .room = room.target_tokens,
       .caches = out->beams > 1 ? room.cached_tokens / out->beams : kNoLimit,
       .guard = is_guarded ? LengthGuard(source.size(), must_come) : kNoLimit});
  out->max_tokens = length.max_tokens;
  out->forced_last_token = length.forced_last_token;
  return CheckTargetPrefix(*out);
}

}  // namespace latimer
