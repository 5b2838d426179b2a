// A Hugging Face T5, T5 1.1, flan-T5, ByT5 or mT5 directory: config.json,
// generation_config.json and the weights (FindWeights in tensor_file.h).
#ifndef LATIMER_CONVERTER_READERS_HUGGINGFACE_T5_H_
#define LATIMER_CONVERTER_READERS_HUGGINGFACE_T5_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Reads what transformers' T5ForConditionalGeneration or
// MT5ForConditionalGeneration would compute with, for texts as long as those of
// training or as `limits`, whichever is longer. Throws a ConversionError that
// names the configuration value that is not supported, or every tensor that is
// missing, unexpected or misshapen.
CanonicalModel ReadHuggingFaceT5(const std::filesystem::path& directory,
                                 bool with_tokenizer,
                                 const PositionLimits& limits = {});

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_T5_H_
