// CTranslate2's model.bin: named arrays, numbers and texts.
#ifndef LATIMER_CONVERTER_READERS_CTRANSLATE2_FILE_H_
#define LATIMER_CONVERTER_READERS_CTRANSLATE2_FILE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "converter/readers/tensor_file.h"

namespace latimer {

struct CTranslate2File {
  // A number is an integer (a flag, a count, an enumerator) or a float, and
  // scale_embeddings means different things by which it is.
  struct Number {
    double value = 0;
    bool is_integer = false;
  };

  std::string spec;         // "TransformerSpec".
  uint32_t version = 0;     // Of the file's format: 1 to 6.
  uint32_t revision = 0;    // Of the spec's names.
  TensorFile tensors = {};  // With texts, which version 6 no longer has.
  std::map<std::string, Number> numbers = {};
};

// Whether the file begins as a model.bin of CTranslate2 does, of any version.
bool IsCTranslate2File(const std::filesystem::path& path);

// Sources: python/ctranslate2/specs/model_spec.py and src/models/model.cc of
// CTranslate2 4.8. A matrix of int8 or int16 has the scales of its NAME_scale,
// inverted: a value is integer * scale. An alias is a second name of the same
// bytes. The names of version 1 become those of version 2. Throws
// ConversionError if the file is truncated or damaged, or of a version that is
// not known.
CTranslate2File ReadCTranslate2File(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_CTRANSLATE2_FILE_H_
