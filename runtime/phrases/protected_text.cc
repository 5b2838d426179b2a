#include "phrases/protected_text.h"

#include <algorithm>

#include "text/ascii.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

bool IsWord(char c) { return IsAsciiAlnum(c) || c == '_'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The byte at text[at]; 0 beyond the end.
char At(std::string_view text, size_t at) {
  return at < text.size() ? text[at] : '\0';
}

// Longest placeholder in brackets, in bytes.
constexpr size_t kMostInBrackets = 200;

// From `open` at text[at] to `close`, without a line break.
size_t InBrackets(std::string_view text, size_t at, std::string_view open,
                  std::string_view close) {
  if (!From(text, at).starts_with(open)) return 0;
  const size_t most = std::min(text.size(), at + kMostInBrackets);
  for (size_t i = at + open.size(); i < most; ++i) {
    if (text[i] == '\n' || (open.size() == 1 && text[i] == open[0])) return 0;
    if (From(text, i).starts_with(close)) return i + close.size() - at;
  }
  return 0;
}

size_t Placeholder(std::string_view text, size_t at) {
  const size_t twice = InBrackets(text, at, "{{", "}}");
  if (twice > 0) return twice;
  const size_t sign =
      At(text, at) == '$' || At(text, at) == '#' || At(text, at) == '%' ? 1 : 0;
  const size_t braces = InBrackets(text, at + sign, "{", "}");
  return braces > 0 ? sign + braces : 0;
}

// A conversion of printf, with a number or a name as in Python; also %1 of Qt
// and %@ of Cocoa.
size_t Conversion(std::string_view text, size_t at) {
  if (At(text, at) != '%') return 0;
  const size_t named = InBrackets(text, at + 1, "(", ")");
  size_t end = at + 1 + named;
  size_t digits = end;
  while (IsAsciiDigit(At(text, digits))) ++digits;
  if (digits > end && At(text, digits) == '$') end = digits + 1;
  while (std::string_view("-+#0").find(At(text, end)) !=
         std::string_view::npos) {
    if (At(text, end) == '\0') return 0;
    ++end;
  }
  while (IsAsciiDigit(At(text, end))) ++end;
  if (At(text, end) == '.') {
    ++end;
    while (IsAsciiDigit(At(text, end))) ++end;
  }
  for (int i = 0; i < 2; ++i) {
    const char c = At(text, end);
    if (c == 'h' || c == 'l' || c == 'q' || c == 'j' || c == 'z' || c == 't' ||
        c == 'L') {
      ++end;
    }
  }
  const char c = At(text, end);
  if (c != '\0' && std::string_view("diouxXeEfFgGaAcspn@").find(c) !=
                       std::string_view::npos) {
    return IsWord(At(text, end + 1)) ? 0 : end + 1 - at;
  }
  return named == 0 && digits > at + 1 && !IsWord(At(text, digits)) &&
                 At(text, digits) != '%'
             ? digits - at
             : 0;
}

// Without the punctuation that ends a sentence or a clause. A bracket that was
// opened within stays.
size_t WithoutPunctuation(std::string_view text, size_t at, size_t end) {
  constexpr std::string_view kEnds = ".,;:!?'\")]}";
  const std::string_view all = Slice(text, at, end - at);
  ptrdiff_t unopened = std::count(all.begin(), all.end(), ')') -
                       std::count(all.begin(), all.end(), '(');
  while (end > at && kEnds.find(text[end - 1]) != kEnds.npos) {
    if (text[end - 1] == ')' && unopened-- <= 0) break;
    --end;
  }
  return end - at;
}

// Punctuation and spaces beyond ASCII: Latin, general, CJK and full-width.
bool IsOtherPunctuation(uint32_t c) {
  return (c >= 0x80 && c < 0xC0) || (c >= 0x2000 && c < 0x2070) ||
         (c >= 0x2E00 && c < 0x2E80) || (c >= 0x3000 && c < 0x3004) ||
         (c >= 0x3008 && c < 0x3020) || (c >= 0xFF00 && c < 0xFF10) ||
         (c >= 0xFF1A && c < 0xFF21) || (c >= 0xFF3B && c < 0xFF41) ||
         (c >= 0xFF5B && c < 0xFF66);
}

size_t Url(std::string_view text, size_t at) {
  const std::string_view rest = From(text, at);
  size_t begin = 0;
  for (const std::string_view scheme :
       {"https://", "http://", "ftp://", "www."}) {
    if (rest.starts_with(scheme)) begin = scheme.size();
  }
  if (begin == 0 || (at > 0 && IsWord(text[at - 1]))) return 0;
  size_t end = at + begin;
  while (end < text.size() && !IsSpace(text[end]) && text[end] != '<' &&
         text[end] != '>' && text[end] != '"') {
    const Utf8Char c = FirstChar(From(text, end));
    if (c.bytes == 0 || IsOtherPunctuation(c.code_point)) break;
    end += c.bytes;
  }
  const size_t bytes = WithoutPunctuation(text, at, end);
  return bytes > begin ? bytes : 0;
}

size_t EmailAddress(std::string_view text, size_t at) {
  const auto is_local = [](char c) {
    return IsWord(c) || c == '.' || c == '+' || c == '-' || c == '%';
  };
  if (at > 0 && is_local(text[at - 1])) return 0;
  size_t end = at;
  while (is_local(At(text, end))) ++end;
  if (end == at || At(text, end) != '@') return 0;
  const size_t host = ++end;
  while (IsWord(At(text, end)) || At(text, end) == '.' ||
         At(text, end) == '-') {
    ++end;
  }
  const size_t bytes = WithoutPunctuation(text, at, end);
  const size_t after = std::min(host, at + bytes);
  const std::string_view name = Slice(text, after, at + bytes - after);
  return name.find('.') != name.npos ? bytes : 0;
}

// Bytes of a space within a number with its unit: U+0020, U+00A0, U+202F.
size_t UnitSpace(std::string_view text, size_t at) {
  const std::string_view rest = From(text, std::min(at, text.size()));
  for (const std::string_view space : {" ", "\xC2\xA0", "\xE2\x80\xAF"}) {
    if (rest.starts_with(space)) return space.size();
  }
  return 0;
}

constexpr std::string_view kUnits[] = {
    "km/h", "kWh", "kHz", "MHz", "GHz",     "kB",      "KB",
    "MB",   "GB",  "TB",  "KiB", "MiB",     "GiB",     "km",
    "cm",   "mm",  "kg",  "mg",  "ml",      "Hz",      "kW",
    "ms",   "px",  "pt",  "dB",  "m",       "g",       "l",
    "s",    "W",   "V",   "%",   "\u00B0C", "\u00B0F", "\xE2\x82\xAC",
    "$"};

// Scripts whose words have no spaces between them.
bool HasNoSpaces(uint32_t c) {
  return (c >= 0x0E00 && c < 0x1000) || (c >= 0x1780 && c < 0x1800) ||
         (c >= 0x2E80 && c < 0xA4D0) || (c >= 0xF900 && c < 0xFB00) ||
         c >= 0x20000;
}

bool IsWordCharacter(uint32_t c) {
  if (c < 0x80) return IsWord(static_cast<char>(c));
  // Latin punctuation and signs, general punctuation, symbols.
  return c >= 0xC0 && !(c >= 0x2000 && c < 0x2C00) && !HasNoSpaces(c);
}

// Whether `rest` goes on with what is before it: a word, or an exponent.
bool GoesOn(std::string_view rest) {
  const Utf8Char c = FirstChar(rest);
  if (c.bytes == 0) return !rest.empty();
  return IsWordCharacter(c.code_point) || c.code_point == 0xB2 ||
         c.code_point == 0xB3 ||
         (c.code_point >= 0x2070 && c.code_point < 0x20A0);
}

size_t NumberWithUnit(std::string_view text, size_t at) {
  if (!IsAsciiDigit(At(text, at)) || (at > 0 && IsWord(text[at - 1]))) return 0;
  size_t end = at;
  while (
      IsAsciiDigit(At(text, end)) ||
      ((At(text, end) == '.' || At(text, end) == ',' || At(text, end) == ':') &&
       IsAsciiDigit(At(text, end + 1)))) {
    ++end;
  }
  const bool is_time =
      Slice(text, at, end - at).find(':') != std::string_view::npos;
  const size_t unit_begin = end + UnitSpace(text, end);
  const std::string_view rest = From(text, std::min(unit_begin, text.size()));
  for (const std::string_view unit : kUnits) {
    if (!rest.starts_with(unit)) continue;
    if (GoesOn(From(rest, unit.size()))) continue;
    if (unit == "s" && unit_begin == end) continue;  // 1990s
    return unit_begin + unit.size() - at;
  }
  return is_time ? end - at : 0;
}

// Digits with single separators between them: where they end.
size_t EndOfNumber(std::string_view text, size_t at,
                   std::string_view separators) {
  while (IsAsciiDigit(At(text, at)) ||
         (At(text, at) != '\0' &&
          separators.find(At(text, at)) != separators.npos &&
          IsAsciiDigit(At(text, at + 1)))) {
    ++at;
  }
  return at;
}

size_t CountDigits(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, IsAsciiDigit));
}

