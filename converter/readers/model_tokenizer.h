// The tokenizer of a Hugging Face model with the languages that it has tokens
// for.
#ifndef LATIMER_CONVERTER_READERS_MODEL_TOKENIZER_H_
#define LATIMER_CONVERTER_READERS_MODEL_TOKENIZER_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Sets the tokenizer and, for a multilingual model, the languages in the
// generation config. The architecture must be known. Throws ConversionError.
void ReadModelTokenizer(const std::filesystem::path& directory,
                        CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MODEL_TOKENIZER_H_
