#include "markup/words.h"

#include <cstdint>

#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

struct CodePoints {
  uint32_t first;
  uint32_t last;
};

// Beyond ASCII: punctuation, symbols, and scripts without spaces.
constexpr CodePoints kNotOfWords[] = {
    {0x80, 0xA9},      {0xAB, 0xB4},     {0xB6, 0xB9},       {0xBB, 0xBF},
    {0xD7, 0xD7},      {0xF7, 0xF7},     {0x0E00, 0x0EFF},  // Thai, Lao
    {0x1000, 0x109F},                                       // Burmese
    {0x1780, 0x17FF},                                       // Khmer
    {0x2000, 0x2BFF},                                       // Symbols
    {0x2E00, 0xA4CF},                                       // East Asia
    {0xF900, 0xFAFF},  {0xFDD0, 0xFDEF},                    // Placeholders
    {0xFE10, 0xFE6F},  {0xFF00, 0xFF0F}, {0xFF1A, 0xFF20},   {0xFF3B, 0xFF40},
    {0xFF5B, 0xFF9F},  {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF},  // Emoji
    {0x20000, 0x3FFFF}};

bool IsOfWord(const Utf8Char& c) {
  if (c.bytes == 0) return false;
  const uint32_t p = c.code_point;
  if (p < 0x80) {
    return (p >= '0' && p <= '9') || (p >= 'A' && p <= 'Z') ||
           (p >= 'a' && p <= 'z') || p == '_';
  }
  for (const CodePoints& range : kNotOfWords) {
    if (p >= range.first && p <= range.last) return false;
  }
  return true;
}

}  // namespace

bool BeginsWord(std::string_view text) { return IsOfWord(FirstChar(text)); }

bool EndsWord(std::string_view text) { return IsOfWord(LastChar(text)); }

bool JoinsWords(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  const bool within_character =
      (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  return within_character ||
         (EndsWord(Slice(text, 0, at)) && BeginsWord(From(text, at)));
}

}  // namespace latimer