// A sign of a currency before a number, perhaps with letters before it, as in
// R$ 5.
size_t Price(std::string_view text, size_t at) {
  if (at > 0 && IsWord(text[at - 1])) return 0;
  size_t end = at;
  while (end < at + 2 && At(text, end) >= 'A' && At(text, end) <= 'Z') ++end;
  const Utf8Char sign = FirstChar(From(text, std::min(end, text.size())));
  if (sign.code_point != '$' &&
      (sign.code_point < 0xA2 || sign.code_point > 0xA5) &&
      (sign.code_point < 0x20A0 || sign.code_point > 0x20CF)) {
    return 0;
  }
  end += sign.bytes;
  end += UnitSpace(text, end);
  if (!IsAsciiDigit(At(text, end))) return 0;
  return EndOfNumber(text, end, ".,") - at;
}

// v2.14.0-rc1, 1.2.3, and 192.168.0.1.
size_t Version(std::string_view text, size_t at) {
  if (at > 0 && (IsWord(text[at - 1]) || text[at - 1] == '.')) return 0;
  const bool has_letter = At(text, at) == 'v' || At(text, at) == 'V';
  const size_t begin = at + (has_letter ? 1 : 0);
  size_t end = EndOfNumber(text, begin, ".");
  const auto dots = std::ranges::count(Slice(text, begin, end - begin), '.');
  if (dots < (has_letter ? 1 : 2)) return 0;
  while (
      (At(text, end) == '-' || At(text, end) == '+' || At(text, end) == '.') &&
      IsAsciiAlnum(At(text, end + 1))) {
    ++end;
    while (IsAsciiAlnum(At(text, end))) ++end;
  }
  return IsWord(At(text, end)) ? 0 : end - at;
}

