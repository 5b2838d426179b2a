// Classes of characters, by a table in the model file.
#ifndef LATIMER_TEXT_CHARACTER_CLASS_H_
#define LATIMER_TEXT_CHARACTER_CLASS_H_

#include <algorithm>
#include <cstdint>
#include <span>

namespace latimer {

enum class CharacterClass : uint8_t {
  kOther = 0,
  // For the byte-level pre-tokenizer: \p{L}, \p{N} and \s.
  kLetter = 1,
  kNumber = 2,
  kSpace = 3,
  // For the borders of graphemes (Unicode Standard Annex 29): controls, such as
  // line breaks, stand alone; kExtend joins the character before it, kPrepend
  // the one after it.
  kControl = 4,
  kExtend = 5,
  kPrepend = 6,
};

// An entry of a table: characters from this code point to the next entry's
// belong to this class.
constexpr uint32_t ClassEntry(uint32_t code_point, CharacterClass kind) {
  return code_point << 8 | static_cast<uint32_t>(kind);
}

// `table` is ascending; characters before its first entry are kOther.
constexpr CharacterClass ClassOf(std::span<const uint32_t> table,
                                 uint32_t code_point) {
  const auto next =
      std::upper_bound(table.begin(), table.end(), code_point << 8 | 0xFF);
  return next == table.begin()
             ? CharacterClass::kOther
             : static_cast<CharacterClass>(*(next - 1) & 0xFF);
}

}  // namespace latimer

#endif  // LATIMER_TEXT_CHARACTER_CLASS_H_
