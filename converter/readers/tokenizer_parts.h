// Whether the steps of a tokenizer.json are those of its family.
#ifndef LATIMER_CONVERTER_READERS_TOKENIZER_PARTS_H_
#define LATIMER_CONVERTER_READERS_TOKENIZER_PARTS_H_

#include "converter/readers/huggingface_vocabulary.h"

namespace latimer {

// transformers 5.23 takes the normalizer and the pre-tokenizer from the class
// of a tokenizer, and so does Latimer; older versions take them from
// tokenizer.json. Throws ConversionError if the file has a step that the class
// lacks, with which the text would be read differently: byte-level BPE has no
// normalizer and the pre-tokenizer ByteLevel, the others have Precompiled,
// stripped ends, runs of spaces that are one, and Metaspace.
void CheckTokenizerParts(const HuggingFaceVocabulary& vocabulary,
                         bool byte_level);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TOKENIZER_PARTS_H_
