// The rules:
//
// * A blank line ends a sentence, and so does a line before an item of a list.
//   A line break alone is white space. (text/sentence_splitter.cc)
// * . ! ? and the ellipsis, with quotes and brackets after them, end a sentence
//   before white space unless a lower-case letter follows. Stops of Chinese,
//   Japanese, Indic scripts, Arabic, Armenian, Khmer, Burmese and Ethiopic need
//   no white space.
// * A period does not end a sentence after a title ("Mr."), a single letter
//   ("J."), letters with periods ("U.S."), an abbreviation or, in languages
//   such as German, a number of two digits. Except after titles, it does if the
//   next word nearly always begins a sentence ("The"). These words come from
//   the model file.
//
// A sentence of more than SentenceSplitter::kMostBytes is cut in its second
// half at a semicolon or colon, otherwise at a comma, white space or between
// characters. One that exceeds the longest source is cut by text/text_cut.cc.
#include "text/sentence_end.h"

#include <algorithm>

#include "text/letter_case.h"
#include "text/slice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Most quotes, brackets and stops in a row.
constexpr int kMostMarks = 8;
// Most words of one abbreviation, such as the two of "z. B.".
constexpr int kMostWords = 4;

constexpr uint32_t kNoBreakSpace = 0xA0;
constexpr uint32_t kNarrowNoBreakSpace = 0x202F;

bool IsSpace(uint32_t c) {
  return IsBreakingSpace(c) || c == kNoBreakSpace || c == kNarrowNoBreakSpace;
}

bool IsDigit(uint32_t c) { return c >= '0' && c <= '9'; }

bool IsOpening(uint32_t c) {
  // \u00BB opens in German and Danish, \u201D in Swedish.
  return IsOneOf(
      U"\"'([{*_-\u00A1\u00AB\u00BB\u00BF\u2010\u2012\u2013\u2014\u2015"
      U"\u2018\u2019\u201A\u201C\u201D\u201E\u2039\u203A\u300A\u300C"
      U"\u300E\u3010\uFF08",
      c);
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

// Removes stops, and quotes after them, from the end of `text`.
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

// How a text goes on after white space.
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
  std::string_view text;  // From the first letter on.
};

Following Look(std::string_view text, bool all) {
  using Kind = Following::Kind;
  for (int i = 0; i < 2 * kMostMarks; ++i) {
    // Marks alone, such as the » of " »", belong to the sentence before them.
    const Kind end = i == 0 ? Kind::kNothing : Kind::kClosing;
    if (text.empty()) return {all ? end : Kind::kNeedsMore, text};
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

// The word at the end of `text`: what follows the last white space, without
// opening quotes. A word that is longer than any abbreviation is cut.
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

// Bits of the word before a period, at the end of `before`. Also finds "z. B",
// an abbreviation of several words, and the "env" of "d'env".
uint32_t BitsOfWord(const SentenceRules& rules, std::string_view before,
                    std::string_view word) {
  char joined[kMostWordBytes];
  size_t size = 0;  // Of the words joined so far, at the end of `joined`.
  uint32_t bits = 0;
  std::string_view last = word;
  for (int i = 0; i < kMostWords; ++i) {
    if (last.size() > sizeof(joined) - size) break;
    size += last.size();
    char* const begin = joined + sizeof(joined) - size;
    for (size_t k = 0; k < last.size(); ++k) begin[k] = last[k];
    const uint32_t found = Lookup(rules, {begin, size});
    if (found != 0) bits = found;  // The longest counts.
    // "B" is extended by "z." if that precedes it.
    const size_t at = static_cast<size_t>(last.data() - before.data());
    std::string_view rest = Slice(before, 0, at);
    const Utf8Char space = LastChar(rest);
    if (space.bytes == 0 || !IsSpace(space.code_point)) break;
    rest.remove_suffix(space.bytes);
    if (rest.empty() || rest.back() != '.') break;
    last = LastWord(rest);
    if (last.empty()) break;
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

// "J", "U.S", "Ph.D": groups of one or two letters, separated by periods. A
// single group has one letter.
bool IsInitials(std::string_view word) {
  int letters = 0, groups = 1, total = 0;
  while (!word.empty()) {
    const Utf8Char c = FirstChar(word);
    if (c.bytes == 0) return false;
    word.remove_prefix(c.bytes);
    if (c.code_point == '.') {
      if (letters == 0) return false;
      ++groups;
      letters = 0;
      continue;
    }
    if (CaseOf(c.code_point) == LetterCase::kNone || ++letters > 2) {
      return false;
    }
    ++total;
  }
  return total > 0 && (groups > 1 || total == 1);
}

// Whether a word consists of such characters.
bool ConsistsOf(std::string_view characters, std::string_view word) {
  return !word.empty() && word.find_first_not_of(characters) == word.npos;
}

Verdict Not(Verdict verdict) {
  if (verdict == Verdict::kNeedsMore) return verdict;
  return verdict == Verdict::kYes ? Verdict::kNo : Verdict::kYes;
}

// Whether the period after `before` belongs to an abbreviation or a number, so
// that it does not end the sentence.
Verdict IsPartOfWord(const SentenceRules& rules, std::string_view before,
                     const Following& following, bool all) {
  const std::string_view word = LastWord(before);
  const bool digit_follows = following.kind == Following::Kind::kDigit;
  if (ConsistsOf("0123456789", word)) {
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
      (rules.ordinals && ConsistsOf("IVX", word))) {
    return digit_follows ? Verdict::kYes : Not(Begins(rules, following, all));
  }
  return Verdict::kNo;
}

// Bytes of "12. " or "12) " at the beginning of `text`, or 0.
size_t ListNumberBytes(std::string_view text) {
  constexpr size_t kMostDigits = 3;
  const size_t digits =
      std::min(text.find_first_not_of("0123456789"), text.size());
  const bool is_number = digits > 0 && digits <= kMostDigits &&
                         digits + 1 < text.size() &&
                         (text[digits] == '.' || text[digits] == ')') &&
                         (text[digits + 1] == ' ' || text[digits + 1] == '\t');
  return is_number ? digits + 2 : 0;
}

}  // namespace

bool IsUnspacedStop(uint32_t c) {
  // Armenian, Arabic, Indic, Burmese, Ethiopic, Khmer, Chinese and Japanese.
  return c >= 0x0589 &&
         IsOneOf(
             U"\u0589\u061F\u06D4\u0964\u0965\u104A\u104B\u1362\u1367"
             U"\u17D4\u17D5\u3002\uFF01\uFF0E\uFF1F\uFF61",
             c);
}

bool IsStop(uint32_t c) {
  return IsOneOf(U".!?\u037E\u2026\u203C\u203D\u2047\u2048\u2049", c) ||
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
  if (IsOneOf(U"*-\u2022\u2023\u25AA\u25E6", c.code_point)) {
    const std::string_view rest = From(after, c.bytes);
    return rest.starts_with(' ') || rest.starts_with('\t') ? Verdict::kYes
                                                           : Verdict::kNo;
  }
  const bool in_list = ListNumberBytes(before) > 0 || before.ends_with(':');
  return in_list && ListNumberBytes(after) > 0 ? Verdict::kYes : Verdict::kNo;
}

}  // namespace latimer
