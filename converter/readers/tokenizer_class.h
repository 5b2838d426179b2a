// Which transformers tokenizer a Hugging Face folder asks for, and the tokens
// that its class has by default.
#ifndef LATIMER_CONVERTER_READERS_TOKENIZER_CLASS_H_
#define LATIMER_CONVERTER_READERS_TOKENIZER_CLASS_H_

#include <filesystem>
#include <vector>

#include "converter/readers/json_fields.h"
#include "converter/readers/tokenizer_config.h"

namespace latimer {

enum class TokenizerClass {
  kBart,
  kWhisper,
  kT5,  // And mT5.
  kByT5,
  kPegasus,
  kMBart,
  kMBart50,
  kNllb,
  kM2m100,
  kSmall100,
  kIndicTrans,
  kGemma,
};

// Follows tokenizer_class of tokenizer_config.json or config.json, else
// model_type of config.json. Beside SMaLL-100's own tokenization_small100.py it
// is that class, whatever they say. Throws ConversionError for any other class.
TokenizerClass TokenizerClassOf(const std::filesystem::path& directory);

// The default arguments of the class's __init__.
std::vector<NamedTokenDefault> DefaultTokens(TokenizerClass tokenizer_class);

// tokenizer_config.json; empty if it is missing.
JsonFields TokenizerSettings(const std::filesystem::path& directory);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TOKENIZER_CLASS_H_
