// Special and added tokens of a Hugging Face tokenizer: tokenizer_config.json
// and, as older versions of transformers wrote them, special_tokens_map.json
// and added_tokens.json. Follows transformers 5.23,
// PreTrainedTokenizerBase._from_pretrained.
#ifndef LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_
#define LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace latimer {

struct AddedTokenConfig {
  std::string text;
  std::optional<int32_t> id = {};  // Where a file says it.
  bool strips_space_before = false;
  bool strips_space_after = false;
  bool special = false;  // Left out when text is decoded.
  // What a file says of it; transformers' tokenizers in Python ignore it.
  bool declared_special = false;
};

// What a tokenizer's class has where its files name no such token, as
// "eos_token".
struct NamedTokenDefault {
  const char* name;
  AddedTokenConfig token;
};

struct TokenizerConfig {
  std::string name;  // The file or folder, for messages.
  std::string eos = "</s>";
  std::string unknown = "<unk>";
  std::string pad = "<pad>";
  bool separate_vocabularies = false;
  bool clean_up_spaces = false;
  // With eos, unknown and pad; each text once, in the order of their ids
  // where vocab.json does not have them.
  std::vector<AddedTokenConfig> tokens;
  // Texts of the tokens with a name, as "eos_token".
  std::map<std::string, std::string> named = {};
  // Whether the files have extra_special_tokens, even null, and whether they
  // list some; what special_tokens_map.json lists as additional_special_tokens.
  bool names_extra_tokens = false;
  bool lists_extra_tokens = false;
  std::vector<AddedTokenConfig> additional = {};
};

// What Marian tokenizers do when none of the files is there, is their default.
// Throws ConversionError for a file that is not JSON or asks for what Latimer
// lacks.
TokenizerConfig ReadTokenizerConfig(const std::filesystem::path& directory);

// The same for another class of tokenizers: with its defaults, and with what
// tokenizer.json lists as added_tokens, which count where tokenizer_config.json
// has none.
TokenizerConfig ReadTokenizerConfig(const std::filesystem::path& directory,
                                    std::span<const NamedTokenDefault> defaults,
                                    const nlohmann::json& added_tokens);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_
