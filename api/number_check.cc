#include "latimer/number_check.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "text/ascii.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// A digit of any script, and its bytes; 0 bytes: there is none.
struct Digit {
  uint32_t value = 0;
  size_t bytes = 0;
};

Digit DigitAt(std::string_view text, size_t at) {
  // The zeros of other scripts: Arabic, Persian, scripts of India, Thai, Lao,
  // Tibetan, Burmese, Khmer, full-width.
  constexpr std::u32string_view kZeros =
      U"\u0660\u06F0\u0966\u09E6\u0A66\u0AE6\u0B66\u0BE6\u0C66\u0CE6\u0D66"
      U"\u0E50\u0ED0\u0F20\u1040\u17E0\uFF10";
  if (at >= text.size()) return {};
  if (IsAsciiDigit(text[at])) {
    return {static_cast<uint32_t>(text[at] - '0'), 1};
  }
  const Utf8Char c = FirstChar(From(text, at));
  if (c.bytes < 2) return {};
  for (const char32_t zero : kZeros) {
    if (c.code_point >= zero && c.code_point - zero < 10) {
      return {c.code_point - static_cast<uint32_t>(zero), c.bytes};
    }
  }
  return {};
}

struct Number {
  TextRange range;
  uint64_t value = 0;  // Of the digits, modulo 2^64.
  uint16_t digits = 0;
  uint16_t zeros = 0;  // Behind the digits, as a word says: 3 for "thousand".
  bool is_negative = false;
  bool is_matched = false;

  bool operator==(const Number& other) const {
    return value == other.value && digits == other.digits &&
           is_negative == other.is_negative;
  }
  // Of one or two digits.
  bool IsUpTo(uint64_t most) const {
    return !is_negative && digits <= 2 && value <= most;
  }
};

// The number with the digits that a word stands for.
Number WithZeros(Number number) {
  for (; number.zeros > 0; --number.zeros) {
    number.value *= 10;
    ++number.digits;
  }
  return number;
}

// How many zeros the word before which a space stands at text[at] says.
uint16_t ZerosOfWord(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != ' ') return 0;
  const std::string_view rest = From(text, at + 1);
  for (const std::string_view word :
       {"mil", "mille", "mila", "thousand", "tausend", "Tausend"}) {
    if (rest.starts_with(word) &&
        (rest.size() == word.size() || !IsAsciiLetter(rest[word.size()]))) {
      return 3;
    }
  }
  for (const std::string_view word : {"milli", "Milli", "milh", "milio"}) {
    if (rest.starts_with(word)) return 6;
  }
  return 0;
}

// Adds the digits of `next` behind those of a number.
void Append(const Number& next, Number* number) {
  for (uint32_t i = 0; i < next.digits; ++i) number->value *= 10;
  number->value += next.value;
  number->digits = static_cast<uint16_t>(number->digits + next.digits);
  number->range.end = next.range.end;
}

// The digits at text[at], which go on without anything between them.
Number GroupAt(std::string_view text, size_t at) {
  Number group = {.range = {static_cast<uint32_t>(at), 0}};
  for (Digit digit; (digit = DigitAt(text, at)).bytes > 0; at += digit.bytes) {
    group.value = 10 * group.value + digit.value;
    ++group.digits;
  }
  group.range.end = static_cast<uint32_t>(at);
  return group;
}

// Without the zeros before a number of two digits, as in 09:00 and 01.05.
Number WithoutZeros(Number number) {
  if (number.digits == 2 && number.value < 10) number.digits = 1;
  return number;
}

// Whether groups of digits with a point, comma or apostrophe between two are
// one number, and no date, version or address.
class Groups {
 public:
  void Add(const Number& group) {
    if (count_ > 1) {
      all_three_ = all_three_ && last_ == 3;
      all_two_ = all_two_ && last_ == 2;
    }
    last_ = group.digits;
    ++count_;
  }
  bool IsNumber() const {  // 1,00,000 are a hundred thousand in India.
    return all_three_ || (all_two_ && last_ == 3);
  }

