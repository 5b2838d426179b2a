// What the options of a native Marian model mean, and which are supported.
#ifndef LATIMER_CONVERTER_READERS_NATIVE_MARIAN_CONFIG_H_
#define LATIMER_CONVERTER_READERS_NATIVE_MARIAN_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/readers/marian_options.h"
#include "model/model_description.h"

namespace latimer {

struct NativeMarianConfig {
  // What the options say. Vocabularies that they leave out are 0, and positions
  // are not set.
  Architecture architecture{};
  bool shared_embeddings = false;  // Wemb, else encoder_Wemb, decoder_Wemb.
  bool output_tied = false;        // To the target embedding.
  bool output_bias = true;
  bool wants_learned_positions = false;
  // Numbers of the decoder layers in the tensors' names, from 1.
  std::vector<uint32_t> decoder_layers;
  // Of a student: what its teacher's alignments trained.
  std::optional<AlignmentHead> alignment;
  std::vector<std::string> warnings;
};

// Reads the options of a model. Throws ConversionError if one would change a
// result and its value is not supported; warns of unknown ones.
NativeMarianConfig ReadMarianModelOptions(const MarianOptions& options);

// Throws ConversionError if an option of decoder.yml would change a greedy
// translation and is not supported; returns warnings of unknown ones.
std::vector<std::string> CheckMarianDecoderOptions(
    const MarianOptions& options);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NATIVE_MARIAN_CONFIG_H_
