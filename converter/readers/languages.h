// The languages that a multilingual Hugging Face model is told, from the tokens
// that stand for them.
#ifndef LATIMER_CONVERTER_READERS_LANGUAGES_H_
#define LATIMER_CONVERTER_READERS_LANGUAGES_H_

#include <cstdint>
#include <map>
#include <string>

#include "converter/canonical_model.h"

namespace latimer {

// How a family writes the token of a language, and where transformers'
// tokenizer and generate() put it.
enum class LanguageTokens {
  kNllb,     // eng_Latn; before the text, and forced first.
  kM2M100,   // __en__; likewise.
  kMBart50,  // en_XX; likewise.
  kMBart,    // en_XX; behind EOS, and what the decoder starts from.
};

// Adds every language whose token is among `token_ids`, and where its token
// goes. legacy: NLLB with legacy_behaviour, whose source token stands behind
// EOS.
void AddLanguages(LanguageTokens kind, bool legacy,
                  const std::map<std::string, int32_t>& token_ids,
                  CanonicalGeneration* generation);

// Makes one direction the model's own, so that nobody has to tell it: the
// tokens become rules, and there are no languages to choose from. Empty codes
// are left open; then both must be. Throws ConversionError that lists the
// languages where a code is none of them.
void ChooseLanguages(const std::string& source, const std::string& target,
                     CanonicalGeneration* generation);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_LANGUAGES_H_
