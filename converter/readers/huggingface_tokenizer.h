// The tokenizers of BART, T5, mT5, ByT5, Pegasus, mBART, mBART-50, NLLB and
// M2M100 folders, as transformers 5.23 loads them: tokenizer.json where the
// family reads it and it is there, else the family's own files. As there, of
// tokenizer.json only the vocabulary, the merges, the added tokens and the
// normalizer Precompiled count: the rest is the class's.
#ifndef LATIMER_CONVERTER_READERS_HUGGINGFACE_TOKENIZER_H_
#define LATIMER_CONVERTER_READERS_HUGGINGFACE_TOKENIZER_H_

#include <filesystem>

#include "converter/huggingface_tokenizer_builder.h"
#include "converter/readers/tokenizer_class.h"
#include "latimer/model_info.h"

namespace latimer {

// The ids of a text come without those that the family puts around them. `ids`
// of the result has every language code: eng_Latn, en_XX, __en__. Throws
// ConversionError when a file is missing or damaged or does not belong to
// embeddings of these sizes.
HuggingFaceTokenizer ReadHuggingFaceTokenizer(
    const std::filesystem::path& directory, TokenizerClass tokenizer_class,
    const Architecture& architecture);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_TOKENIZER_H_
