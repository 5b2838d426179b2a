// The languages of a multilingual Hugging Face model, and the tokens that stand
// for them.
#ifndef LATIMER_CONVERTER_READERS_LANGUAGES_H_
#define LATIMER_CONVERTER_READERS_LANGUAGES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "converter/canonical_model.h"
#include "converter/readers/tokenizer_class.h"

namespace latimer {

// Whether a language or a task may be called so: not empty, and without control
// characters, which a terminal would obey.
bool IsName(std::string_view text);

// Adds every language whose token is in `token_ids`, and sets where
// transformers' tokenizer and generate() put the tokens: of NLLB (eng_Latn),
// M2M100 (__en__) and mBART-50 (en_XX) before the text, and forced first; of
// mBART (en_XX) after EOS, and as what the decoder starts from. Of T5 (<2de>,
// as in MADLAD-400) and SMaLL-100 the target's stands before the text, and the
// source's nowhere; of IndicTrans2 (eng_Latn) both stand before it, the
// source's first. Other classes have no languages. `legacy` is NLLB with
// legacy_behaviour, whose source token follows EOS.
void AddLanguages(TokenizerClass kind, bool legacy,
                  const std::map<std::string, int32_t>& token_ids,
                  CanonicalGeneration* generation);

// Adds the languages of the codes in a vocabulary of Marian's (>>deu<<), of
// which a text may have one.
void AddMarianLanguages(std::span<const std::string> pieces,
                        CanonicalGeneration* generation);

// Fixes one direction of a multilingual model: its language tokens become part
// of the generation config, and there are no languages left to choose from.
// Does nothing if both codes are empty. Throws ConversionError if one that the
// model needs is, or, with a list of the languages, if a code is unknown.
void ChooseLanguages(const std::string& source, const std::string& target,
                     CanonicalGeneration* generation);

// Language codes of multilingual models, in the order of their ids. If a folder
// does not list them, transformers 5.23 takes them from FAIRSEQ_LANGUAGE_CODES
// in the code of its tokenizers.
std::span<const char* const> MBartLanguages();
std::span<const char* const> MBart50Languages();
std::span<const char* const> NllbLanguages();
// Without the underscores around them.
std::span<const char* const> M2m100Languages();
std::span<const char* const> Wmt21Languages();

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_LANGUAGES_H_
