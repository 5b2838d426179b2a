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
  // Of source and target; both the same where one serves both. Empty: none.
  std::vector<std::filesystem::path> vocabularies;
  // source.spm and target.spm beside .yml vocabularies, or empty.
  std::vector<std::filesystem::path> pieces;
  std::optional<MarianOptions> decoder_options;  // decoder.yml
  // The lexical shortlist that decoder.yml names or, without one, the
  // lex.*.s2t.bin beside the weights; else empty.
  std::filesystem::path shortlist;
};

// Whether a folder or file looks like a native model: weights in .npz or .bin,
// or their decoder.yml.
bool IsNativeMarian(const std::filesystem::path& path);

// `path` is a folder, a weights file, or a decoder.yml. Without decoder.yml the
// vocabularies are those whose names begin with vocab, srcvocab and trgvocab.
// Throws ConversionError where a file is missing or the choice is unclear.
NativeMarianFiles FindNativeMarianFiles(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NATIVE_MARIAN_FILES_H_
