// How the converter reports what is wrong with its input.
#ifndef LATIMER_CONVERTER_ERROR_H_
#define LATIMER_CONVERTER_ERROR_H_

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace latimer {

// A message without control characters other than line feeds: it may quote a
// file, whose escape sequences a terminal would obey.
inline std::string ForTerminal(std::string text) {
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) {
      c = '?';
    }
  }
  return text;
}

// One clear sentence: what is wrong, in which file, what to do.
class ConversionError : public std::runtime_error {
 public:
  explicit ConversionError(std::string what)
      : std::runtime_error(ForTerminal(std::move(what))) {}
};

// The text of parts, each a text, a character, a path or a number.
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string text;
  const auto append = [&text]<typename Part>(const Part& part) {
    static_assert(!std::is_same_v<Part, bool>);
    if constexpr (std::is_same_v<Part, std::filesystem::path>) {
      text += part.string();
    } else if constexpr (std::is_arithmetic_v<Part> &&
                         !std::is_same_v<Part, char>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  };
  (append(parts), ...);
  return text;
}

// "a, b, c": what `projection` gives for each item.
template <typename Items, typename Projection = std::identity>
std::string Joined(const Items& items, Projection projection = {},
                   std::string_view between = ", ") {
  std::string text;
  for (const auto& item : items) {
    text += Concat(text.empty() ? "" : between, std::invoke(projection, item));
  }
  return text;
}

// Throws a ConversionError that consists of these parts.
template <typename... Parts>
[[noreturn]] void FailWith(const Parts&... sentence) {
  throw ConversionError(Concat(sentence...));
}

// "PLACE: WHAT.", where the place is a file, or something as definite.
template <typename Place, typename... Parts>
[[noreturn]] void FailIn(const Place& place, const Parts&... what) {
  FailWith(place, ": ", what..., ".");
}

// A name from an untrusted file, made fit for a message: at most 100 characters
// of printable ASCII.
inline bool IsPrintable(char c) { return c >= 0x20 && c < 0x7f; }
inline std::string Printable(std::string_view name) {
  constexpr size_t kMax = 100;
  std::string text;
  for (const char c : name.substr(0, kMax)) {
    text += IsPrintable(c) ? c : '?';
  }
  return name.size() > kMax ? text + "..." : text;
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_ERROR_H_
