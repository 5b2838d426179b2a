// From a source id back to its piece.
#ifndef LATIMER_TEXT_PIECE_TEXT_H_
#define LATIMER_TEXT_PIECE_TEXT_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace latimer {

// The key of a trie that has this value, written to `out`, which is at least
// as long as the longest key; empty if there is none. Looks at the whole trie:
// for showing, not for translating.
std::string_view KeyOfValue(std::span<const uint32_t> trie, uint32_t value,
                            std::span<char> out);

}  // namespace latimer

#endif  // LATIMER_TEXT_PIECE_TEXT_H_
