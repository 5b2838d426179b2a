#include "cli/generation_options.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "cli/lines.h"
#include "named_options.h"
#include "os/text_lines.h"

namespace latimer::cli {
namespace {

// Parses a whole number in [0, 2^31) up to `stop` or the end of `text`; `*next`
// is what follows.
bool ParseId(const char* text, char stop, int32_t* id, const char** next) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || (*end != stop && *end != '\0') || errno != 0 ||
      value < 0 || value > INT32_MAX) {
    return false;
  }
  *id = static_cast<int32_t>(value);
  *next = *end == '\0' ? end : end + 1;
  return true;
}

int Refuse(const Arguments& arguments, const char* option,
           std::string_view value, const std::string& why) {
  return UsageError(arguments.command, "--%s %.*s: %s", option,
                    static_cast<int>(value.size()), value.data(), why.c_str());
}

int RefuseTargetText(const Arguments& arguments, const char* option,
                     std::string_view value) {
  return Refuse(arguments, option, value,
                "the model cannot turn texts of the target into tokens; "
                "convert it again, without --no-target-tokenizer.");
}

// Reports a name that no item of a list has.
template <typename Item, typename NameOf>
int CheckName(const Arguments& arguments, const char* option,
              std::string_view name, std::span<const Item> items,
              NameOf name_of, const char* no_items) {
  if (name.empty()) return kSuccess;
  std::string known;
  for (const Item& item : items) {
    if (name == name_of(item)) return kSuccess;
    known.append(known.empty() ? "" : ", ").append(name_of(item));
  }
  return Refuse(arguments, option, name,
                known.empty() ? no_items : "the model has " + known + ".");
}

int CheckLanguages(const Arguments& arguments, const GenerationConfig& config,
                   const TranslateOptions& options) {
  for (const auto& [option, code] :
       {std::pair(arguments.source_option, options.source_language),
        std::pair(arguments.target_option, options.target_language)}) {
    if (const int result = CheckName(
            arguments, option, code, config.languages,
            [](const Language& language) { return language.code; },
            "the model has no languages to choose from.");
        result != kSuccess) {
      return result;
    }
  }
  if (config.languages.empty() || arguments.ids) return kSuccess;
  const bool source = options.source_language.empty() &&
                      config.source_language != SourceLanguage::kNone;
  // A text may begin with the target's language itself.
  const bool target = options.target_language.empty() &&
                      !StandsInSource(config.target_language);
  if (!source && !target) return kSuccess;
  return UsageError(arguments.command,
                    "--%s is missing: this multilingual model has %u languages "
                    "(see latimer inspect); give for example --%s %s --%s %s.",
                    source ? arguments.source_option : arguments.target_option,
                    static_cast<unsigned>(config.languages.size()),
                    arguments.source_option, config.languages.front().code,
                    arguments.target_option, config.languages.back().code);
}

int CheckTask(const Arguments& arguments, const GenerationConfig& config,
              const TranslateOptions& options) {
  return CheckName(
      arguments, "task", options.task, config.tasks,
      [](const Task& task) { return task.name; },
      "the model has no tasks; use --prefix TEXT to put a text before each "
      "source.");
}

}  // namespace

int GenerationOptions::ReadBannedWords(const Arguments& arguments,
                                       Translator& translator,
                                       TranslateOptions* options) {
  const char* const name = arguments.banned_words;
  if (name == nullptr) return kSuccess;
  std::vector<std::string> lines;
  if (!ReadTextLines(name, &lines)) {
    return Refuse(arguments, "banned-words", name, std::strerror(errno));
  }
  for (const std::string& line : lines) {
    std::vector<int32_t> ids(line.size() + 1);
    if (arguments.ids) {
      if (const Status status = ParseIds(line, &ids); !status.ok()) {
        return Refuse(arguments, "banned-words", name, status.message());
      }
    } else {
      const Result<size_t> count = translator.TokenizeTarget(line, ids);
      if (!count.ok()) {
        return Refuse(arguments, "banned-words", name,
                      count.status().message());
      }
      ids.resize(*count);
    }
    if (ids.empty()) continue;
    banned_.insert(banned_.end(), ids.begin(), ids.end());
    banned_ends_.push_back(static_cast<uint32_t>(banned_.size()));
  }
  options->banned = {banned_, banned_ends_};
  return kSuccess;
}

