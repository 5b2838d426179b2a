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

// Longest name of HTML.
inline constexpr size_t kMostNameBytes = 31;

// The reference that `text`, which begins with "&", begins with, by the rules
// of HTML for text ("named character reference state" of its standard): of the
// names that are read without ";", the longest that fits, &notit; is &not and
// "it;". Names are those of HTML 4 and these. If `all`, nothing follows `text`.
CharacterReference ReadCharacterReference(std::string_view text, bool all);

}  // namespace latimer

#endif  // LATIMER_MARKUP_CHARACTER_REFERENCE_H_
