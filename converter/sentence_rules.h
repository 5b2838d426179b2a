// The rules by which a model's source text is split into sentences: lists of
// words per language, from converter/sentence_rules.
#ifndef LATIMER_CONVERTER_SENTENCE_RULES_H_
#define LATIMER_CONVERTER_SENTENCE_RULES_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "converter/canonical_model.h"

namespace latimer {

// The files of converter/sentence_rules, by name: "de".
const std::map<std::string, std::string>& SentenceRuleFiles();

// "cs da de ...".
std::string SentenceRuleNames();

// The rules of one or more languages, given as ISO 639 codes that are separated
// by commas. A code may have what models append to it: "de", "deu",
// "deu_Latn", "de_DE". Throws ConversionError if one is unknown.
CanonicalSentenceRules MakeSentenceRules(std::string_view languages);

// The same for one language; nothing if it is unknown.
std::optional<CanonicalSentenceRules> FindSentenceRules(
    std::string_view language);

// The source language that a Hugging Face folder names; empty: none.
std::string SourceLanguageOf(const std::filesystem::path& folder);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SENTENCE_RULES_H_
