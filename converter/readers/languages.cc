#include "converter/readers/languages.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "converter/error.h"

namespace latimer {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// Whether `text` has this shape, where `a` stands for any small letter and `A`
// for any capital letter.
bool HasShape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char like) {
    if (like == 'a') return IsLower(c);
    return like == 'A' ? c >= 'A' && c <= 'Z' : c == like;
  });
}

// The language code that a token stands for, or "".
std::string_view CodeOf(TokenizerClass kind, std::string_view token) {
  switch (kind) {
    case TokenizerClass::kNllb:
      return HasShape(token, "aaa_Aaaa") ? token : "";
    case TokenizerClass::kM2m100: {
      if (token.size() < 6 || !token.starts_with("__") ||
          !token.ends_with("__")) {
        return "";
      }
      const std::string_view code = token.substr(2, token.size() - 4);
      return std::ranges::all_of(code, IsLower) ? code : "";
    }
    case TokenizerClass::kMBart50:
    case TokenizerClass::kMBart:
      return HasShape(token, "aa_AA") ? token : "";
    case TokenizerClass::kBart:
    case TokenizerClass::kT5:
    case TokenizerClass::kByT5:
    case TokenizerClass::kPegasus:
      break;
  }
  return "";
}

int32_t TokenOf(const char* side, const std::string& code,
                const CanonicalGeneration& generation) {
  for (const Language& language : generation.languages) {
    if (code == language.code) return language.token;
  }
  const std::string known = Joined(generation.languages, &Language::code);
  FailWith("--", side, "-lang ", code, ": ",
           known.empty() ? "the model has no languages to choose from"
                         : "the model has " + known,
           ".");
}

}  // namespace

void AddLanguages(TokenizerClass kind, bool legacy,
                  const std::map<std::string, int32_t>& token_ids,
                  CanonicalGeneration* generation) {
  for (const auto& [token, id] : token_ids) {
    const std::string_view code = CodeOf(kind, token);
    Language language = {.token = id, .code = {}};
    if (code.empty() || code.size() >= sizeof(language.code)) continue;
    std::ranges::copy(code, language.code);
    generation->languages.push_back(language);
  }
  std::ranges::sort(generation->languages, [](const auto& a, const auto& b) {
    return std::strcmp(a.code, b.code) < 0;
  });
  if (generation->languages.empty()) return;
  const bool after_eos = kind == TokenizerClass::kMBart ||
                         (kind == TokenizerClass::kNllb && legacy);
  generation->source_language =
      after_eos ? SourceLanguage::kAfterSuffix : SourceLanguage::kBeforeText;
  generation->target_language = kind == TokenizerClass::kMBart
                                    ? TargetLanguage::kDecoderStart
                                    : TargetLanguage::kForcedFirst;
}

void ChooseLanguages(const std::string& source, const std::string& target,
                     CanonicalGeneration* generation) {
  if (source.empty() && target.empty()) return;
  if (source.empty() || target.empty()) {
    FailWith(
        "--source-lang and --target-lang belong together: give both or "
        "neither.");
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
