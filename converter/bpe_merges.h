// The pieces that a BPE piece is merged from.
#ifndef LATIMER_CONVERTER_BPE_MERGES_H_
#define LATIMER_CONVERTER_BPE_MERGES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "converter/tokenizer_data.h"

namespace latimer {

// Entries of `data.piece_trie` that are merged, by scores or by pairs, on the
// way from the characters of `text` to its segments, including both. Merges
// within a segment do not depend on its surroundings, so these entries are all
// that any text with this piece needs. Precondition: the segmentation is kBpe.
std::vector<uint32_t> MergesOf(const TokenizerData& data,
                               std::string_view text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_BPE_MERGES_H_
