// The tokenizer of Hugging Face's Marian models, and of others whose
// SentencePiece models have the ids of a vocabulary: vocab.json with the tokens
// that tokenizer_config.json adds to it.
#ifndef LATIMER_CONVERTER_MARIAN_TOKENIZER_BUILDER_H_
#define LATIMER_CONVERTER_MARIAN_TOKENIZER_BUILDER_H_

#include <cstddef>

#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/tokenizer_config.h"
#include "converter/readers/vocabulary.h"
#include "converter/tokenizer_data.h"

namespace latimer {

struct MarianTokenizerSources {
  const SentencePieceModel& source;
  const SentencePieceModel& target;
  const Vocabulary& source_vocabulary;
  const Vocabulary& target_vocabulary;  // The same unless they are separate.
  const TokenizerConfig& config;
  // Rows of the model's embeddings. The last ids may be missing from a
  // vocabulary (padding): they are never encoded, and decode as in
  // transformers.
  size_t source_rows;
  size_t target_rows;
};

// Throws ConversionError if a vocabulary has more ids than rows, if it lacks
// eos, unknown or pad, or if it gives an added token another id.
TokenizerData BuildMarianTokenizer(const MarianTokenizerSources& sources);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_MARIAN_TOKENIZER_BUILDER_H_
