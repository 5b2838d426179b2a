#include "markup/character_reference.h"

#include <algorithm>

#include "text/slice.h"

namespace latimer {
namespace {

struct Named {
  char name[9];
  uint16_t code_point;
  bool bare = false;  // It is read without ";", too.

  std::string_view view() const {
    const std::string_view all(name, sizeof(name));
    return Slice(all, 0, std::min(all.find('\0'), all.size()));
  }
};

// Those of HTML 4, &apos;, and the others that browsers read without ";", such
// as &COPY; ascending.
constexpr Named kNamed[] = {
    {"AElig", 0xC6, true},  {"AMP", 0x26, true},    {"Aacute", 0xC1, true},
    {"Acirc", 0xC2, true},  {"Agrave", 0xC0, true}, {"Alpha", 0x391},
    {"Aring", 0xC5, true},  {"Atilde", 0xC3, true}, {"Auml", 0xC4, true},
    {"Beta", 0x392},        {"COPY", 0xA9, true},   {"Ccedil", 0xC7, true},
    {"Chi", 0x3A7},         {"Dagger", 0x2021},     {"Delta", 0x394},
    {"ETH", 0xD0, true},    {"Eacute", 0xC9, true}, {"Ecirc", 0xCA, true},
    {"Egrave", 0xC8, true}, {"Epsilon", 0x395},     {"Eta", 0x397},
    {"Euml", 0xCB, true},   {"GT", 0x3E, true},     {"Gamma", 0x393},
    {"Iacute", 0xCD, true}, {"Icirc", 0xCE, true},  {"Igrave", 0xCC, true},
    {"Iota", 0x399},        {"Iuml", 0xCF, true},   {"Kappa", 0x39A},
    {"LT", 0x3C, true},     {"Lambda", 0x39B},      {"Mu", 0x39C},
    {"Ntilde", 0xD1, true}, {"Nu", 0x39D},          {"OElig", 0x152},
    {"Oacute", 0xD3, true}, {"Ocirc", 0xD4, true},  {"Ograve", 0xD2, true},
    {"Omega", 0x3A9},       {"Omicron", 0x39F},     {"Oslash", 0xD8, true},
    {"Otilde", 0xD5, true}, {"Ouml", 0xD6, true},   {"Phi", 0x3A6},
    {"Pi", 0x3A0},          {"Prime", 0x2033},      {"Psi", 0x3A8},
    {"QUOT", 0x22, true},   {"REG", 0xAE, true},    {"Rho", 0x3A1},
    {"Scaron", 0x160},      {"Sigma", 0x3A3},       {"THORN", 0xDE, true},
    {"Tau", 0x3A4},         {"Theta", 0x398},       {"Uacute", 0xDA, true},
    {"Ucirc", 0xDB, true},  {"Ugrave", 0xD9, true}, {"Upsilon", 0x3A5},
    {"Uuml", 0xDC, true},   {"Xi", 0x39E},          {"Yacute", 0xDD, true},
    {"Yuml", 0x178},        {"Zeta", 0x396},        {"aacute", 0xE1, true},
    {"acirc", 0xE2, true},  {"acute", 0xB4, true},  {"aelig", 0xE6, true},
    {"agrave", 0xE0, true}, {"alefsym", 0x2135},    {"alpha", 0x3B1},
    {"amp", 0x26, true},    {"and", 0x2227},        {"ang", 0x2220},
    {"apos", 0x27},         {"aring", 0xE5, true},  {"asymp", 0x2248},
    {"atilde", 0xE3, true}, {"auml", 0xE4, true},   {"bdquo", 0x201E},
    {"beta", 0x3B2},        {"brvbar", 0xA6, true}, {"bull", 0x2022},
    {"cap", 0x2229},        {"ccedil", 0xE7, true}, {"cedil", 0xB8, true},
    {"cent", 0xA2, true},   {"chi", 0x3C7},         {"circ", 0x2C6},
    {"clubs", 0x2663},      {"cong", 0x2245},       {"copy", 0xA9, true},
    {"crarr", 0x21B5},      {"cup", 0x222A},        {"curren", 0xA4, true},
    {"dArr", 0x21D3},       {"dagger", 0x2020},     {"darr", 0x2193},
    {"deg", 0xB0, true},    {"delta", 0x3B4},       {"diams", 0x2666},
    {"divide", 0xF7, true}, {"eacute", 0xE9, true}, {"ecirc", 0xEA, true},
    {"egrave", 0xE8, true}, {"empty", 0x2205},      {"emsp", 0x2003},
    {"ensp", 0x2002},       {"epsilon", 0x3B5},     {"equiv", 0x2261},
    {"eta", 0x3B7},         {"eth", 0xF0, true},    {"euml", 0xEB, true},
    {"euro", 0x20AC},       {"exist", 0x2203},      {"fnof", 0x192},
    {"forall", 0x2200},     {"frac12", 0xBD, true}, {"frac14", 0xBC, true},
    {"frac34", 0xBE, true}, {"frasl", 0x2044},      {"gamma", 0x3B3},
    {"ge", 0x2265},         {"gt", 0x3E, true},     {"hArr", 0x21D4},
    {"harr", 0x2194},       {"hearts", 0x2665},     {"hellip", 0x2026},
    {"iacute", 0xED, true}, {"icirc", 0xEE, true},  {"iexcl", 0xA1, true},
    {"igrave", 0xEC, true}, {"image", 0x2111},      {"infin", 0x221E},
    {"int", 0x222B},        {"iota", 0x3B9},        {"iquest", 0xBF, true},
    {"isin", 0x2208},       {"iuml", 0xEF, true},   {"kappa", 0x3BA},
    {"lArr", 0x21D0},       {"lambda", 0x3BB},      {"lang", 0x27E8},
    {"laquo", 0xAB, true},  {"larr", 0x2190},       {"lceil", 0x2308},
    {"ldquo", 0x201C},      {"le", 0x2264},         {"lfloor", 0x230A},
    {"lowast", 0x2217},     {"loz", 0x25CA},        {"lrm", 0x200E},
    {"lsaquo", 0x2039},     {"lsquo", 0x2018},      {"lt", 0x3C, true},
    {"macr", 0xAF, true},   {"mdash", 0x2014},      {"micro", 0xB5, true},
    {"middot", 0xB7, true}, {"minus", 0x2212},      {"mu", 0x3BC},
    {"nabla", 0x2207},      {"nbsp", 0xA0, true},   {"ndash", 0x2013},
    {"ne", 0x2260},         {"ni", 0x220B},         {"not", 0xAC, true},
    {"notin", 0x2209},      {"nsub", 0x2284},       {"ntilde", 0xF1, true},
    {"nu", 0x3BD},          {"oacute", 0xF3, true}, {"ocirc", 0xF4, true},
    {"oelig", 0x153},       {"ograve", 0xF2, true}, {"oline", 0x203E},
    {"omega", 0x3C9},       {"omicron", 0x3BF},     {"oplus", 0x2295},
    {"or", 0x2228},         {"ordf", 0xAA, true},   {"ordm", 0xBA, true},
    {"oslash", 0xF8, true}, {"otilde", 0xF5, true}, {"otimes", 0x2297},
    {"ouml", 0xF6, true},   {"para", 0xB6, true},   {"part", 0x2202},
    {"permil", 0x2030},     {"perp", 0x22A5},       {"phi", 0x3C6},
    {"pi", 0x3C0},          {"piv", 0x3D6},         {"plusmn", 0xB1, true},
    {"pound", 0xA3, true},  {"prime", 0x2032},      {"prod", 0x220F},
    {"prop", 0x221D},       {"psi", 0x3C8},         {"quot", 0x22, true},
    {"rArr", 0x21D2},       {"radic", 0x221A},      {"rang", 0x27E9},
    {"raquo", 0xBB, true},  {"rarr", 0x2192},       {"rceil", 0x2309},
    {"rdquo", 0x201D},      {"real", 0x211C},       {"reg", 0xAE, true},
    {"rfloor", 0x230B},     {"rho", 0x3C1},         {"rlm", 0x200F},
    {"rsaquo", 0x203A},     {"rsquo", 0x2019},      {"sbquo", 0x201A},
    {"scaron", 0x161},      {"sdot", 0x22C5},       {"sect", 0xA7, true},
    {"shy", 0xAD, true},    {"sigma", 0x3C3},       {"sigmaf", 0x3C2},
    {"sim", 0x223C},        {"spades", 0x2660},     {"sub", 0x2282},
    {"sube", 0x2286},       {"sum", 0x2211},        {"sup", 0x2283},
    {"sup1", 0xB9, true},   {"sup2", 0xB2, true},   {"sup3", 0xB3, true},
    {"supe", 0x2287},       {"szlig", 0xDF, true},  {"tau", 0x3C4},
    {"there4", 0x2234},     {"theta", 0x3B8},       {"thetasym", 0x3D1},
    {"thinsp", 0x2009},     {"thorn", 0xFE, true},  {"tilde", 0x2DC},
    {"times", 0xD7, true},  {"trade", 0x2122},      {"uArr", 0x21D1},
    {"uacute", 0xFA, true}, {"uarr", 0x2191},       {"ucirc", 0xFB, true},
    {"ugrave", 0xF9, true}, {"uml", 0xA8, true},    {"upsih", 0x3D2},
    {"upsilon", 0x3C5},     {"uuml", 0xFC, true},   {"weierp", 0x2118},
    {"xi", 0x3BE},          {"yacute", 0xFD, true}, {"yen", 0xA5, true},
    {"yuml", 0xFF, true},   {"zeta", 0x3B6},        {"zwj", 0x200D},
    {"zwnj", 0x200C}};

// Names of HTML 5 that are not read, although they begin with one that is read
// without ";".
constexpr const char* kLonger[] = {
    "centerdot", "copysr",    "divideontimes", "gtcc",      "gtcir",
    "gtdot",     "gtlPar",    "gtquest",       "gtrapprox", "gtrarr",
    "gtrdot",    "gtreqless", "gtreqqless",    "gtrless",   "gtrsim",
    "ltcc",      "ltcir",     "ltdot",         "lthree",    "ltimes",
    "ltlarr",    "ltquest",   "ltrPar",        "ltri",      "ltrie",
    "ltrif",     "notinE",    "notindot",      "notinva",   "notinvb",
    "notinvc",   "notni",     "notniva",       "notnivb",   "notnivc",
    "parallel",  "timesb",    "timesbar",      "timesd"};

bool IsNameByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z');
}

int DigitOf(char c, uint32_t base) {
  int digit = -1;
  if (c >= '0' && c <= '9') digit = c - '0';
  if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
  return digit < static_cast<int>(base) ? digit : -1;
}

// What HTML reads for a number ("numeric character reference end state" of its
// standard): Windows-1252 for 0x80 to 0x9F, and U+FFFD for what is no
// character. 0 for control characters, which are none of a text.
uint32_t CharacterOf(uint32_t number) {
  constexpr uint16_t kWindows1252[] = {
      0x20AC, 0,      0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
      0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0,      0x17D,  0,
      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
      0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0,      0x17E,  0x178};
  if (number >= 0x80 && number < 0xA0) return kWindows1252[number - 0x80];
  if (number == 0 || number > 0x10FFFF ||
      (number >= 0xD800 && number <= 0xDFFF)) {
    return 0xFFFD;
  }
  const bool is_control =
      (number < ' ' && number != '\t' && number != '\n') || number == 0x7F;
  return is_control ? 0 : number;
}

CharacterReference ReadNumber(std::string_view text, bool all) {
  const uint32_t base = text.size() > 2 && (text[2] | 0x20) == 'x' ? 16 : 10;
  const size_t begin = base == 16 ? 3 : 2;
  size_t end = begin;
  uint32_t value = 0;
  while (end < text.size() && DigitOf(text[end], base) >= 0) {
    value = std::min<uint32_t>(
        value * base + static_cast<uint32_t>(DigitOf(text[end], base)),
        0x110000);
    ++end;
  }
  if (end >= text.size() && !all) return {.incomplete = true};
  if (end == begin) return {};
  if (end < text.size() && text[end] == ';') ++end;
  return {.bytes = end, .code_point = CharacterOf(value)};
}

// Null: not known.
const Named* Find(std::string_view name) {
  const Named* const last = std::end(kNamed);
  const Named* const found =
      std::lower_bound(std::begin(kNamed), last, name,
                       [](const Named& named, std::string_view wanted) {
                         return named.view() < wanted;
                       });
  return found != last && found->view() == name ? found : nullptr;
}

}  // namespace

CharacterReference ReadCharacterReference(std::string_view text, bool all) {
  if (text.size() > 1 && text[1] == '#') return ReadNumber(text, all);
  size_t end = 1;
  while (end < text.size() && IsNameByte(text[end]) && end <= kMostNameBytes) {
    ++end;
  }
  if (end >= text.size() && !all) return {.incomplete = true};
  const std::string_view name = Slice(text, 1, end - 1);
  const bool ends = end > 1 && end < text.size() && text[end] == ';';
  if (ends) {
    if (const Named* const found = Find(name); found != nullptr) {
      return {.bytes = end + 1, .code_point = found->code_point};
    }
    const auto is_name = [name](const char* other) { return name == other; };
    if (std::any_of(std::begin(kLonger), std::end(kLonger), is_name)) {
      return {.bytes = end + 1};
    }
  }
  for (size_t bytes = name.size(); bytes > 0; --bytes) {
    const Named* const found = Find(Slice(name, 0, bytes));
    if (found == nullptr || !found->bare) continue;
    return {.bytes = 1 + bytes, .code_point = found->code_point};
  }
  return {.bytes = ends ? end + 1 : 0};
}

}  // namespace latimer