// /usr/lib, ~/x, ./x, ../x, and C:\x.
size_t Path(std::string_view text, size_t at) {
  const std::string_view rest = From(text, at);
  if (at > 0 && (IsWord(text[at - 1]) || text[at - 1] == '/' ||
                 text[at - 1] == '.' || text[at - 1] == '<')) {
    return 0;
  }
  const bool has_drive = IsAsciiLetter(At(text, at)) &&
                         At(text, at + 1) == ':' &&
                         (At(text, at + 2) == '\\' || At(text, at + 2) == '/');
  size_t end = at + (has_drive ? 2 : 0);
  bool is_relative = false;
  for (const std::string_view begin : {"~", ".", ".."}) {
    if (!rest.starts_with(begin) || At(text, at + begin.size()) != '/')
      continue;
    end = at + begin.size();
    is_relative = true;
  }
  const auto is_part = [](char c) {
    return IsWord(c) || c == '.' || c == '-' || c == '+' || c == '@' ||
           c == '~';
  };
  size_t parts = 0;
  while ((At(text, end) == '/' || (has_drive && At(text, end) == '\\')) &&
         is_part(At(text, end + 1))) {
    ++end;
    ++parts;
    while (is_part(At(text, end))) ++end;
  }
  if (parts < (has_drive || is_relative ? 1 : 2)) return 0;
  return WithoutPunctuation(text, at, end);
}

// +49 30 1234567, (555) 010-4477, 555-010-4477.
size_t PhoneNumber(std::string_view text, size_t at) {
  constexpr size_t kFewestDigits = 7;
  const char first = At(text, at);
  if (at > 0 && (IsWord(text[at - 1]) || text[at - 1] == '.')) return 0;
  if (first != '+' && first != '(' && !IsAsciiDigit(first)) return 0;
  size_t end = at + (first == '+' ? 1 : 0);
  bool has_area = false;  // In brackets.
  for (;;) {
    size_t next = end;
    if (next > at + 1 && At(text, next) == ' ') ++next;
    if (At(text, next) != '(') break;
    size_t close = EndOfNumber(text, next + 1, "");
    if (close == next + 1 || At(text, close) != ')') break;
    has_area = true;
    end = close + 1;
    if (At(text, end) == ' ' && IsAsciiDigit(At(text, end + 1))) ++end;
    break;
  }
  const bool is_marked = first == '+' || has_area;
  if (!IsAsciiDigit(At(text, end))) return 0;
  end = EndOfNumber(text, end, is_marked ? " -./" : "-");
  const std::string_view number = Slice(text, at, end - at);
  if (CountDigits(number) < kFewestDigits || IsWord(At(text, end)) ||
      (!is_marked && std::ranges::count(number, '-') < 2)) {
    return 0;
  }
  return end - at;
}

