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

#include "text/lattice.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Fills lattice[0] to lattice[normalized.size()], which must exist, as
// segments.h describes. The node of a position between two characters holds the
// best segmentation of the text before it, as if the text ended there.
void FindBestPath(const TokenizerView& view, std::string_view normalized,
                  std::span<LatticeNode> lattice);

// The same as Hugging Face's tokenizers 0.23, src/models/unigram/model.rs,
// encode_optimized: each word, which begins with U+2581, by itself, and with
// sums in double precision. `sums` has kMaxPieceBytes + 1 numbers.
void FindBestPathOfWords(const TokenizerView& view, std::string_view normalized,
                         std::span<LatticeNode> lattice,
                         std::span<double> sums);

}  // namespace latimer

#endif  // LATIMER_TEXT_UNIGRAM_H_
