// From target token ids to text, as others join pieces. Stripped of white space
// at the ends: transformers 5.23's MarianTokenizer.convert_tokens_to_string on
// sentencepiece 0.2.3's Decode; Python's " ".join() for words and "".join() for
// characters. Not stripped: the decoders Metaspace and ByteLevel of Hugging
// Face's tokenizers, and ByT5Tokenizer.
#ifndef LATIMER_TEXT_DETOKENIZE_H_
#define LATIMER_TEXT_DETOKENIZE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/status.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Tokenizer::Piece.
std::string_view PieceOf(const TokenizerView& view, int32_t id);

// Tokenizer::Decode.
Result<size_t> Detokenize(const TokenizerView& view,
                          std::span<const int32_t> ids, std::span<char> out);

}  // namespace latimer

#endif  // LATIMER_TEXT_DETOKENIZE_H_
