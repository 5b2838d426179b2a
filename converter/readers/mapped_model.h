// Somebody's own PyTorch model: a checkpoint and the map that explains it.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_MODEL_H_
#define LATIMER_CONVERTER_READERS_MAPPED_MODEL_H_

#include <filesystem>

#include "converter/canonical_model.h"
#include "converter/readers/model_map.h"

namespace latimer {

// `path` is a file that OpenTensorFile reads, or a folder for FindWeights.
// Throws ConversionError when the file is missing or damaged, has too few or
// too many tensors for the map, or tensors of shapes that do not fit; and when
// a vocabulary does not belong to the embeddings. `with_tokenizer`: also read
// the vocabularies, where the map names any.
CanonicalModel ReadMappedModel(const std::filesystem::path& path,
                               const ModelMap& map, bool with_tokenizer);

// Throws ConversionError, with the preset whose names it has, where `path` is a
// PyTorch checkpoint by the ending of its name, which needs a map.
void RefuseWithoutMap(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_MODEL_H_
