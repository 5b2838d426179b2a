#include "converter/sentence_rules.h"

#include <sstream>

#include "base/check.h"
#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/trie_builder.h"
#include "text/sentence_end.h"

namespace latimer {
namespace {

struct RuleFile {
  std::string name;
  const std::string* text;
};

// The language of "deu_Latn", "de_DE" or "pt-BR".
std::string_view Bare(std::string_view code) {
  return code.substr(0, code.find_first_of("_-"));
}

std::optional<RuleFile> FindLanguage(std::string_view code) {
  for (const auto& [name, text] : SentenceRuleFiles()) {
    std::istringstream lines(text);
    std::string key;
    std::string known;
    lines >> key;
    LATIMER_CHECK(key == "codes:");
    std::getline(lines, known);
    std::istringstream codes(known);
    for (std::string one; codes >> one;) {
      if (one == Bare(code)) return RuleFile{name, &text};
    }
  }
  return std::nullopt;
}

uint32_t BitOf(std::string_view key) {
  if (key == "never:") return kNeverEnds;
  if (key == "number:") return kBeforeNumber;
  if (key == "may-end:") return kAbbreviation;
  if (key == "begins:") return kBegins;
  if (key == "words:") return kIsWord;
  return 0;
}

// Adds the words of a language to `*entries`, and the rest to `*rules`.
void AddLanguage(const RuleFile& language,
                 std::map<std::string, uint32_t>* entries,
                 CanonicalSentenceRules* rules) {
  if (!rules->languages.empty()) rules->languages += ' ';
  rules->languages += language.name;
  std::istringstream lines(*language.text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "codes:") continue;
    for (std::string word; words >> word;) {
      if (key == "ordinals:") {
        rules->ordinals = rules->ordinals || word == "yes";
        continue;
      }
      LATIMER_CHECK(BitOf(key) != 0 && word.size() <= kMostWordBytes);
      (*entries)[word] |= BitOf(key);
    }
  }
}

}  // namespace

std::string SentenceRuleNames() {
  const auto name = [](const auto& file) { return file.first; };
  return Joined(SentenceRuleFiles(), name, " ");
}

CanonicalSentenceRules MakeSentenceRules(std::string_view languages) {
  CanonicalSentenceRules rules;
  std::map<std::string, uint32_t> entries;
  std::istringstream codes{std::string(languages)};
  for (std::string code; std::getline(codes, code, ',');) {
    const std::optional<RuleFile> language = FindLanguage(code);
    if (!language) {
      FailWith("There are no sentence rules for \"", code, "\", but of ",
               SentenceRuleNames(),
               "; without any those for all languages hold.");
    }
    AddLanguage(*language, &entries, &rules);
  }
  rules.words = BuildTrie(entries);
  return rules;
}

std::optional<CanonicalSentenceRules> FindSentenceRules(
    std::string_view language) {
  if (!FindLanguage(language)) return std::nullopt;
  return MakeSentenceRules(language);
}

std::string SourceLanguageOf(const std::filesystem::path& folder) {
  const auto config = JsonFields::Open(folder / "tokenizer_config.json");
  const nlohmann::json* language =
      config ? config->Find("source_lang") : nullptr;
  return language != nullptr && language->is_string()
             ? language->get<std::string>()
             : "";
}

}  // namespace latimer
