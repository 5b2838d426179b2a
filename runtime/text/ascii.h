// Letters and digits of ASCII, whatever the locale.
#ifndef LATIMER_TEXT_ASCII_H_
#define LATIMER_TEXT_ASCII_H_

namespace latimer {

constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiLetter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
constexpr bool IsAsciiAlnum(char c) {
  return IsAsciiDigit(c) || IsAsciiLetter(c);
}

}  // namespace latimer

#endif  // LATIMER_TEXT_ASCII_H_
