#include "text/sentence_end.h"

#include "text/letter_case.h"
#include "text/slice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Quotes and brackets at a place, and what else is looked over there.
constexpr int kMostMarks = 8;
// Words such as the "z." of "z. B." that are looked at together.
constexpr int kMostParts = 4;

constexpr uint32_t kNoBreakSpace = 0xA0;
constexpr uint32_t kNarrowNoBreakSpace = 0x202F;

bool IsSpace(uint32_t c) {
  return IsBreakingSpace(c) || c == kNoBreakSpace || c == kNarrowNoBreakSpace;
}

bool IsDigit(uint32_t c) { return c >= '0' && c <= '9'; }

bool IsOpening(uint32_t c) {
  switch (c) {
    case '"':
    case '\'':
    case '(':
    case '[':
    case '{':
    case '*':
    case '_':
    case '-':
    case 0xA1:  // ¡
    case 0xAB:
    case 0xBB:  // » opens in German and Danish
    case 0xBF:  // ¿
    case 0x2010:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015:
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201C:
    case 0x201D:  // ” opens in Swedish
    case 0x201E:
    case 0x2039:
    case 0x203A:
    case 0x300A:
    case 0x300C:
    case 0x300E:
    case 0x3010:
    case 0xFF08:
      return true;
    default:
      return false;
  }
}

enum class StopKind : uint8_t { kNone, kPeriod, kOther, kUnspaced };

// Removes closing quotes and brackets, and the space of " »".
void RemoveClosing(std::string_view* text) {
  for (int i = 0; i < kMostMarks; ++i) {
    const Utf8Char last = LastChar(*text);
    if (last.bytes == 0 || !IsClosingMark(last.code_point)) return;
    text->remove_suffix(last.bytes);
    const Utf8Char space = LastChar(*text);
    if (last.code_point == 0xBB && space.bytes > 0 &&
        IsSpace(space.code_point)) {
      text->remove_suffix(space.bytes);
    }
  }
}

// Removes stops, and quotes behind them, from the end of `text`.
StopKind RemoveStop(std::string_view* text) {
  RemoveClosing(text);
  StopKind kind = StopKind::kNone;
  for (int i = 0; i < kMostMarks; ++i) {
    const Utf8Char last = LastChar(*text);
    if (last.bytes == 0 || !IsStop(last.code_point)) break;
    if (IsUnspacedStop(last.code_point)) {
      kind = StopKind::kUnspaced;
    } else if (kind == StopKind::kNone) {
      kind = last.code_point == '.' ? StopKind::kPeriod : StopKind::kOther;
    } else if (kind == StopKind::kPeriod) {
      kind = StopKind::kOther;
    }
    text->remove_suffix(last.bytes);
  }
  return kind;
}

// What a text goes on with behind white space.
struct Following {
  enum class Kind : uint8_t {
    kNeedsMore,
    kNothing,
    kClosing,
    kDigit,
    kLower,
    kOther
  };
  Kind kind;
  std::string_view text;  // From its first letter on.
};

Following Look(std::string_view text, bool all) {
  using Kind = Following::Kind;
  for (int i = 0; i < 2 * kMostMarks; ++i) {
    if (text.empty()) return {all ? Kind::kNothing : Kind::kNeedsMore, text};
    const Utf8Char c = FirstChar(text);
    if (c.bytes == 0) {
      const bool cut = text.size() < AnnouncedBytes(text[0]);
      return {cut && !all ? Kind::kNeedsMore : Kind::kOther, text};
    }
    if (c.code_point == 0xBB && i == 0) {  // French: "Oui. » Il"
      const std::string_view rest = From(text, c.bytes);
      if (rest.empty() && !all) return {Kind::kNeedsMore, text};
      const Utf8Char next = FirstChar(rest);
      if (next.bytes > 0 && IsSpace(next.code_point)) {
        return {Kind::kClosing, text};
      }
    }
    if (IsOpening(c.code_point) || (i > 0 && IsSpace(c.code_point))) {
      text.remove_prefix(c.bytes);
      continue;
    }
    if (IsDigit(c.code_point)) return {Kind::kDigit, text};
    return {CaseOf(c.code_point) == LetterCase::kLower ? Kind::kLower
                                                       : Kind::kOther,
            text};
  }
  return {Kind::kOther, text};
}

