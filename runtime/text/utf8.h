// UTF-8 as SentencePiece reads it, and the classes of characters that tokenizer
// and sentence splitter tell apart.
#ifndef LATIMER_TEXT_UTF8_H_
#define LATIMER_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace latimer {

// U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";
// U+2581, which stands for a space in SentencePiece's pieces.
inline constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";

// A code point and its length in bytes; 0 bytes if `text` is empty or does not
// begin with a valid character (overlong forms, surrogates and values above
// U+10FFFF are not valid).
struct Utf8Char {
  uint32_t code_point = 0;
  size_t bytes = 0;
};
Utf8Char FirstChar(std::string_view text);
// The last character of `text`.
Utf8Char LastChar(std::string_view text);

// Writes a character of 1 to 4 bytes and returns their number.
size_t EncodeUtf8(uint32_t code_point, char* out);

// Whether `text` consists of valid characters only.
bool IsUtf8(std::string_view text);

// The length that the first byte of a character announces; 1 for a stray
// continuation byte. SentencePiece's OneCharLen.
constexpr size_t AnnouncedBytes(char first) {
  const unsigned nibble = static_cast<unsigned char>(first) >> 4;
  if (nibble < 12) return 1;
  return nibble < 14 ? 2 : nibble - 11;
}

// Whether `set` contains a code point.
constexpr bool IsOneOf(std::u32string_view set, uint32_t code_point) {
  return set.find(static_cast<char32_t>(code_point)) != set.npos;
}

// What Python's str.strip() removes.
bool IsPythonSpace(uint32_t code_point);
// Unicode's White_Space, Rust's char::is_whitespace().
bool IsUnicodeSpace(uint32_t code_point);
// Where a line may be broken: Python's white space without no-break spaces.
bool IsBreakingSpace(uint32_t code_point);

// Bytes of Python white space that `text` begins or ends with.
size_t LeadingSpaceBytes(std::string_view text);
size_t TrailingSpaceBytes(std::string_view text);

// Whether a quote or bracket may close something.
bool IsClosingMark(uint32_t code_point);

// Marks after which a sentence that must be cut is cut, the better one first:
// semicolons and colons, then commas.
enum class ClauseMark : uint8_t { kClause, kComma, kNone };
ClauseMark ClauseMarkOf(uint32_t code_point);

// Whether `text` ends with . ! ? or an ellipsis, or their ideographic forms,
// and any closing quotes or brackets after that.
bool EndsSentence(std::string_view text);
// Whether it ends with one of the ideographic forms, which no space follows.
bool EndsIdeographicSentence(std::string_view text);

}  // namespace latimer

#endif  // LATIMER_TEXT_UTF8_H_
