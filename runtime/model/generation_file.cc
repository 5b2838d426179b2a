#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/errors.h"
#include "model/tables.h"
#include "model/views.h"
#include "model_generated.h"

namespace latimer {
namespace {

template <size_t kBytes>
bool IsTerminated(const char (&text)[kBytes]) {
  return std::memchr(text, 0, kBytes) != nullptr;
}

// Whether it is zero-terminated and not empty, and has no control characters,
// which a terminal would obey.
template <size_t kBytes>
bool IsName(const char (&text)[kBytes]) {
  if (!IsTerminated(text) || text[0] == 0) return false;
  for (const char* c = text; *c != 0; ++c) {
    if (static_cast<unsigned char>(*c) < ' ' || *c == 0x7F) return false;
  }
  return true;
}

BeamRule RuleOf(const schema::BeamRule& rule) {
  return {rule.beams(), rule.length_penalty(),
          static_cast<EarlyStopping>(rule.early_stopping()), rule.renormalize(),
          0};
}

bool IsRule(const BeamRule& rule) {
  return static_cast<uint8_t>(rule.early_stopping) <=
             static_cast<uint8_t>(EarlyStopping::kNever) &&
         std::isfinite(rule.length_penalty);
}

// Reads what a user can choose: languages and tasks.
Status ReadChoices(const schema::Generation& in, const Architecture& a,
                   GenerationConfig* out) {
  out->languages = StructsOf<Language>(in.languages());
  out->tasks = StructsOf<Task>(in.tasks());
  out->source_language = static_cast<SourceLanguage>(in.source_language());
  out->target_language = static_cast<TargetLanguage>(in.target_language());
  bool good =
      in.source_language() <= schema::SourceLanguage::MAX &&
      in.target_language() <= schema::TargetLanguage::MAX &&
      in.repetition_penalty() > 0 && IsRule(out->search) &&
      out->search.beams > 0 && std::isfinite(in.repetition_penalty()) &&
      (out->target_language == TargetLanguage::kNone) == out->languages.empty();
  const uint32_t tokens =
      StandsInSource(out->target_language)
          ? a.source_vocabulary
          : std::min(a.source_vocabulary, a.target_vocabulary);
  const Language* before = nullptr;
  for (const Language& language : out->languages) {
    good = good && language.token >= 0 && IsName(language.code) &&
           static_cast<uint32_t>(language.token) < tokens &&
           (before == nullptr || std::strcmp(before->code, language.code) < 0);
    if (!good) break;
    before = &language;
  }
  for (const Task& task : out->tasks) {
    good = good && IsName(task.name) && IsTerminated(task.prefix);
  }
  out->task_search = StructsOf<BeamRule>(in.task_search());
  good = good && (out->task_search.empty() ||
                  out->task_search.size() == out->tasks.size());
  for (const BeamRule& rule : out->task_search) good = good && IsRule(rule);
  return good ? Status()
              : Damaged("its languages, tasks or search", "are invalid");
}

}  // namespace

Status ReadAlignment(const schema::Generation& in, const Architecture& a,
                     AlignmentHead* out) {
  // Where the attention aligns best in decoders of six layers (Garg et al.,
  // "Jointly Learning to Align and Translate", 2019).
  const uint32_t layers = a.decoder_layers;
  *out = {.layer = layers > 3 ? layers - 2 : layers - 1};
  if (a.is_recurrent()) out->layer = 0;
  if (in.alignment() == nullptr) return Status();
  const schema::AlignmentHead& head = *in.alignment();
  *out = {head.layer(), head.head(), head.reads()};
  const bool recurrent = a.is_recurrent();
  const uint32_t heads = recurrent ? 1 : a.decoder_heads;
  if (out->layer < (recurrent ? 1 : layers) && out->head >= -1 &&
      out->head < static_cast<int32_t>(heads)) {
    return Status();
  }
  return Damaged("its alignment", "is not of its decoder");
}

Status ReadGeneration(const schema::Generation& in, const Architecture& a,
                      GenerationConfig* out) {
  const int64_t vocabulary = a.target_vocabulary;
  const auto is_token = [&](int64_t id) { return id >= 0 && id < vocabulary; };
  const auto is_token_or_none = [&](int64_t id) {
    return id == -1 || is_token(id);
  };
  bool good = is_token_or_none(in.decoder_start()) && is_token(in.eos()) &&
              is_token_or_none(in.pad()) && is_token_or_none(in.forced_eos()) &&
              is_token_or_none(in.forced_first()) && in.max_target_tokens() > 0;
  for (int32_t id : *in.banned_tokens()) good = good && is_token(id);
  uint64_t added_source = 1;
  for (const auto* added : {in.source_prefix(), in.source_suffix()}) {
    added_source += added->size();
    for (int32_t id : *added) {
      good = good && id >= 0 && id < int64_t{a.source_vocabulary};
    }
  }
  good = good && added_source <= a.source_positions;
  if (in.source_length() > 0) {
    good = good && added_source <= in.source_length() &&
           in.source_length() <= a.source_positions && in.source_pad() >= 0 &&
           in.source_pad() < int64_t{a.source_vocabulary};
  }
  uint32_t begin = 0;
  for (uint32_t end : *in.banned_ends()) {
    good = good && end > begin && end <= in.banned_tokens()->size();
    begin = end;
  }
  if (!good || begin != in.banned_tokens()->size()) {
    return Damaged("its generation config",
                   "names a token outside the vocabulary");
  }
  *out = {
      .decoder_start = in.decoder_start(),
      .eos = in.eos(),
      .pad = in.pad(),
      .forced_eos = in.forced_eos(),
      .max_target_tokens = in.max_target_tokens(),
      .min_target_tokens = in.min_target_tokens(),
      .banned_tokens = ViewOf(in.banned_tokens()),
      .banned_ends = ViewOf(in.banned_ends()),
      .source_prefix = ViewOf(in.source_prefix()),
      .source_suffix = ViewOf(in.source_suffix()),
      .source_length = in.source_length(),
      .source_pad = in.source_pad(),
      .forced_first = in.forced_first(),
      .no_repeat_ngram = in.no_repeat_ngram(),
      .repetition_penalty = in.repetition_penalty(),
      .search = in.search() == nullptr ? BeamRule() : RuleOf(*in.search()),
      .languages = {},
      .source_language = SourceLanguage::kNone,
      .target_language = TargetLanguage::kNone,
      .tasks = {},
      .task_search = {},
  };
  return ReadChoices(in, a, out);
}

}  // namespace latimer
