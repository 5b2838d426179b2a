// A user's own PyTorch model: a checkpoint and the map that explains it.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_MODEL_H_
#define LATIMER_CONVERTER_READERS_MAPPED_MODEL_H_

#include <filesystem>

#include "converter/canonical_model.h"
#include "converter/readers/model_map.h"

namespace latimer {

// `path` is a file that OpenTensorFile reads, or a folder for FindWeights.
// `with_tokenizer` also reads the vocabularies that the map names, if any.
// Throws ConversionError if the file is missing or damaged, lacks tensors of
// the map or has others, or has tensors whose shapes do not fit; and if a
// vocabulary does not fit the embeddings.
CanonicalModel ReadMappedModel(const std::filesystem::path& path,
                               const ModelMap& map, bool with_tokenizer);

// Throws the error of ReadMappedModel about the file at `path` if its tensors
// cannot be read, whatever the map.
void RequireWeights(const std::filesystem::path& path);

// Throws ConversionError if `path` is a checkpoint (IsCheckpoint), which needs
// a map, or the converter of the toolkit that wrote it; names the preset that
// fits, if any. A .npz file, which may be Marian's, only if a preset fits it.
void RefuseWithoutMap(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_MODEL_H_
