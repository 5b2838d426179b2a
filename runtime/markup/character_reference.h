// Character references of HTML: &amp; and &#228;
#ifndef LATIMER_MARKUP_CHARACTER_REFERENCE_H_
#define LATIMER_MARKUP_CHARACTER_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace latimer {

struct CharacterReference {
  size_t bytes = 0;         // 0: the text begins with no reference.
  uint32_t code_point = 0;  // 0: the name or number is not one of a text.
  bool incomplete = false;  // More bytes are needed to know.
};

// Longest name; all that are known are much shorter.
inline constexpr size_t kMostNameBytes = 31;

// The reference that `text`, which begins with "&", begins with. Names are
// those of HTML 4, numbers are read as HTML does; what ends without ";" is
// text.
CharacterReference ReadCharacterReference(std::string_view text);

}  // namespace latimer

#endif  // LATIMER_MARKUP_CHARACTER_REFERENCE_H_