uint32_t Lookup(const SentenceRules& rules, std::string_view word) {
  if (rules.words.empty() || word.empty() || word.size() > kMostWordBytes) {
    return 0;
  }
  uint32_t value = FindKey(rules.words, word);
  if (value != kTrieNone) return value;
  if (word[0] < 'A' || word[0] > 'Z') return 0;
  char lower[kMostWordBytes];
  for (size_t i = 0; i < word.size(); ++i) lower[i] = word[i];
  lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
  value = FindKey(rules.words, {lower, word.size()});
  return value == kTrieNone ? 0 : value & ~uint32_t{kBegins};
}

// Whether the next word nearly always begins a sentence.
Verdict Begins(const SentenceRules& rules, const Following& following,
               bool all) {
  if (rules.words.empty()) return Verdict::kNo;
  const std::string_view text = following.text;
  size_t bytes = 0;
  while (bytes <= kMostWordBytes) {
    const std::string_view rest = From(text, bytes);
    const Utf8Char c = FirstChar(rest);
    if (c.bytes == 0 && !all &&
        (rest.empty() || rest.size() < AnnouncedBytes(rest[0]))) {
      return Verdict::kNeedsMore;
    }
    if (c.bytes == 0 || CaseOf(c.code_point) == LetterCase::kNone) break;
    bytes += c.bytes;
  }
  const std::string_view word = Slice(text, 0, bytes);
  return (Lookup(rules, word) & kBegins) != 0 ? Verdict::kYes : Verdict::kNo;
}

// The word that `text` ends with, up to white space and without quotes before
// it. Longer ones than any abbreviation are cut.
std::string_view LastWord(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && text.size() - begin <= kMostWordBytes) {
    const Utf8Char c = LastChar(Slice(text, 0, begin));
    if (c.bytes == 0 || IsSpace(c.code_point)) break;
    begin -= c.bytes;
  }
  std::string_view word = From(text, begin);
  for (;;) {
    const Utf8Char c = FirstChar(word);
    if (c.bytes == 0 || !IsOpening(c.code_point)) return word;
    word.remove_prefix(c.bytes);
  }
}

// Bits of the word before a period, which ends at the end of `before`; also of
// "z. B" and "d'env".
uint32_t BitsOfWord(const SentenceRules& rules, std::string_view before,
                    std::string_view word) {
  char joined[kMostWordBytes];
  size_t size = 0;  // Of what is joined, at the end.
  uint32_t bits = 0;
  std::string_view part = word;
  for (int i = 0; i < kMostParts; ++i) {
    if (part.size() > sizeof(joined) - size) break;
    size += part.size();
    char* const begin = joined + sizeof(joined) - size;
    for (size_t k = 0; k < part.size(); ++k) begin[k] = part[k];
    const uint32_t found = Lookup(rules, {begin, size});
    if (found != 0) bits = found;  // The longest counts.
    // "B" goes on with "z.", if that stands before it.
    const size_t at = static_cast<size_t>(part.data() - before.data());
    std::string_view rest = Slice(before, 0, at);
    const Utf8Char space = LastChar(rest);
    if (space.bytes == 0 || !IsSpace(space.code_point)) break;
    rest.remove_suffix(space.bytes);
    if (rest.empty() || rest.back() != '.') break;
    part = LastWord(rest);
    if (part.empty()) break;
  }
  if (bits != 0) return bits;
  for (size_t i = word.size(); i > 0; --i) {
    const std::string_view end = From(word, i);
    if (word[i - 1] == '-' || word[i - 1] == '\'' || word[i - 1] == '/' ||
        Slice(word, 0, i).ends_with("\u2019")) {
      return Lookup(rules, end);
    }
  }
  return 0;
}

// "J", "U.S", "Ph.D": parts of one or two letters, each before a period. A
// single part has one.
bool IsInitials(std::string_view word) {
  int letters = 0, parts = 1, total = 0;
  while (!word.empty()) {
    const Utf8Char c = FirstChar(word);
    if (c.bytes == 0) return false;
    word.remove_prefix(c.bytes);
    if (c.code_point == '.') {
      if (letters == 0) return false;
      ++parts;
      letters = 0;
      continue;
    }
    if (CaseOf(c.code_point) == LetterCase::kNone || ++letters > 2) {
      return false;
    }
    ++total;
  }
  return total > 0 && (parts > 1 || total == 1);
}

bool IsNumber(std::string_view word) {
  for (const char c : word) {
    if (!IsDigit(static_cast<unsigned char>(c))) return false;
  }
  return !word.empty();
}

bool IsRomanNumeral(std::string_view word) {
  for (const char c : word) {
    if (c != 'I' && c != 'V' && c != 'X') return false;
  }
  return !word.empty();
}

