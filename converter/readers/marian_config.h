// config.json and generation_config.json of a Hugging Face Marian model.
#ifndef LATIMER_CONVERTER_READERS_MARIAN_CONFIG_H_
#define LATIMER_CONVERTER_READERS_MARIAN_CONFIG_H_

#include <filesystem>
#include <string>
#include <vector>

#include "converter/canonical_model.h"
#include "latimer/model_info.h"

namespace latimer {

struct MarianConfig {
  // Without the facts that only the tensors tell: which embeddings are tied,
  // whether positions are shared. positions_shared etc. are false here.
  Architecture architecture{};
  CanonicalGeneration generation;
  // share_encoder_decoder_embeddings and tie_word_embeddings.
  bool share_embeddings = true;
  bool tie_output = true;
  // Positions are computed where the file has no tables.
  bool static_positions = true;
  std::string name;
  std::vector<std::string> warnings;
};

// Throws ConversionError where a field has a value that is not supported.
MarianConfig ReadMarianConfig(const std::filesystem::path& directory);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MARIAN_CONFIG_H_
