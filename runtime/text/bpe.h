// Segmentation into pieces by byte pair encoding (Sennrich et al. 2016, "Neural
// Machine Translation of Rare Words with Subword Units", section 3.2).
//
// Without pairs in the view, as SentencePiece: of all neighbours that together
// form a piece, those with the best score are merged first, of equal scores the
// leftmost. Follows sentencepiece 0.2.3, src/bpe_model.cc, Model::SampleEncode
// without dropout. With pairs in the view, only those are merged, by rank and
// within words, which begin with U+2581 or are GPT-2's; with Spacing::kAsItIs
// the text is one word. Follows Hugging Face's tokenizers 0.23,
// src/models/bpe/word.rs, merge_all.
//
// Symbols are in the lattice, and candidates in a heap, so a text without
// spaces takes n log n steps.
#ifndef LATIMER_TEXT_BPE_H_
#define LATIMER_TEXT_BPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/lattice.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Longest text: a place in the heap must fit into a node.
inline constexpr size_t kMaxBpeBytes = (1u << 21) - 1;

// Buffers of MergePairs; nothing in them outlives a call.
struct BpeScratch {
  std::span<uint32_t> heap;    // One per byte of text.
  std::span<uint16_t> splits;  // One per unused piece of the view.
};

// Fills lattice[0] to lattice[normalized.size()], which must exist, as
// segments.h describes. A node inside a segment has 0 bytes. A prefix of whole
// segments has the same segments by itself. Takes O(n log n) time.
void MergePairs(const TokenizerView& view, std::string_view normalized,
                std::span<LatticeNode> lattice, const BpeScratch& scratch);

}  // namespace latimer

#endif  // LATIMER_TEXT_BPE_H_