Verdict Not(Verdict verdict) {
  if (verdict == Verdict::kNeedsMore) return verdict;
  return verdict == Verdict::kYes ? Verdict::kNo : Verdict::kYes;
}

// Whether the period behind `before` is but that of an abbreviation or a
// number.
Verdict IsPartOfWord(const SentenceRules& rules, std::string_view before,
                     const Following& following, bool all) {
  const std::string_view word = LastWord(before);
  const bool digit_follows = following.kind == Following::Kind::kDigit;
  if (IsNumber(word)) {
    if (word.size() <= 3 && word.data() == before.data()) return Verdict::kYes;
    if (!rules.ordinals || word.size() > 2) return Verdict::kNo;
    if (digit_follows) return Verdict::kYes;
    return Not(Begins(rules, following, all));
  }
  const uint32_t bits = BitsOfWord(rules, before, word);
  if ((bits & kNeverEnds) != 0) return Verdict::kYes;
  if ((bits & kBeforeNumber) != 0 && digit_follows) return Verdict::kYes;
  if ((bits & kIsWord) != 0) return Verdict::kNo;
  if ((bits & kAbbreviation) != 0 || IsInitials(word) ||
      (rules.ordinals && IsRomanNumeral(word))) {
    return digit_follows ? Verdict::kYes : Not(Begins(rules, following, all));
  }
  return Verdict::kNo;
}

// Bytes of "12." or "12)" and the space behind that `text` begins with, or 0.
size_t ListNumberBytes(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && digits < 3 &&
         IsDigit(static_cast<unsigned char>(text[digits]))) {
    ++digits;
  }
  const bool is_number = digits > 0 && digits + 1 < text.size() &&
                         (text[digits] == '.' || text[digits] == ')') &&
                         (text[digits + 1] == ' ' || text[digits + 1] == '\t');
  return is_number ? digits + 2 : 0;
}

}  // namespace

bool IsUnspacedStop(uint32_t c) {
  switch (c) {
    case 0x0589:  // Armenian
    case 0x061F:  // Arabic
    case 0x06D4:
    case 0x0964:  // Indic
    case 0x0965:
    case 0x104A:  // Burmese
    case 0x104B:
    case 0x1362:  // Ethiopic
    case 0x1367:
    case 0x17D4:  // Khmer
    case 0x17D5:
    case 0x3002:
    case 0xFF01:
    case 0xFF0E:
    case 0xFF1F:
    case 0xFF61:
      return true;
    default:
      return false;
  }
}

bool IsStop(uint32_t c) {
  return c == '.' || c == '!' || c == '?' || c == 0x2026 || c == 0x203C ||
         c == 0x203D || (c >= 0x2047 && c <= 0x2049) || c == 0x037E ||
         IsUnspacedStop(c);
}

Verdict EndsAtSpace(const SentenceRules& rules, std::string_view before,
                    std::string_view after, bool all) {
  const StopKind stop = RemoveStop(&before);
  if (stop == StopKind::kNone) return Verdict::kNo;
  if (stop == StopKind::kUnspaced) return Verdict::kYes;
  const Following following = Look(after, all);
  switch (following.kind) {
    case Following::Kind::kNeedsMore:
      return Verdict::kNeedsMore;
    case Following::Kind::kNothing:
      return Verdict::kYes;
    case Following::Kind::kClosing:
    case Following::Kind::kLower:
      return Verdict::kNo;
    case Following::Kind::kDigit:
    case Following::Kind::kOther:
      break;
  }
  if (stop == StopKind::kOther) return Verdict::kYes;
  return Not(IsPartOfWord(rules, before, following, all));
}

Verdict BeginsListItem(std::string_view before, std::string_view after,
                       bool all) {
  constexpr size_t kMostMarkBytes = 5;
  if (after.size() < kMostMarkBytes && !all) return Verdict::kNeedsMore;
  const Utf8Char c = FirstChar(after);
  if (c.bytes == 0) return Verdict::kNo;
  const bool bullet = c.code_point == '*' || c.code_point == '-' ||
                      c.code_point == 0x2022 || c.code_point == 0x2023 ||
                      c.code_point == 0x25AA || c.code_point == 0x25E6;
  if (bullet) {
    const std::string_view rest = From(after, c.bytes);
    return rest.starts_with(' ') || rest.starts_with('\t') ? Verdict::kYes
                                                           : Verdict::kNo;
  }
  const bool in_list = ListNumberBytes(before) > 0 || before.ends_with(':');
  return in_list && ListNumberBytes(after) > 0 ? Verdict::kYes : Verdict::kNo;
}

}  // namespace latimer
