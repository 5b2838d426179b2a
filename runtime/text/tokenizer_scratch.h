// The buffers that the tokenizer writes.
#ifndef LATIMER_TEXT_TOKENIZER_SCRATCH_H_
#define LATIMER_TEXT_TOKENIZER_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "text/bpe.h"
#include "text/lattice.h"
#include "text/normalizer.h"

namespace latimer {

// Views of the buffers; their contents do not outlive a call.
struct TokenizerScratch {
  // At least kMinNormalizedBytes: the longest stretch of normalized text
  // without an added token. Normalizing rarely lengthens a text, except that a
  // space takes 3 bytes.
  std::span<char> normalized;
  // normalized.size() + 1 nodes.
  std::span<LatticeNode> lattice;
  // Only for BPE: as many as normalized has bytes, at most kMaxBpeBytes, and as
  // many as the view has unused pieces.
  BpeScratch bpe = {};
  // Only for unigram with Metaspace: kMaxPieceBytes + 1.
  std::span<double> sums = {};
};

// The arrays themselves, 13 bytes per byte of text, for tests.
template <size_t kNormalizedBytes, size_t kUnusedPieces = 512>
struct TokenizerBuffers {
  static_assert(kNormalizedBytes >= kMinNormalizedBytes);

  TokenizerScratch Scratch() {
    return {normalized, lattice, {heap, splits}, sums};
  }

  char normalized[kNormalizedBytes];
  LatticeNode lattice[kNormalizedBytes + 1];
  uint32_t heap[kNormalizedBytes];
  uint16_t splits[kUnusedPieces];
  double sums[kMaxPieceBytes + 1];
};

}  // namespace latimer

#endif  // LATIMER_TEXT_TOKENIZER_SCRATCH_H_
