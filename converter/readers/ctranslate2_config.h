// config.json of a CTranslate2 folder.
#ifndef LATIMER_CONVERTER_READERS_CTRANSLATE2_CONFIG_H_
#define LATIMER_CONVERTER_READERS_CTRANSLATE2_CONFIG_H_

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/readers/ctranslate2_file.h"

namespace latimer {

// What config.json says, or model.bin before version 6.
struct CTranslate2Config {
  std::string unknown = "<unk>";
  std::string bos = "<s>";
  std::string eos = "</s>";
  // Nothing if every translation has to name it: a language, as in mBART.
  std::optional<std::string> start;
  bool adds_bos = false;
  bool adds_eos = false;
  std::optional<float> norm_epsilon;
  // The decoder starts from a zero embedding, as in Marian.
  bool starts_from_zero = false;
  // Of Whisper: target ids that are not produced, ever or at the beginning.
  std::vector<int32_t> suppressed;
  std::vector<int32_t> suppressed_first;
  // Likewise: [layer, head] of what aligns words.
  std::vector<std::pair<uint32_t, uint32_t>> alignment_heads;
};

// `file` is the folder's model.bin. Throws ConversionError if config.json is
// missing or a field has a value of another type; notes unknown fields.
CTranslate2Config ReadCTranslate2Config(const std::filesystem::path& folder,
                                        const CTranslate2File& file,
                                        std::vector<std::string>* warnings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_CTRANSLATE2_CONFIG_H_
