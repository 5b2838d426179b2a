// The tokenizer of an own model, from the vocabularies that its map names.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_
#define LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_

#include <optional>

#include "converter/canonical_model.h"
#include "converter/readers/model_map.h"
#include "converter/tokenizer_data.h"

namespace latimer {

// The tokenizer for the embeddings of `model`; nothing if the map names no
// vocabulary. Adds to `model` warnings of what a user should know, one sentence
// each, and bans target ids behind the vocabulary. Throws ConversionError if
// the map names only one of the two; if a file is missing or damaged, or has
// more ids than the embedding rows; or if the file and the map give a special
// token different ids.
std::optional<TokenizerData> ReadMappedTokenizer(const ModelMap& map,
                                                 CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_TOKENIZER_H_
