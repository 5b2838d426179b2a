// The vocabularies of a native Marian model: special ids and the tokenizer.
#ifndef LATIMER_CONVERTER_READERS_NATIVE_MARIAN_VOCABULARY_H_
#define LATIMER_CONVERTER_READERS_NATIVE_MARIAN_VOCABULARY_H_

#include "converter/canonical_model.h"
#include "converter/readers/native_marian_files.h"

namespace latimer {

// Sets model->generation from the vocabularies and decoder.yml,
// model->shortlist if there is one, and, if asked to, model->tokenizer. Without
// vocabularies the special ids are Marian's defaults, </s> 0 and <unk> 1.
// Precondition: the architecture is complete. Throws ConversionError if a
// vocabulary disagrees with the weights, or if the tokenizer needs one that
// does not exist.
void ReadNativeVocabularies(const NativeMarianFiles& files, bool with_tokenizer,
                            CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NATIVE_MARIAN_VOCABULARY_H_
