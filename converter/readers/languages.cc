#include "converter/readers/languages.h"

#include <algorithm>
#include <cstring>
#include <regex>

#include "converter/error.h"

namespace latimer {
namespace {

// The code within the first pair of parentheses.
const char* PatternOf(LanguageTokens kind) {
  switch (kind) {
    case LanguageTokens::kNllb:
      return "([a-z]{3}_[A-Z][a-z]{3})";
    case LanguageTokens::kM2M100:
      return "__([a-z]{2,8})__";
    case LanguageTokens::kMBart50:
    case LanguageTokens::kMBart:
      break;
  }
  return "([a-z]{2}_[A-Z]{2})";
}

int32_t TokenOf(const char* side, const std::string& code,
                const CanonicalGeneration& generation) {
  std::string known;
  for (const Language& language : generation.languages) {
    if (code == language.code) return language.token;
    known += (known.empty() ? "" : ", ") + std::string(language.code);
  }
  throw ConversionError(std::string("--") + side + "-lang " + code + ": " +
                        (known.empty() ? "the model has no languages to choose "
                                         "from"
                                       : "the model has " + known) +
                        ".");
}

}  // namespace

void AddLanguages(LanguageTokens kind, bool legacy,
                  const std::map<std::string, int32_t>& token_ids,
                  CanonicalGeneration* generation) {
  const std::regex pattern(PatternOf(kind));
  for (const auto& [text, id] : token_ids) {
    std::smatch match;
    Language language = {.token = id, .code = {}};
    if (!std::regex_match(text, match, pattern) ||
        match[1].length() >= static_cast<ptrdiff_t>(sizeof(language.code))) {
      continue;
    }
    std::memcpy(language.code, match[1].str().c_str(),
                match[1].str().size() + 1);
    generation->languages.push_back(language);
  }
  std::ranges::sort(generation->languages, [](const auto& a, const auto& b) {
    return std::strcmp(a.code, b.code) < 0;
  });
  if (generation->languages.empty()) return;
  const bool behind = kind == LanguageTokens::kMBart ||
                      (kind == LanguageTokens::kNllb && legacy);
  generation->source_language =
      behind ? SourceLanguage::kAfterSuffix : SourceLanguage::kBeforeText;
  generation->target_language = kind == LanguageTokens::kMBart
                                    ? TargetLanguage::kDecoderStart
                                    : TargetLanguage::kForcedFirst;
}

void ChooseLanguages(const std::string& source, const std::string& target,
                     CanonicalGeneration* generation) {
  if (source.empty() && target.empty()) return;
  if (source.empty() || target.empty()) {
    throw ConversionError(
        "--source-lang and --target-lang belong together: give both or none.");
  }
  const int32_t from = TokenOf("source", source, *generation);
  const int32_t to = TokenOf("target", target, *generation);
  (generation->source_language == SourceLanguage::kAfterSuffix
       ? generation->source_suffix
       : generation->source_prefix)
      .push_back(from);
  (generation->target_language == TargetLanguage::kDecoderStart
       ? generation->decoder_start
       : generation->forced_first) = to;
  generation->languages.clear();
  generation->source_language = SourceLanguage::kNone;
  generation->target_language = TargetLanguage::kNone;
}

}  // namespace latimer
