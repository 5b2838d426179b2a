// Segmentation into pieces by SentencePiece's unigram language model: the
// segmentation with the highest sum of log probabilities (Kudo 2018,
// "Subword Regularization", section 3.2, by the Viterbi algorithm). The order
// of operations, and so every tie and rounding, follows sentencepiece 0.2.3,
// src/unigram_model.cc, Model::EncodeOptimized.
#ifndef LATIMER_TEXT_UNIGRAM_H_
#define LATIMER_TEXT_UNIGRAM_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/tokenizer_view.h"
#include "text/trie.h"

namespace latimer {

// One position of the text: how the best segmentation of all before it ends.
struct LatticeNode {
  // While searching the bits of a float: the score of that segmentation.
  // Afterwards free for whoever walks the path.
  uint32_t score_or_link;
  // Entry of the last segment (22 bits; kTrieNone: an unknown character) and
  // its length in bytes (10 bits; 0: no segmentation ends here).
  uint32_t entry_and_bytes;

  uint32_t entry() const { return entry_and_bytes >> 10; }
  uint32_t bytes() const { return entry_and_bytes & kMaxPieceBytes; }
  bool unknown() const { return entry() == kTrieNone; }
};
static_assert(kMaxPieceBytes == (1u << 10) - 1);

// Fills lattice[0] to lattice[normalized.size()], which must exist. From the
// last node, stepping back by bytes() gives the segments from last to first.
// The node of a position between two characters holds the best segmentation
// of the text up to there, as if it ended there.
void FindBestPath(const TokenizerView& view, std::string_view normalized,
                  std::span<LatticeNode> lattice);

}  // namespace latimer

#endif  // LATIMER_TEXT_UNIGRAM_H_
