// The tokenizers of BART, T5, mT5, ByT5, Pegasus, mBART, mBART-50, NLLB,
// M2M100, IndicTrans2 and T5Gemma folders, as transformers 5.23 loads them, or
// the code that is published with IndicTrans2: from tokenizer.json if it exists
// and the family reads it, else from the family's own files. Like transformers,
// Latimer uses only the vocabulary, the merges, the added tokens and the
// normalizer Precompiled of tokenizer.json; the tokenizer's class determines
// the rest.
#ifndef LATIMER_CONVERTER_READERS_HUGGINGFACE_TOKENIZER_H_
#define LATIMER_CONVERTER_READERS_HUGGINGFACE_TOKENIZER_H_

#include <filesystem>

#include "converter/huggingface_tokenizer_builder.h"
#include "converter/readers/tokenizer_class.h"
#include "model/model_description.h"

namespace latimer {

// The tokenizer does not add the ids that the family puts around a text, nor
// those of `frame` of the result. `ids` has every language code: eng_Latn,
// en_XX, __en__. Throws ConversionError if a file is missing, damaged, or does
// not fit embeddings of these sizes.
HuggingFaceTokenizer ReadHuggingFaceTokenizer(
    const std::filesystem::path& directory, TokenizerClass tokenizer_class,
    const Architecture& architecture);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_TOKENIZER_H_
