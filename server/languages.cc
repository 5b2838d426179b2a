#include "languages.h"

#include <algorithm>
#include <iterator>

namespace latimer::server {
namespace {

struct Row {
  std::string_view code;   // ISO 639-1
  std::string_view three;  // 639-3
  std::string_view name;
};
constexpr Row kRows[] = {
    {"af", "afr", "Afrikaans"},
    {"am", "amh", "Amharic"},
    {"ar", "ara", "Arabic"},
    {"ar", "arb", "Arabic"},
    {"az", "aze", "Azerbaijani"},
    {"az", "azj", "Azerbaijani"},
    {"be", "bel", "Belarusian"},
    {"bg", "bul", "Bulgarian"},
    {"bn", "ben", "Bengali"},
    {"bs", "bos", "Bosnian"},
    {"ca", "cat", "Catalan"},
    {"cs", "ces", "Czech"},
    {"cy", "cym", "Welsh"},
    {"da", "dan", "Danish"},
    {"de", "deu", "German"},
    {"el", "ell", "Greek"},
    {"en", "eng", "English"},
    {"eo", "epo", "Esperanto"},
    {"es", "spa", "Spanish"},
    {"et", "est", "Estonian"},
    {"eu", "eus", "Basque"},
    {"fa", "fas", "Persian"},
    {"fa", "pes", "Persian"},
    {"fi", "fin", "Finnish"},
    {"fr", "fra", "French"},
    {"ga", "gle", "Irish"},
    {"gd", "gla", "Scottish Gaelic"},
    {"gl", "glg", "Galician"},
    {"gu", "guj", "Gujarati"},
    {"ha", "hau", "Hausa"},
    {"he", "heb", "Hebrew"},
    {"hi", "hin", "Hindi"},
    {"hr", "hrv", "Croatian"},
    {"ht", "hat", "Haitian"},
    {"hu", "hun", "Hungarian"},
    {"hy", "hye", "Armenian"},
    {"id", "ind", "Indonesian"},
    {"ig", "ibo", "Igbo"},
    {"is", "isl", "Icelandic"},
    {"it", "ita", "Italian"},
    {"ja", "jpn", "Japanese"},
    {"jv", "jav", "Javanese"},
    {"ka", "kat", "Georgian"},
    {"kk", "kaz", "Kazakh"},
    {"km", "khm", "Khmer"},
    {"kn", "kan", "Kannada"},
    {"ko", "kor", "Korean"},
    {"ku", "kmr", "Kurdish"},
    {"ky", "kir", "Kyrgyz"},
    {"la", "lat", "Latin"},
    {"lb", "ltz", "Luxembourgish"},
    {"lo", "lao", "Lao"},
    {"lt", "lit", "Lithuanian"},
    {"lv", "lav", "Latvian"},
    {"lv", "lvs", "Latvian"},
    {"mg", "mlg", "Malagasy"},
    {"mg", "plt", "Malagasy"},
    {"mi", "mri", "Maori"},
    {"mk", "mkd", "Macedonian"},
    {"ml", "mal", "Malayalam"},
    {"mn", "mon", "Mongolian"},
    {"mn", "khk", "Mongolian"},
    {"mr", "mar", "Marathi"},
    {"ms", "msa", "Malay"},
    {"ms", "zsm", "Malay"},
    {"mt", "mlt", "Maltese"},
    {"my", "mya", "Burmese"},
    {"nb", "nob", "Norwegian"},
    {"ne", "nep", "Nepali"},
    {"ne", "npi", "Nepali"},
    {"nl", "nld", "Dutch"},
    {"no", "nor", "Norwegian"},
    {"pa", "pan", "Punjabi"},
    {"pl", "pol", "Polish"},
    {"ps", "pus", "Pashto"},
    {"ps", "pbt", "Pashto"},
    {"pt", "por", "Portuguese"},
    {"ro", "ron", "Romanian"},
    {"ru", "rus", "Russian"},
    {"sd", "snd", "Sindhi"},
    {"si", "sin", "Sinhala"},
    {"sk", "slk", "Slovak"},
    {"sl", "slv", "Slovenian"},
    {"so", "som", "Somali"},
    {"sq", "sqi", "Albanian"},
    {"sq", "als", "Albanian"},
    {"sr", "srp", "Serbian"},
    {"su", "sun", "Sundanese"},
    {"sv", "swe", "Swedish"},
    {"sw", "swa", "Swahili"},
    {"sw", "swh", "Swahili"},
    {"ta", "tam", "Tamil"},
    {"te", "tel", "Telugu"},
    {"tg", "tgk", "Tajik"},
    {"th", "tha", "Thai"},
    {"tl", "tgl", "Tagalog"},
    {"tr", "tur", "Turkish"},
    {"uk", "ukr", "Ukrainian"},
    {"ur", "urd", "Urdu"},
    {"uz", "uzb", "Uzbek"},
    {"uz", "uzn", "Uzbek"},
    {"vi", "vie", "Vietnamese"},
    {"xh", "xho", "Xhosa"},
    {"yi", "yid", "Yiddish"},
    {"yi", "ydd", "Yiddish"},
    {"yo", "yor", "Yoruba"},
    {"zh", "zho", "Chinese"},
    {"zu", "zul", "Zulu"},
};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

bool IsLanguage(std::string_view word) {
  return (word.size() == 2 || word.size() == 3) &&
         std::ranges::all_of(word, IsLower);
}

}  // namespace

std::string PublicCode(std::string_view code) {
  const size_t end = std::min(code.find('_'), code.size());
  const std::string_view language = code.substr(0, end);
  if (!IsLanguage(language)) return std::string(code);
  const auto* const row = std::ranges::find_if(kRows, [&](const Row& r) {
    return r.code == language || r.three == language;
  });
  if (row == std::end(kRows)) return std::string(code);
  const std::string_view script =
      end < code.size() ? code.substr(end + 1) : std::string_view();
  std::string out(row->code);
  // Of these scripts, both are written.
  if (script == "Hant" || script == "TW") out += "-Hant";
  return out;
}

std::string CodeFrom(std::string_view given) {
  std::string lower(given);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  // LibreTranslate has two names for these.
  if (lower == "zh-hans") return "zh";
  if (lower == "zt" || lower == "zh-hant") return "zh-Hant";
  return IsLanguage(lower) ? lower : std::string(given);
}

std::string NameOf(std::string_view code) {
  if (code == "zh-Hant") return "Chinese (traditional)";
  const auto* const row = std::ranges::find_if(
      kRows, [&](const Row& r) { return r.code == code || r.three == code; });
  return std::string(row == std::end(kRows) ? code : row->name);
}

std::optional<std::pair<std::string, std::string>> LanguagesInName(
    std::string_view name) {
  const auto is_part = [](char c) { return IsLower(c) || c == '-'; };
  size_t begin = name.size();
  while (begin > 0 && is_part(name[begin - 1])) --begin;
  name.remove_prefix(begin);
  const size_t second = name.rfind('-');
  if (second == name.npos || second == 0) return std::nullopt;
  const size_t before = name.rfind('-', second - 1);
  const size_t first = before == name.npos ? 0 : before + 1;
  const std::string_view source = name.substr(first, second - first);
  const std::string_view target = name.substr(second + 1);
  if (!IsLanguage(source) || !IsLanguage(target)) return std::nullopt;
  return std::pair(std::string(source), std::string(target));
}

}  // namespace latimer::server
