// Special and added tokens of a Hugging Face tokenizer: tokenizer_config.json
// and, as older versions of transformers wrote them, special_tokens_map.json
// and added_tokens.json. Follows transformers 5.23,
// PreTrainedTokenizerBase._from_pretrained.
#ifndef LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_
#define LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace latimer {

struct AddedTokenConfig {
  std::string text;
  std::optional<int32_t> id = {};  // If a file states it.
  bool strips_space_before = false;
  bool strips_space_after = false;
  bool special = false;  // Left out when text is decoded.
  // As a file declares it; transformers' Python tokenizers ignore this.
  bool declared_special = false;
};

// In the order in which they are added: those without an id come last.
inline void SortByIds(std::vector<AddedTokenConfig>* tokens) {
  std::ranges::stable_sort(*tokens, {}, [](const AddedTokenConfig& token) {
    return token.id.value_or(std::numeric_limits<int32_t>::max());
  });
}

// The default of a tokenizer's class for a named token, such as "eos_token".
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
  // Including eos, unknown and pad. Each text occurs once; tokens that
  // vocab.json lacks are in the order of their ids.
  std::vector<AddedTokenConfig> tokens;
  // Texts of the named tokens, by name, such as "eos_token".
  std::map<std::string, std::string> named = {};
  // Whether the files have extra_special_tokens, even if null, and whether they
  // list any; and the additional_special_tokens of special_tokens_map.json.
  bool names_extra_tokens = false;
  bool lists_extra_tokens = false;
  std::vector<AddedTokenConfig> additional = {};
};

// Reads the files of a Marian tokenizer, with its class's defaults for those
// that are missing. Throws ConversionError for a file that is not JSON or asks
// for something that Latimer does not support.
TokenizerConfig ReadTokenizerConfig(const std::filesystem::path& directory);

// The same for another class of tokenizers, with its defaults. The added_tokens
// of tokenizer.json count if tokenizer_config.json has none.
TokenizerConfig ReadTokenizerConfig(const std::filesystem::path& directory,
                                    std::span<const NamedTokenDefault> defaults,
                                    const nlohmann::json& added_tokens);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_