 private:
  size_t count_ = 0;
  uint32_t last_ = 0;
  bool all_three_ = true;
  bool all_two_ = true;
};

// Bytes of a minus sign before text[at] that joins nothing before it; 0: none.
size_t MinusBytes(std::string_view text, size_t at) {
  const Utf8Char sign = LastChar(First(text, at));
  if (sign.code_point != '-' && sign.code_point != 0x2212) return 0;
  const std::string_view before = First(text, at - sign.bytes);
  return before.empty() || before.ends_with('(') ||
                 TrailingSpaceBytes(before) > 0
             ? sign.bytes
             : 0;
}

class NumberList {
 public:
  explicit NumberList(std::string_view text) : text_(First(text, UINT32_MAX)) {
    for (size_t at = 0; at < text_.size();) {
      at = DigitAt(text_, at).bytes > 0
               ? AddAt(at)
               : at + std::max<size_t>(1, FirstChar(From(text_, at)).bytes);
    }
  }

  std::span<Number> all() { return {numbers_, count_}; }

  // Whether an hour of the afternoon is written as 8 p.m.
  bool HasAfternoon() const {
    for (size_t at = 0; at + 1 < text_.size(); ++at) {
      if ((text_[at] | 0x20) != 'p') continue;
      const size_t m = at + (text_[at + 1] == '.' ? 2 : 1);
      if (m >= text_.size() || (text_[m] | 0x20) != 'm') continue;
      const size_t end = at - (at > 0 && text_[at - 1] == ' ' ? 1 : 0);
      if (end > 0 && IsAsciiDigit(text_[end - 1])) return true;
    }
    return false;
  }

 private:
  static bool IsSeparator(char c) { return c == '.' || c == ',' || c == '\''; }

  void Add(const Number& number) {
    if (count_ < NumberCheck::kMost) numbers_[count_++] = number;
  }

  // Adds what begins at text_[begin] and returns where it ends.
  size_t AddAt(size_t begin) {
    Groups groups;
    Number whole = GroupAt(text_, begin);
    groups.Add(whole);
    size_t end = whole.range.end;
    Number last = whole;
    Number without_last = whole;
    while (end < text_.size() && IsSeparator(text_[end]) &&
           DigitAt(text_, end + 1).bytes > 0) {
      last = GroupAt(text_, end + 1);
      groups.Add(last);
      without_last = whole;
      Append(last, &whole);
      end = last.range.end;
    }
    if (!groups.IsNumber()) {
      for (size_t at = begin; at < end; ++at) {
        const Number group = GroupAt(text_, at);
        Add(WithoutZeros(group));
        at = group.range.end;  // And the separator.
      }
      return end;
    }
    const bool ends_with_zeros = last.digits == 2 && last.value == 0;
    if (ends_with_zeros && last.range.begin > begin) {
      whole = without_last;
    } else if (ends_with_zeros && IsMinuteAt(begin)) {
      return end;
    }
    whole = WithoutZeros(whole);
    const size_t minus = MinusBytes(text_, begin);
    whole.is_negative = minus > 0;
    whole.range.begin -= static_cast<uint32_t>(minus);
    whole.zeros = ZerosOfWord(text_, end);
    Add(whole);
    return end;
  }

  // 9:00, 9h00.
  bool IsMinuteAt(size_t at) const {
    return at > 1 && IsAsciiDigit(text_[at - 2]) &&
           (text_[at - 1] == ':' || (text_[at - 1] | 0x20) == 'h');
  }

  std::string_view text_;
  Number numbers_[NumberCheck::kMost];
  size_t count_ = 0;
};

// Matches each number with one of the others for which `is_same` holds.
template <typename IsSame>
void Match(std::span<Number> numbers, std::span<Number> others,
           IsSame is_same) {
  for (Number& number : numbers) {
    for (Number& other : others) {
      if (number.is_matched) break;
      if (other.is_matched || !is_same(number, other)) continue;
      number.is_matched = other.is_matched = true;
    }
  }
}

