// metadata.json, which lies beside the students that Firefox translates with.
#ifndef LATIMER_CONVERTER_READERS_METADATA_H_
#define LATIMER_CONVERTER_READERS_METADATA_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Sets the model's version to what the file says of its languages, size and
// version ("en-pt tiny 1.0"), its scores ("FLORES: BLEU 49.4, COMET 0.8895"),
// and its licence if there is none. Fields that are absent, or neither texts
// nor numbers, are left out. Throws ConversionError if the file is no JSON.
void ReadMetadata(const std::filesystem::path& folder, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_METADATA_H_
