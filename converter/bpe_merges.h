// Which pieces a BPE piece is put together from.
#ifndef LATIMER_CONVERTER_BPE_MERGES_H_
#define LATIMER_CONVERTER_BPE_MERGES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "converter/tokenizer_data.h"

namespace latimer {

// Entries of `data.piece_trie` that are merged, by scores or by pairs, on the
// way from the characters of `text` to its segments, those included. What is
// merged within a segment does not depend on what stands around it, so that
// these are all that a text needs which has this piece. Precondition: the
// segmentation is kBpe.
std::vector<uint32_t> MergesOf(const TokenizerData& data,
                               std::string_view text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_BPE_MERGES_H_