// Matches each number with some of the others that together have its digits.
void MatchParts(std::span<Number> numbers, std::span<Number> others) {
  for (Number& number : numbers) {
    for (size_t i = 0; i < others.size() && !number.is_matched; ++i) {
      Number joined = others[i];
      size_t end = i + 1;
      if (joined.is_matched) continue;
      while (joined.digits < number.digits && end < others.size() &&
             !others[end].is_matched) {
        Append(others[end++], &joined);
      }
      if (!(joined == number)) continue;
      number.is_matched = true;
      for (Number& part : others.subspan(i, end - i)) part.is_matched = true;
    }
  }
}

// Of centuries, kings and volumes; more of them have letters that are units.
constexpr uint64_t kMostRoman = 39;

// Whether a text has a number as a Roman one, as a word.
bool HasRoman(std::string_view text, uint64_t number) {
  constexpr std::pair<uint64_t, std::string_view> kParts[] = {
      {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
  char roman[8];  // The longest is XXXVIII.
  size_t bytes = 0;
  for (const auto& [value, letters] : kParts) {
    for (; number >= value; number -= value) {
      for (const char letter : letters) roman[bytes++] = letter;
    }
  }
  const std::string_view word = {roman, bytes};
  for (size_t at = text.find(word); !word.empty() && at != text.npos;
       at = text.find(word, at + 1)) {
    const std::string_view rest = From(text, at + bytes);
    if ((at == 0 || !IsAsciiAlnum(text[at - 1])) &&
        (rest.empty() || !IsAsciiAlnum(rest[0]))) {
      return true;
    }
  }
  return false;
}

void MatchRoman(std::span<Number> numbers, std::string_view text) {
  for (Number& number : numbers) {
    if (!number.is_matched && number.IsUpTo(kMostRoman)) {
      number.is_matched = HasRoman(text, number.value);
    }
  }
}

// A year and its last two digits.
bool IsShortYear(const Number& year, const Number& other) {
  return year.digits == 4 && other.digits == 2 &&
         year.value % 100 == other.value;
}

bool IsSameHour(const Number& a, const Number& b) {
  return a.IsUpTo(23) && b.IsUpTo(23) &&
         (a.value + 12 == b.value || b.value + 12 == a.value);
}

// Lists what has no match; nothing if all of it may be words.
size_t List(std::span<const Number> numbers, std::span<TextRange> out,
            bool* may_be_words) {
  size_t count = 0;
  *may_be_words = true;
  for (const Number& number : numbers) {
    if (number.is_matched) continue;
    *may_be_words = *may_be_words && number.IsUpTo(12);
    out[count++] = number.range;
  }
  return count;
}

}  // namespace

void CheckNumbers(std::string_view source, std::string_view translation,
                  NumberCheck* out) {
  NumberList ours(source);
  NumberList theirs(translation);
  Match(ours.all(), theirs.all(), std::equal_to<Number>());
  MatchParts(ours.all(), theirs.all());
  MatchParts(theirs.all(), ours.all());
  if (ours.HasAfternoon() || theirs.HasAfternoon()) {
    Match(ours.all(), theirs.all(), IsSameHour);
  }
  Match(ours.all(), theirs.all(), [](const Number& a, const Number& b) {
    return WithZeros(a) == WithZeros(b);
  });
  MatchRoman(ours.all(), translation);
  MatchRoman(theirs.all(), source);
  Match(ours.all(), theirs.all(), [](const Number& a, const Number& b) {
    return IsShortYear(a, b) || IsShortYear(b, a);
  });
  bool missing_may_be_words, surplus_may_be_words;
  out->missing_count =
      List(ours.all(), out->missing_ranges, &missing_may_be_words);
  out->surplus_count =
      List(theirs.all(), out->surplus_ranges, &surplus_may_be_words);
  if (out->surplus_count == 0 && missing_may_be_words) out->missing_count = 0;
  if (out->missing_count == 0 && surplus_may_be_words) out->surplus_count = 0;
}

}  // namespace latimer
