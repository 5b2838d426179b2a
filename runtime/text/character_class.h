// What a tokenizer has to know of a character, by a table in the model file.
#ifndef LATIMER_TEXT_CHARACTER_CLASS_H_
#define LATIMER_TEXT_CHARACTER_CLASS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

enum class CharacterClass : uint8_t {
  kOther = 0,
  // Of the byte-level pre-tokenizer: \p{L}, \p{N} and \s.
  kLetter = 1,
  kNumber = 2,
  kSpace = 3,
  // Of the borders of graphemes (Unicode Standard Annex 29): controls, line
  // breaks among them, stand alone; the others are joined to what is before
  // them or behind them.
  kControl = 4,
  kExtend = 5,
  kPrepend = 6,
};

// An entry of a table: from this code point on, up to the next entry's,
// characters are of this class.
constexpr uint32_t ClassEntry(uint32_t code_point, CharacterClass kind) {
  return code_point << 8 | static_cast<uint32_t>(kind);
}

// `table` is ascending; before its first entry all is kOther.
constexpr CharacterClass ClassOf(std::span<const uint32_t> table,
                                 uint32_t code_point) {
  size_t begin = 0;
  size_t end = table.size();
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (table[middle] >> 8 <= code_point) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin == 0 ? CharacterClass::kOther
                    : static_cast<CharacterClass>(table[begin - 1] & 0xFF);
}

}  // namespace latimer

#endif  // LATIMER_TEXT_CHARACTER_CLASS_H_
