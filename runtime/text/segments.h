// Segmentation: a normalized text is cut into segments, each of them a piece or
// unknown.
//
// Every segmentation fills lattice[0] to lattice[normalized.size()]. From the
// last node, stepping back by bytes() gives the segments from last to first.
#ifndef LATIMER_TEXT_SEGMENTS_H_
#define LATIMER_TEXT_SEGMENTS_H_

#include <span>
#include <string_view>

#include "text/tokenizer_scratch.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Fills scratch.lattice by the view's segmentation.
void FindSegments(const TokenizerView& view, std::string_view normalized,
                  const TokenizerScratch& scratch);

// Each word is a segment. The normalizer leaves single spaces between words;
// with escape_whitespaces each U+2581 begins a word, as in sentencepiece 0.2.3,
// src/word_model.cc. A word longer than any piece is a run of unknown segments.
// A node inside a segment has 0 bytes.
void FindWords(const TokenizerView& view, std::string_view normalized,
               std::span<LatticeNode> lattice);

// The longest piece that the rest begins with is a segment, or a code point. A
// node inside a segment has 0 bytes.
void FindLongestMatches(const TokenizerView& view, std::string_view normalized,
                        std::span<LatticeNode> lattice);

// Each code point is a segment. A node inside a segment has 0 bytes.
void FindCharacters(const TokenizerView& view, std::string_view normalized,
                    std::span<LatticeNode> lattice);

}  // namespace latimer

#endif  // LATIMER_TEXT_SEGMENTS_H_
