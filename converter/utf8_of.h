// Writes a character as UTF-8.
#ifndef LATIMER_CONVERTER_UTF8_OF_H_
#define LATIMER_CONVERTER_UTF8_OF_H_

#include <cstdint>
#include <string>

namespace latimer {

inline std::string Utf8Of(uint32_t c) {
  const auto tail = [c](int shift) {
    return static_cast<char>(0x80 | ((c >> shift) & 0x3F));
  };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), tail(0)};
  if (c < 0x10000) {
    return {static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0)};
  }
  return {static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_UTF8_OF_H_
