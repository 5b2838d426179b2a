// What of a text a model cannot read: characters that no piece of its
// vocabulary covers. And what of a text there is to translate.
#ifndef LATIMER_PHRASES_UNKNOWN_TEXT_H_
#define LATIMER_PHRASES_UNKNOWN_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/tokenizer_scratch.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Whether some of the ids stand for characters that are lost.
bool HasLostUnknown(const TokenizerView& view, std::span<const int32_t> ids);

// Whether a grapheme cluster has a character that the model cannot read.
// Characters that show nothing by themselves do not count.
bool IsUnknownCluster(const TokenizerView& view,
                      const TokenizerScratch& scratch,
                      std::string_view cluster);

// Whether a character is a letter, of any script. Others are digits, marks of
// punctuation, symbols, emoji and what shows nothing.
bool IsLetter(uint32_t c);

// Whether no letter of a text can be read by the model.
bool HasNothingToTranslate(const TokenizerView& view,
                           const TokenizerScratch& scratch,
                           std::string_view text);

}  // namespace latimer

#endif  // LATIMER_PHRASES_UNKNOWN_TEXT_H_
