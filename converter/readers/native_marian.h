// A model as Marian saves it: .npz or .bin, next to decoder.yml and
// vocabularies, or one of Firefox's student models.
#ifndef LATIMER_CONVERTER_READERS_NATIVE_MARIAN_H_
#define LATIMER_CONVERTER_READERS_NATIVE_MARIAN_H_

#include <filesystem>

#include "converter/canonical_model.h"

namespace latimer {

// Reads what marian-decoder would compute with. FindNativeMarianFiles says what
// `path` can be. Throws a ConversionError that names the option that is not
// supported, or every tensor that is missing, unexpected or misshapen.
CanonicalModel ReadNativeMarian(const std::filesystem::path& path,
                                bool with_tokenizer);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NATIVE_MARIAN_H_
