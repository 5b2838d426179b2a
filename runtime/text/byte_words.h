// GPT-2's words, as the ByteLevel pre-tokenizer of Hugging Face's tokenizers
// 0.23 splits a text before byte-level BPE:
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#ifndef LATIMER_TEXT_BYTE_WORDS_H_
#define LATIMER_TEXT_BYTE_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace latimer {

// Bytes of the first word of `text`, which is not empty. `classes` are the
// view's character_classes. A byte that is not UTF-8 counts as U+0000.
size_t FirstByteWord(std::span<const uint32_t> classes, std::string_view text);

}  // namespace latimer

#endif  // LATIMER_TEXT_BYTE_WORDS_H_
