// Characters that a tokenizer turns into its unknown token, such as emoji, and
// that a translation therefore lacks.
#ifndef LATIMER_TEXT_UNKNOWN_TEXT_H_
#define LATIMER_TEXT_UNKNOWN_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/tokenizer_scratch.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Whether some of the ids stand for characters that are lost. With words, what
// is unknown has a meaning of its own; with characters, it is what the model
// has learnt; with bytes nothing is unknown.
bool HasLostUnknown(const TokenizerView& view, std::span<const int32_t> ids);

// Bytes of the character at text[at], and of a symbol with those of the emoji
// that it begins. 0 at the end, and where no UTF-8 is.
size_t ClusterBytes(std::string_view text, size_t at);

// Whether these bytes of ClusterBytes are unknown. Marks, joiners and invisible
// characters alone are not.
bool IsUnknownCluster(const TokenizerView& view,
                      const TokenizerScratch& scratch,
                      std::string_view cluster);

// Whether `text`, valid UTF-8, has no letters and digits but unknown ones.
bool IsAllUnknown(const TokenizerView& view, const TokenizerScratch& scratch,
                  std::string_view text);

}  // namespace latimer

#endif  // LATIMER_TEXT_UNKNOWN_TEXT_H_
