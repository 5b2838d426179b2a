// The segments of a text: one node per position between bytes.
#ifndef LATIMER_TEXT_LATTICE_H_
#define LATIMER_TEXT_LATTICE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "base/check.h"
#include "text/tokenizer_view.h"
#include "text/trie.h"

namespace latimer {

// Entries of segments that are not in the vocabulary.
inline constexpr uint32_t kUnknownEntry = kTrieNone;
inline constexpr uint32_t kNoTokenEntry = kTrieNone - 1;  // Gives no id.

// The score of an entry that is never a segment of text.
inline constexpr float kNoSegment = -std::numeric_limits<float>::infinity();

// One position of the text: the segment that ends there.
struct LatticeNode {
  // During the search, the segmentation's own: for unigram the bits of a float,
  // the score of the text before the position. Afterwards free for the code
  // that walks the segments.
  uint32_t score_or_link;
  // Entry of the segment (22 bits) and its length in bytes (10 bits; 0: no
  // segment ends here).
  uint32_t entry_and_bytes;

  uint32_t entry() const { return entry_and_bytes >> 10; }
  uint32_t bytes() const { return entry_and_bytes & kMaxPieceBytes; }
  bool unknown() const { return entry() == kUnknownEntry; }
  bool no_token() const { return entry() == kNoTokenEntry; }
  void Set(uint32_t entry, size_t bytes) {
    entry_and_bytes = (entry << 10) | static_cast<uint32_t>(bytes);
  }
};
static_assert(kMaxPieceBytes == (1u << 10) - 1);

// The nodes of a text of `size` bytes, cleared.
inline std::span<LatticeNode> ClearLattice(std::span<LatticeNode> lattice,
                                           size_t size) {
  LATIMER_DCHECK(lattice.size() > size);
  lattice = lattice.first(size + 1);
  std::fill(lattice.begin(), lattice.end(), LatticeNode{0, 0});
  return lattice;
}

}  // namespace latimer

#endif  // LATIMER_TEXT_LATTICE_H_
