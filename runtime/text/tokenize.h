// From text to token ids: spans, normalizer, segmentation, ids.
#ifndef LATIMER_TEXT_TOKENIZE_H_
#define LATIMER_TEXT_TOKENIZE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "latimer/translation.h"
#include "text/tokenizer_scratch.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Writes as many ids of `text` as `ids` holds and returns how many the text
// has; nullopt if a stretch of the text does not fit into the scratch.
std::optional<size_t> Tokenize(const TokenizerView& view, std::string_view text,
                               const TokenizerScratch& scratch,
                               std::span<int32_t> ids);

// The same, and the bytes of the text that each id stands for, without white
// space at their ends; `ranges` has room for as many as `ids`. Bytes that are
// ids stand for their whole character.
std::optional<size_t> Tokenize(const TokenizerView& view, std::string_view text,
                               const TokenizerScratch& scratch,
                               std::span<int32_t> ids,
                               std::span<TextRange> ranges);

// Aborts if the scratch is smaller than the comments of its members require.
void CheckScratch(const TokenizerView& view, const TokenizerScratch& scratch);

// How many ids the segment that ends at `node` adds; `before` is the node of
// its beginning. A run of unknown characters is one token, unless the model
// falls back to bytes.
size_t TokensOfSegment(const TokenizerView& view, const LatticeNode& before,
                       const LatticeNode& node);

}  // namespace latimer

#endif  // LATIMER_TEXT_TOKENIZE_H_
