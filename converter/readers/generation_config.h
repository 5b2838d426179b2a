// The generation config of a Hugging Face model of any family: from
// generation_config.json or, if that is missing, config.json.
#ifndef LATIMER_CONVERTER_READERS_GENERATION_CONFIG_H_
#define LATIMER_CONVERTER_READERS_GENERATION_CONFIG_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/json_fields.h"

namespace latimer {

// The defaults of a family's configuration class in transformers; -1: none.
struct SpecialTokenDefaults {
  int32_t bos = -1;
  int32_t eos = -1;
  int32_t pad = -1;
  int32_t decoder_start = -1;
  int32_t forced_eos = -1;
};

// Reads the settings that transformers' generate() obeys in greedy search.
// `config` is config.json of `directory`; `known` lists its fields that the
// family reads or that change nothing, and other fields get a warning.
// `source_suffix` is EOS. Throws ConversionError if a setting that changes
// greedy search is not supported.
CanonicalGeneration ReadGenerationConfig(
    const std::filesystem::path& directory, const JsonFields& config,
    const Architecture& architecture, const SpecialTokenDefaults& defaults,
    std::span<const std::string_view> known,
    std::vector<std::string>* warnings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_GENERATION_CONFIG_H_
