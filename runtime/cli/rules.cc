#include "cli/rules.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace latimer::cli {
namespace {

// Parses a whole number in [0, 2^31) that `stop` follows.
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

int Refuse(const char* option, const char* value, const std::string& why) {
  std::fprintf(stderr, "latimer translate: --%s %s: %s\n", option, value,
               why.c_str());
  return kUsage;
}

int CheckLanguage(const char* option, const char* code,
                  const GenerationConfig& rules) {
  if (code == nullptr) return kSuccess;
  std::string known;
  for (const Language& language : rules.languages) {
    if (std::string(code) == language.code) return kSuccess;
    known += (known.empty() ? "" : ", ") + std::string(language.code);
  }
  return Refuse(option, code,
                known.empty() ? "the model has no languages to choose from."
                              : "the model has " + known + ".");
}

int CheckLanguages(const Arguments& arguments, const GenerationConfig& rules) {
  for (const auto& [option, code] :
       {std::pair("source-lang", arguments.source_language),
        std::pair("target-lang", arguments.target_language)}) {
    if (const int result = CheckLanguage(option, code, rules);
        result != kSuccess) {
      return result;
    }
  }
  if (rules.languages.empty() || arguments.ids) return kSuccess;
  const bool source = arguments.source_language == nullptr &&
                      rules.source_language != SourceLanguage::kNone;
  if (!source && arguments.target_language != nullptr) return kSuccess;
  std::fprintf(stderr,
               "latimer translate: %s is missing: the model has %u languages "
               "(latimer inspect lists them) and must be told, as in "
               "--source-lang %s --target-lang %s.\n",
               source ? "--source-lang" : "--target-lang",
               static_cast<unsigned>(rules.languages.size()),
               rules.languages.front().code, rules.languages.back().code);
  return kUsage;
}

int CheckTask(const char* name, const GenerationConfig& rules) {
  if (name == nullptr) return kSuccess;
  std::string known;
  for (const Task& task : rules.tasks) {
    if (std::string(name) == task.name) return kSuccess;
    known += (known.empty() ? "" : ", ") + std::string(task.name);
  }
  return Refuse("task", name,
                known.empty() ? "the model has no tasks; --prefix TEXT is put "
                                "before each text."
                              : "the model has " + known + ".");
}

}  // namespace

int Rules::Prepare(const Arguments& arguments, const ModelInfo& model,
                   TranslateOptions* options) {
  const GenerationConfig& rules = model.generation;
  for (const int result :
       {CheckLanguages(arguments, rules), CheckTask(arguments.task, rules)}) {
    if (result != kSuccess) return result;
  }
  const auto view = [](const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text);
  };
  options->source_language = view(arguments.source_language);
  options->target_language = view(arguments.target_language);
  options->task = view(arguments.task);
  options->prefix = view(arguments.prefix);

  const char* next = nullptr;
  if (const char* text = arguments.forced_first_token;
      text != nullptr &&
      !ParseId(text, '\0', &options->forced_first_token, &next)) {
    return Refuse("forced-first-token", text, "give a token id.");
  }
  if (const char* text = arguments.no_repeat_ngram;
      text != nullptr &&
      !ParseId(text, '\0', &options->no_repeat_ngram, &next)) {
    return Refuse("no-repeat-ngram", text,
                  "give a number of tokens, 0 for none.");
  }
  if (const char* text = arguments.repetition_penalty; text != nullptr) {
    char* end = nullptr;
    options->repetition_penalty = std::strtof(text, &end);
    if (end == text || *end != '\0' || !(options->repetition_penalty > 0) ||
        !std::isfinite(options->repetition_penalty)) {
      return Refuse("repetition-penalty", text, "give a number above 0.");
    }
  }
  if (arguments.suppress != nullptr) {
    for (next = arguments.suppress; *next != '\0';) {
      int32_t id = 0;
      if (!ParseId(next, ',', &id, &next)) {
        return Refuse("suppress", arguments.suppress,
                      "give token ids with commas between.");
      }
      suppressed_.push_back(id);
    }
  }
  options->suppressed = suppressed_;
  const uint32_t vocabulary = model.architecture.target_vocabulary;
  for (const int32_t id : suppressed_) {
    if (static_cast<uint32_t>(id) >= vocabulary) {
      return Refuse(
          "suppress", arguments.suppress,
          "the target vocabulary has " + std::to_string(vocabulary) + " ids.");
    }
  }
  return kSuccess;
}

}  // namespace latimer::cli
