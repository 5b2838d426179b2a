// SentencePiece's precompiled_charsmap: normalization rules as a double-array
// trie (Darts-clone) whose values point to zero-terminated strings.
#ifndef LATIMER_CONVERTER_CHARSMAP_H_
#define LATIMER_CONVERTER_CHARSMAP_H_

#include <map>
#include <string>
#include <string_view>

namespace latimer {

// Maps text to its replacement. Layout: sentencepiece 0.2.3,
// Normalizer::DecodePrecompiledCharsMap and third_party/darts_clone/darts.h.
// Throws ConversionError, naming the file `name`, if the bytes are damaged or a
// rule is longer than the runtime accepts.
std::map<std::string, std::string> DecodeCharsmap(std::string_view charsmap,
                                                  const std::string& name);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CHARSMAP_H_
