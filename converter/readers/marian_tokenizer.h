// The tokenizer of a Hugging Face Marian directory: source.spm, target.spm,
// vocab.json, target_vocab.json where vocabularies are separate, and what
// tokenizer_config.h reads.
#ifndef LATIMER_CONVERTER_READERS_MARIAN_TOKENIZER_H_
#define LATIMER_CONVERTER_READERS_MARIAN_TOKENIZER_H_

#include <filesystem>

#include "converter/canonical_model.h"
#include "converter/tokenizer_data.h"
#include "latimer/model_info.h"

namespace latimer {

// Throws ConversionError when a file is missing or damaged, or when the
// tokenizer does not belong to a model of these sizes and end of sentence.
TokenizerData ReadMarianTokenizer(const std::filesystem::path& directory,
                                  const Architecture& architecture,
                                  const CanonicalGeneration& generation);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MARIAN_TOKENIZER_H_