// Terms and what is protected.
int GenerationOptions::ReadTerms(const Arguments& arguments,
                                 const ModelDescription& model,
                                 TranslateOptions* options) {
  if (arguments.terms == nullptr && !options->protect &&
      arguments.protect_also == nullptr) {
    return kSuccess;
  }
  if (arguments.ids || !kProfile.phrases) {
    return UsageError(arguments.command,
                      arguments.ids ? "--terms and --protect are for texts; "
                                      "leave out --ids."
                                    : "this build has no terms and protected "
                                      "spans (profile \"%s\").",
                      kProfile.name);
  }
  if (arguments.protect_also != nullptr) {
    if (!ReadTextLines(arguments.protect_also, &pattern_lines_)) {
      return Refuse(arguments, "protect-also", arguments.protect_also,
                    std::strerror(errno));
    }
    for (const std::string& line : pattern_lines_) {
      if (!line.empty()) patterns_.push_back(line);
    }
    options->protected_patterns = patterns_;
  }
  if (arguments.terms == nullptr) return kSuccess;
  if (!model.encodes_target) {
    return RefuseTargetText(arguments, "terms", arguments.terms);
  }
  if (!ReadTextLines(arguments.terms, &term_lines_)) {
    return Refuse(arguments, "terms", arguments.terms, std::strerror(errno));
  }
  std::set<std::string_view> sources;
  for (size_t i = 0; i < term_lines_.size(); ++i) {
    const std::string_view line = term_lines_[i];
    if (line.empty()) continue;
    const TermLine term = ReadTermLine(line);
    if (term.source.empty()) {
      return Refuse(arguments, "terms", arguments.terms, NoTerm(line));
    }
    const std::string_view source = term.source;
    if (!sources.insert(source).second && !arguments.quiet) {
      std::fprintf(stderr,
                   "latimer: warning: %s: line %zu: \"%.*s\" has a target "
                   "above, which counts.\n",
                   arguments.terms, i + 1,
                   static_cast<int>(std::min<size_t>(source.size(), 60)),
                   source.data());
    }
    terms_.emplace_back(source, term.target);
  }
  options->terms = terms_;
  return kSuccess;
}

int GenerationOptions::CheckTerms(const Arguments& arguments,
                                  Translator& translator) const {
  size_t term = 0;
  for (size_t i = 0; i < term_lines_.size(); ++i) {
    if (term_lines_[i].empty()) continue;
    const Status status = translator.CheckTerm(terms_[term++]);
    if (status.ok()) continue;
    return Refuse(arguments, "terms", arguments.terms,
                  "line " + std::to_string(i + 1) + ": " + status.message());
  }
  return kSuccess;
}

int GenerationOptions::Prepare(const Arguments& arguments,
                               const ModelDescription& model,
                               TranslateOptions* options) {
  const Status contradiction =
      CheckOptions(*options, model, OptionStyle::kCommandLine);
  if (!contradiction.ok()) {
    return UsageError(arguments.command, "%s", contradiction.message());
  }
  for (const auto check : {CheckLanguages, CheckTask}) {
    const int result = check(arguments, model.generation, *options);
    if (result != kSuccess) return result;
  }
  if (const int code = ReadTerms(arguments, model, options); code != kSuccess) {
    return code;
  }
  const std::string_view prefix = options->target_prefix;
  if (arguments.ids && !prefix.empty()) {
    if (!ParseIds(prefix, &target_prefix_).ok()) {
      return Refuse(arguments, "target-prefix", prefix,
                    "with --ids, give token ids separated by spaces.");
    }
    options->target_prefix_ids = target_prefix_;
  } else if (!prefix.empty() && !model.encodes_target) {
    return RefuseTargetText(arguments, "target-prefix", prefix);
  }
  if (arguments.suppress == nullptr) return kSuccess;
  const uint32_t vocabulary = model.architecture.target_vocabulary;
  for (const char* next = arguments.suppress; *next != '\0';) {
    int32_t id = 0;
    if (!ParseId(next, ',', &id, &next)) {
      return Refuse(arguments, "suppress", arguments.suppress,
                    "give token ids separated by commas.");
    }
    if (static_cast<uint32_t>(id) >= vocabulary) {
      return Refuse(
          arguments, "suppress", arguments.suppress,
          "the target vocabulary has " + std::to_string(vocabulary) + " ids.");
    }
    suppressed_.push_back(id);
  }
  options->suppressed = suppressed_;
  return kSuccess;
}

}  // namespace latimer::cli
