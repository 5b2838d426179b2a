// Builds the normalizer's part of a tokenizer.
#ifndef LATIMER_CONVERTER_NORMALIZER_BUILDER_H_
#define LATIMER_CONVERTER_NORMALIZER_BUILDER_H_

#include <map>
#include <string>

#include "converter/readers/sentencepiece_model.h"
#include "converter/tokenizer_data.h"

namespace latimer {

// That of a SentencePiece model. Throws ConversionError when its rules are
// damaged.
void BuildSentencePieceNormalizer(const SentencePieceModel& model,
                                  TokenizerData& data);

// Rules from text to text, none of them empty or with a zero byte.
void BuildRules(const std::map<std::string, std::string>& rules,
                TokenizerData& data);

// What becomes of white space, as Python's str.isspace() knows it.
enum class Spaces {
  kOneBetweenWords,  // As in " ".join(text.split()).
  kNone,
  kAsTheyAre,
};

struct WordNormalizer {
  Spaces spaces;
  // Python's str.lower() of each character alone.
  bool lower_case;
};
void BuildWordNormalizer(const WordNormalizer& options, TokenizerData& data);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_NORMALIZER_BUILDER_H_
