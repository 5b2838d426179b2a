// Grapheme clusters: what a reader takes for one character, such as a letter
// with its marks, a flag or a family of emoji. Unicode Standard Annex 29, but
// for syllables of Hangul that are spelt in single letters.
#ifndef LATIMER_TEXT_GRAPHEME_H_
#define LATIMER_TEXT_GRAPHEME_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace latimer {

// Bytes of the cluster at text[at]; 0 at the end, and for a byte that is not
// UTF-8.
size_t GraphemeBytes(std::string_view text, size_t at);

// Whether a character shows nothing by itself, so that it belongs to the one
// before it: a mark, a joiner, or an invisible character.
bool IsAttachedCharacter(uint32_t c);

}  // namespace latimer

#endif  // LATIMER_TEXT_GRAPHEME_H_
