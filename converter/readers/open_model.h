// A trained model in any of the formats that the converter reads.
#ifndef LATIMER_CONVERTER_READERS_OPEN_MODEL_H_
#define LATIMER_CONVERTER_READERS_OPEN_MODEL_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Detects the format of `path` and reads it. A folder with config.json is a
// Hugging Face model. A folder with decoder.yml or with weights in .npz or
// .bin, or such a file itself, is a native Marian model. Throws
// ConversionError.
CanonicalModel OpenModel(const std::filesystem::path& path, bool with_tokenizer,
                         const PositionLimits& limits = {});

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_OPEN_MODEL_H_
