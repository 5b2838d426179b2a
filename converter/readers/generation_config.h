// The generation rules of a Hugging Face model, which every family has:
// generation_config.json, or config.json where that is missing.
#ifndef LATIMER_CONVERTER_READERS_GENERATION_CONFIG_H_
#define LATIMER_CONVERTER_READERS_GENERATION_CONFIG_H_

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/json_fields.h"

namespace latimer {

// What transformers' configuration class of a family takes where config.json
// does not say; -1: nothing.
struct SpecialTokenDefaults {
  int32_t bos = -1;
  int32_t eos = -1;
  int32_t pad = -1;
  int32_t decoder_start = -1;
  int32_t forced_eos = -1;
};

// Reads what transformers' generate() would obey in greedy search. `config` is
// config.json of `directory`, `known` the names of its fields that the family
// reads or that change nothing; others get a warning. `source_suffix` is EOS.
// Throws ConversionError where a rule changes greedy search and is not
// supported.
CanonicalGeneration ReadGenerationConfig(
    const std::filesystem::path& directory, const JsonFields& config,
    const Architecture& architecture, const SpecialTokenDefaults& defaults,
    std::span<const std::string_view> known,
    std::vector<std::string>* warnings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_GENERATION_CONFIG_H_
