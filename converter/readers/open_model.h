// A trained model in any of the formats that the converter reads.
#ifndef LATIMER_CONVERTER_READERS_OPEN_MODEL_H_
#define LATIMER_CONVERTER_READERS_OPEN_MODEL_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Finds out what `path` is and reads it: a folder with config.json is Hugging
// Face's; one with decoder.yml or weights in .npz or .bin, or such a file
// itself, is native Marian's. Throws ConversionError.
CanonicalModel OpenModel(const std::filesystem::path& path, bool with_tokenizer,
                         const PositionLimits& limits = {});

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_OPEN_MODEL_H_
