// The tokenizer of an own model, from the vocabularies that its map names.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_
#define LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_

#include <optional>

#include "converter/readers/model_map.h"
#include "converter/tokenizer_data.h"
#include "latimer/model_info.h"

namespace latimer {

// Nothing where the map names no vocabulary. Throws ConversionError where it
// names one of the two, where a file is missing or damaged, has another number
// of ids than the embedding has rows, or where a special token has another id
// in it than in the map.
std::optional<TokenizerData> ReadMappedTokenizer(
    const ModelMap& map, const Architecture& architecture);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_
