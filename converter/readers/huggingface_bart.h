// A Hugging Face directory of BART or a family that is built like it: Marian
// (the OPUS-MT models), mBART, M2M100 and NLLB, Pegasus. It has config.json,
// generation_config.json, the weights (FindWeights in tensor_file.h) and the
// files of its tokenizer.
#ifndef LATIMER_CONVERTER_READERS_HUGGINGFACE_BART_H_
#define LATIMER_CONVERTER_READERS_HUGGINGFACE_BART_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Reads what transformers' ...ForConditionalGeneration of the family would
// compute with. Throws a ConversionError that names the configuration value
// that is not supported, or every tensor that is missing, unexpected or
// misshapen.
CanonicalModel ReadHuggingFaceBart(const std::filesystem::path& directory,
                                   bool with_tokenizer);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_BART_H_
