#include "text/piece_text.h"

#include "text/tokenizer_view.h"
#include "text/trie.h"

namespace latimer {

std::string_view KeyOfValue(std::span<const uint32_t> trie, uint32_t value,
                            std::span<char> out) {
  // Depth first, without recursion: siblings[d] is the node that is looked at
  // on level d.
  uint32_t siblings[kMaxPieceBytes + 1];
  // Shared runs are seen several times, in a damaged trie without end.
  const size_t most_steps = 16 * trie.size();
  size_t steps = 0;
  for (uint32_t first = 0; first < kTrieFirstLevel && first < trie.size();
       ++first) {
    if (TriePayload(trie[first]) == kTrieNone) continue;
    size_t depth = 0;
    siblings[0] = first;
    for (;;) {
      if (++steps > most_steps) return {};
      const uint32_t node = trie[siblings[depth]];
      // On the first level the slot is the label; elsewhere 0 marks the end of
      // a key that is also the beginning of others.
      const char label =
          static_cast<char>(depth == 0 ? first : TrieLabel(node));
      const size_t bytes = depth + (depth > 0 && label == 0 ? 0 : 1);
      if (bytes > out.size()) return {};
      if (bytes > depth) out[depth] = label;
      if ((node & kTrieLeaf) != 0) {
        if (TriePayload(node) == value) return {out.data(), bytes};
        while (depth > 0 && (trie[siblings[depth]] & kTrieLast) != 0) --depth;
        if (depth == 0) break;
        ++siblings[depth];
      } else {
        if (depth == kMaxPieceBytes) return {};
        siblings[++depth] = TriePayload(node);
      }
    }
  }
  return {};
}

}  // namespace latimer
