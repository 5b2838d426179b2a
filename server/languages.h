// Codes and English names of languages.
#ifndef LATIMER_SERVER_LANGUAGES_H_
#define LATIMER_SERVER_LANGUAGES_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace latimer::server {

// The code of ISO 639-1 for one that a model uses: "de" for "deu_Latn", "de_DE"
// and "de"; "zh-Hant" for "zho_Hant". Other codes stay as they are.
std::string PublicCode(std::string_view code);

// The public code that a client means: "de" for "DE", "zh-Hant" for "zt".
std::string CodeFrom(std::string_view given);

// "German" for "de"; the code itself if its name is not known.
std::string NameOf(std::string_view code);

// Languages at the end of a name: "en" and "de" for "opus-mt-en-de".
std::optional<std::pair<std::string, std::string>> LanguagesInName(
    std::string_view name);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_LANGUAGES_H_
