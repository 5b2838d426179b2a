// Segmentation without a model: words and characters.
#ifndef LATIMER_TEXT_WORDS_H_
#define LATIMER_TEXT_WORDS_H_

#include <span>
#include <string_view>

#include "text/lattice.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Fill lattice[0] to lattice[normalized.size()], which must exist, as
// FindBestPath and MergePairs do; a node inside a segment has 0 bytes.
//
// Words lie between spaces, of which the normalizer leaves single ones. With
// escape_whitespaces each U+2581 begins a word, as in sentencepiece 0.2.3,
// src/word_model.cc. What is longer than any piece is a run of unknown
// segments.
void FindWords(const TokenizerView& view, std::string_view normalized,
               std::span<LatticeNode> lattice);
// Each code point is a segment.
void FindCharacters(const TokenizerView& view, std::string_view normalized,
                    std::span<LatticeNode> lattice);

}  // namespace latimer

#endif  // LATIMER_TEXT_WORDS_H_
