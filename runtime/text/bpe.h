// Segmentation into pieces by SentencePiece's byte pair encoding: of all pairs
// of neighbours that together are a piece, the one with the best score is
// merged first, of equal ones the leftmost (Sennrich et al. 2016, "Neural
// Machine Translation of Rare Words with Subword Units", section 3.2). Follows
// sentencepiece 0.2.3, src/bpe_model.cc, Model::SampleEncode without dropout.
// With pairs in the view those alone are merged, by rank, within words: Hugging
// Face's tokenizers 0.23, src/models/bpe/word.rs, merge_all. Words begin with
// U+2581, or are GPT-2's.
#ifndef LATIMER_TEXT_BPE_H_
#define LATIMER_TEXT_BPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/lattice.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Longest text, so that a place in the heap fits a node.
inline constexpr size_t kMaxBpeBytes = (1u << 21) - 1;

// Buffers of MergePairs; nothing in them outlives a call.
struct BpeScratch {
  std::span<uint32_t> heap;    // One per byte of text.
  std::span<uint16_t> splits;  // One per unused piece of the view.
};

// Fills lattice[0] to lattice[normalized.size()], which must exist. From the
// last node, stepping back by bytes() gives the segments from last to first;
// a node inside a segment has 0 bytes. A prefix of whole segments has the same
// segments by itself. Takes O(n log n) time.
void MergePairs(const TokenizerView& view, std::string_view normalized,
                std::span<LatticeNode> lattice, const BpeScratch& scratch);

}  // namespace latimer

#endif  // LATIMER_TEXT_BPE_H_
