// The vocabularies of a native Marian model: special ids and the tokenizer.
#ifndef LATIMER_CONVERTER_READERS_NATIVE_MARIAN_VOCABULARY_H_
#define LATIMER_CONVERTER_READERS_NATIVE_MARIAN_VOCABULARY_H_

#include "converter/canonical_model.h"
#include "converter/readers/native_marian_files.h"

namespace latimer {

// Sets model->generation by the vocabularies and by decoder.yml,
// model->shortlist where there is one, and model->tokenizer if wanted. Without
// vocabularies the special ids are Marian's own, </s> 0 and <unk> 1.
// Precondition: the architecture is complete. Throws ConversionError where a
// vocabulary disagrees with the weights, or where there is none for a
// tokenizer.
void ReadNativeVocabularies(const NativeMarianFiles& files, bool with_tokenizer,
                            CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NATIVE_MARIAN_VOCABULARY_H_
