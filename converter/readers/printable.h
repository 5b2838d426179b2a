// Names from untrusted files, made fit for a message.
#ifndef LATIMER_CONVERTER_READERS_PRINTABLE_H_
#define LATIMER_CONVERTER_READERS_PRINTABLE_H_

#include <string>
#include <string_view>

namespace latimer {

inline bool IsPrintable(char c) { return c >= 0x20 && c < 0x7f; }

// At most 100 characters of printable ASCII.
inline std::string Printable(std::string_view name) {
  constexpr size_t kMax = 100;
  std::string text;
  for (const char c : name.substr(0, kMax)) {
    text += IsPrintable(c) ? c : '?';
  }
  return name.size() > kMax ? text + "..." : text;
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_PRINTABLE_H_
