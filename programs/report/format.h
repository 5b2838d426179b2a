// Text and JSON of the reports that the commands print.
#ifndef LATIMER_REPORT_FORMAT_H_
#define LATIMER_REPORT_FORMAT_H_

#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace latimer::cli {

using Json = nlohmann::ordered_json;

// What printf would print.
[[gnu::format(printf, 1, 2)]] inline std::string Format(const char* format,
                                                        ...) {
  std::va_list arguments;
  va_start(arguments, format);
  char text[1024];
  const int size = std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (size < static_cast<int>(sizeof(text))) return text;
  std::string longer(static_cast<size_t>(size), '\0');
  va_start(arguments, format);
  std::vsnprintf(longer.data(), longer.size() + 1, format, arguments);
  va_end(arguments);
  return longer;
}

// The JSON as text. Strings from a model file may hold any bytes; those that
// are not UTF-8 become U+FFFD. `indent` -1: on one line.
inline std::string Dump(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Text from a file without control characters, which a terminal would obey,
// except those in `kept`.
inline std::string Printable(std::string text, std::string_view kept = "") {
  for (char& c : text) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == 0x7F;
    if (control && kept.find(c) == kept.npos) c = ' ';
  }
  return text;
}

}  // namespace latimer::cli

#endif  // LATIMER_REPORT_FORMAT_H_
