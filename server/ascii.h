// ASCII, whatever its case and the spaces around it.
#ifndef LATIMER_SERVER_ASCII_H_
#define LATIMER_SERVER_ASCII_H_

#include <algorithm>
#include <string_view>

namespace latimer::server {

constexpr char LowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, LowerAscii, LowerAscii);
}

// Without spaces and tabs at its ends.
inline std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace latimer::server

#endif  // LATIMER_SERVER_ASCII_H_
