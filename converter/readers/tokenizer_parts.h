// The steps of a tokenizer.json, and whether they are those of its family.
#ifndef LATIMER_CONVERTER_READERS_TOKENIZER_PARTS_H_
#define LATIMER_CONVERTER_READERS_TOKENIZER_PARTS_H_

#include <string>

#include "converter/readers/huggingface_vocabulary.h"
#include "text/tokenizer_view.h"

namespace latimer {

// transformers 5.23 takes the normalizer and the pre-tokenizer from the class
// of a tokenizer, and so does Latimer; older versions take them from
// tokenizer.json. Throws ConversionError if the file has a step that the class
// lacks, with which the text would be read differently: byte-level BPE has no
// normalizer and the pre-tokenizer ByteLevel, Gemma writes U+2581 for a space,
// the others have Precompiled, stripped ends, runs of spaces that are one, and
// Metaspace.
enum class KnownSteps { kByteLevel, kGemma, kOthers };
void CheckTokenizerParts(const HuggingFaceVocabulary& vocabulary,
                         KnownSteps known);

// A tokenizer.json whose model, Unigram or BPE, is not that of its class: no
// class reads it, so it counts as the library `tokenizers` reads it. An example
// is a T5 whose SentencePiece model was BPE.
struct TokenizerSteps {
  Spacing spacing = Spacing::kMetaspace;
  bool collapses_spaces = false;
  std::string unknown;  // The model's unknown token.
};

// Throws ConversionError if the file has something besides Precompiled, runs of
// spaces that are one, WhitespaceSplit, Metaspace, and a model without byte
// fallback that fuses unknown characters.
TokenizerSteps ReadTokenizerSteps(const HuggingFaceVocabulary& vocabulary);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TOKENIZER_PARTS_H_
