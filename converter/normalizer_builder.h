// Builds the normalizer of a tokenizer.
#ifndef LATIMER_CONVERTER_NORMALIZER_BUILDER_H_
#define LATIMER_CONVERTER_NORMALIZER_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converter/readers/sentencepiece_model.h"
#include "converter/tokenizer_data.h"

namespace latimer {

// The normalizer of a SentencePiece model. Throws ConversionError if its rules
// are damaged.
void BuildSentencePieceNormalizer(const SentencePieceModel& model,
                                  TokenizerData& data);

// Stores the values, zero-terminated, in `bytes`, and a trie from the keys to
// where they begin. Precondition: no key is empty or has a zero byte.
void BuildStrings(const std::map<std::string, std::string>& strings,
                  std::vector<uint32_t>* trie, std::vector<uint8_t>* bytes);

// Rules that replace text by text. Precondition: no rule is empty or has a zero
// byte.
void BuildRules(const std::map<std::string, std::string>& rules,
                TokenizerData& data);

// What happens to white space, as defined by Python's str.isspace().
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
