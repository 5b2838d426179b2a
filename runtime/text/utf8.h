// UTF-8 as SentencePiece reads it, and the character classes that the
// tokenizer needs.
#ifndef LATIMER_TEXT_UTF8_H_
#define LATIMER_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace latimer {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// A code point and its length in bytes; 0 bytes when `text` is empty or does
// not begin with a valid character (overlong forms, surrogates and values
// above U+10FFFF are not valid).
struct Utf8Char {
  uint32_t code_point = 0;
  size_t bytes = 0;
};
Utf8Char FirstChar(std::string_view text);
// The same for the end of `text`.
Utf8Char LastChar(std::string_view text);

// Whether all of it is valid characters.
bool IsUtf8(std::string_view text);

// Length that the first byte announces, 1 for a stray continuation byte.
// SentencePiece's OneCharLen.
constexpr size_t AnnouncedBytes(char first) {
  const unsigned nibble = static_cast<unsigned char>(first) >> 4;
  if (nibble < 12) return 1;
  return nibble < 14 ? 2 : nibble - 11;
}

// What Python's str.strip() removes.
bool IsPythonSpace(uint32_t code_point);
// Unicode's White_Space, Rust's char::is_whitespace().
bool IsUnicodeSpace(uint32_t code_point);
// Where a line may be broken: as above less the no-break spaces.
bool IsBreakingSpace(uint32_t code_point);

// Bytes of Python white space that `text` begins or ends with.
size_t LeadingSpaceBytes(std::string_view text);
size_t TrailingSpaceBytes(std::string_view text);

// Whether a quote or bracket may close something.
bool IsClosingMark(uint32_t code_point);

// Marks after which a sentence is cut where it must be, the better one first:
// semicolons and colons, commas.
enum class ClauseMark : uint8_t { kClause, kComma, kNone };
ClauseMark ClauseMarkOf(uint32_t code_point);

// Whether `text` ends with . ! ? or an ellipsis, or their ideographic forms,
// and any closing quotes or brackets after that.
bool EndsSentence(std::string_view text);
// Whether the sentence end needs no space after it: ideographic forms.
bool EndsIdeographicSentence(std::string_view text);

}  // namespace latimer

#endif  // LATIMER_TEXT_UTF8_H_
