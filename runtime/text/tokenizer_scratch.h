// The buffers that tokenizing writes.
#ifndef LATIMER_TEXT_TOKENIZER_SCRATCH_H_
#define LATIMER_TEXT_TOKENIZER_SCRATCH_H_

#include <cstddef>
#include <span>

#include "text/normalizer.h"
#include "text/unigram.h"

namespace latimer {

// Views of the buffers; nothing in them outlives a call.
struct TokenizerScratch {
  // At least kMinNormalizedBytes: longest stretch of normalized text without
  // an added token in it. Normalizing rarely lengthens text, except that a
  // space takes 3 bytes.
  std::span<char> normalized;
  // normalized.size() + 1 nodes.
  std::span<LatticeNode> lattice;
};

// The arrays themselves, 9 bytes per byte of text, for a workspace to embed.
template <size_t kNormalizedBytes>
struct TokenizerBuffers {
  static_assert(kNormalizedBytes >= kMinNormalizedBytes);

  TokenizerScratch Scratch() { return {normalized, lattice}; }

  char normalized[kNormalizedBytes];
  LatticeNode lattice[kNormalizedBytes + 1];
};

}  // namespace latimer

#endif  // LATIMER_TEXT_TOKENIZER_SCRATCH_H_
