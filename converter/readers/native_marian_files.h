// Which files make up a native Marian model.
#ifndef LATIMER_CONVERTER_READERS_NATIVE_MARIAN_FILES_H_
#define LATIMER_CONVERTER_READERS_NATIVE_MARIAN_FILES_H_

#include <filesystem>
#include <optional>
#include <vector>

#include "converter/readers/marian_options.h"

namespace latimer {

struct NativeMarianFiles {
  std::filesystem::path weights;  // .npz or .bin
  // Source and target, which may be the same file. Empty: none.
  std::vector<std::filesystem::path> vocabularies;
  // source.spm and target.spm, next to .yml vocabularies; or empty.
  std::vector<std::filesystem::path> pieces;
  std::optional<MarianOptions> decoder_options;  // decoder.yml
  // The lexical shortlist: the file that decoder.yml names or, without a
  // decoder.yml, lex.*.s2t.bin next to the weights. Empty: none.
  std::filesystem::path shortlist;
  // Files beside the model that it may have been meant to have.
  std::vector<std::string> warnings;
};

// Whether a folder or file looks like a native model: weights in .npz or .bin,
// or their decoder.yml, which may have any name that ends in .yml: it lists
// models.
bool IsNativeMarian(const std::filesystem::path& path);

// `path` is a folder, a weights file, or a decoder.yml. Without decoder.yml the
// vocabularies are the files whose names begin with vocab, srcvocab and
// trgvocab. Any file may be compressed. Throws ConversionError if one is
// missing, or if the choice is ambiguous.
NativeMarianFiles FindNativeMarianFiles(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NATIVE_MARIAN_FILES_H_
