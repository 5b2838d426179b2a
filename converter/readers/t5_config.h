// config.json and generation_config.json of a Hugging Face T5 or mT5.
#ifndef LATIMER_CONVERTER_READERS_T5_CONFIG_H_
#define LATIMER_CONVERTER_READERS_T5_CONFIG_H_

#include <cstdint>
#include <filesystem>

#include "converter/canonical_model.h"
#include "converter/readers/huggingface_model.h"

namespace latimer {

struct T5Config : HuggingFaceConfig {
  // The decoder's output is multiplied by d_model^-0.5.
  bool scale_output = false;
  // The output has a matrix of its own.
  bool own_output = false;
  // The encoder's buckets. The decoder has as many, all for one direction.
  uint32_t buckets = 0;
  uint32_t max_distance = 0;
};

// The limits of positions are those of training or `limits`, whichever is
// larger: the network knows distances only. Throws ConversionError if a field
// has a value that is not supported.
T5Config ReadT5Config(const std::filesystem::path& directory,
                      const PositionLimits& limits = {});

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_T5_CONFIG_H_
