// A Hugging Face Marian directory, as the OPUS-MT models are published:
// config.json, generation_config.json, the weights (FindWeights in
// tensor_file.h), source.spm, target.spm, vocab.json, tokenizer_config.json.
#ifndef LATIMER_CONVERTER_READERS_HUGGINGFACE_MARIAN_H_
#define LATIMER_CONVERTER_READERS_HUGGINGFACE_MARIAN_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Reads what transformers' MarianMTModel would compute with. Throws
// ConversionError that names every configuration value that is not supported,
// or every tensor that is missing, unexpected or misshapen.
CanonicalModel ReadHuggingFaceMarian(const std::filesystem::path& directory,
                                     bool with_tokenizer);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_MARIAN_H_
