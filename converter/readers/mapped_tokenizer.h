// The tokenizer of an own model, from the vocabularies that its map names.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_
#define LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/readers/model_map.h"
#include "converter/tokenizer_data.h"
#include "model/model_description.h"

namespace latimer {

// Nothing if the map names no vocabulary. Adds to `warnings` what a user should
// know, one sentence each. Throws ConversionError if the map
// names only one of the two; if a file is missing or damaged, or the number of
// its ids differs from the rows of the embedding; or if the file and the map
// give a special token different ids.
std::optional<TokenizerData> ReadMappedTokenizer(
    const ModelMap& map, const Architecture& architecture,
    std::vector<std::string>* warnings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_