// Whether a word is a range of numbers or years, 1894-1895.
bool IsRange(std::string_view word) {
  constexpr size_t kMostDigits = 4;
  const size_t hyphen = word.find('-');
  return hyphen <= kMostDigits && word.size() - hyphen - 1 <= kMostDigits &&
         CountDigits(word) + 1 == word.size();
}

// Whether a word is a time as French and Portuguese write it: 20h30, 7h19min.
bool IsTime(std::string_view word) {
  size_t at = EndOfNumber(word, 0, "");
  if (at == 0 || at > 2 || (At(word, at) | 0x20) != 'h') return false;
  const size_t minutes = at + 1;
  at = EndOfNumber(word, minutes, "");
  const std::string_view rest = From(word, at);
  return at - minutes == 2 && (rest.empty() || rest == "min" || rest == "m");
}

// A number of six digits or more, perhaps with hyphens, or letters and digits
// in one word, such as BE0768880101, but neither 1990s, 20th, 20h30 nor
// 1894-1895.
size_t Identifier(std::string_view text, size_t at) {
  constexpr size_t kFewestDigits = 6;
  if (at > 0 &&
      (IsWordCharacter(LastChar(First(text, at)).code_point) ||
       (std::string_view("-.,").find(text[at - 1]) != std::string_view::npos &&
        at > 1 && IsWord(text[at - 2])))) {
    return 0;
  }
  size_t end = at;
  bool has_letter = false, has_capital = false;
  bool has_digit = false, mixes = false;
  while (IsAsciiAlnum(At(text, end)) || (At(text, end) == '-' && end > at &&
                                         IsAsciiAlnum(At(text, end + 1)))) {
    const char c = At(text, end++);
    if (c == '-' && !has_capital) has_letter = false;  // today-112
    if (IsAsciiLetter(c)) has_letter = true;
    if (c >= 'A' && c <= 'Z') has_capital = true;
    if (IsAsciiDigit(c)) {
      has_digit = true;
      mixes = mixes || has_letter;
    }
  }
  const std::string_view word = Slice(text, at, end - at);
  if (!has_digit || IsWordCharacter(FirstChar(From(text, end)).code_point)) {
    return 0;
  }
  const size_t digits = CountDigits(word);
  // 1,000,000 and 3.141592 are numbers.
  const bool goes_on = (At(text, end) == '.' || At(text, end) == ',') &&
                       IsAsciiDigit(At(text, end + 1));
  if (goes_on || IsRange(word) || IsTime(word)) return 0;
  return digits >= kFewestDigits || (mixes && digits >= 2) ? end - at : 0;
}

bool IsBoundary(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size()) return true;
  const Utf8Char before = LastChar(Slice(text, 0, at));
  const Utf8Char after = FirstChar(From(text, at));
  return !IsWordCharacter(before.code_point) ||
         !IsWordCharacter(after.code_point);
}

}  // namespace

size_t ProtectedBytes(std::string_view text, size_t at) {
  size_t bytes = 0;
  for (const auto find :
       {Placeholder, Conversion, Url, EmailAddress, NumberWithUnit, Price,
        Version, Path, PhoneNumber, Identifier}) {
    bytes = std::max(bytes, find(text, at));
  }
  return bytes;
}

size_t PatternBytes(std::string_view text, size_t at,
                    std::string_view pattern) {
  size_t end = at;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '*') {
      if (At(text, end) != pattern[i] || end >= text.size()) return 0;
      ++end;
      continue;
    }
    const char stop = At(pattern, i + 1);
    const size_t begin = end;
    while (end < text.size() && !IsSpace(text[end]) &&
           (stop == '\0' || text[end] != stop)) {
      ++end;
    }
    if (end == begin) return 0;
  }
  return end - at;
}

size_t TermBytes(std::string_view text, size_t at, std::string_view term) {
  const std::string_view found = First(From(text, at), term.size());
  if (term.empty() || found.size() < term.size() ||
      From(found, 1) != From(term, 1)) {
    return 0;
  }
  const bool may_be_capital = term[0] >= 'a' && term[0] <= 'z';
  if (found[0] != term[0] &&
      !(may_be_capital && found[0] == term[0] - 'a' + 'A')) {
    return 0;
  }
  return IsBoundary(text, at) && IsBoundary(text, at + term.size())
             ? term.size()
             : 0;
}

}  // namespace latimer
