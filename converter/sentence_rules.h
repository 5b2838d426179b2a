// What a model file is to know about the sentences of its source: words by
// language, from converter/sentence_rules.
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

// The rules of one or more languages, with commas between; of each the code of
// ISO 639, with what a model may have behind it: "de", "deu", "deu_Latn",
// "de_DE". Throws ConversionError where one is unknown.
CanonicalSentenceRules MakeSentenceRules(std::string_view languages);

// The same of one language; nothing where it is unknown.
std::optional<CanonicalSentenceRules> FindSentenceRules(
    std::string_view language);

// The language that the folder of a Hugging Face model says it translates
// from; empty: none.
std::string SourceLanguageOf(const std::filesystem::path& folder);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SENTENCE_RULES_H_
