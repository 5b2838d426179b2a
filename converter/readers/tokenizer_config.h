// Special and added tokens of a Hugging Face tokenizer: tokenizer_config.json
// and, as older versions of transformers wrote them, special_tokens_map.json
// and added_tokens.json. Follows transformers 5.23,
// PreTrainedTokenizerBase._from_pretrained.
#ifndef LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_
#define LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace latimer {

struct AddedTokenConfig {
  std::string text;
  std::optional<int32_t> id = {};  // Where a file says it.
  bool strips_space_before = false;
  bool strips_space_after = false;
  bool special = false;  // Left out when text is decoded.
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
};

// What Marian tokenizers do when none of the files is there, is their default.
// Throws ConversionError for a file that is not JSON or asks for what Latimer
// lacks.
TokenizerConfig ReadTokenizerConfig(const std::filesystem::path& directory);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TOKENIZER_CONFIG_H_
