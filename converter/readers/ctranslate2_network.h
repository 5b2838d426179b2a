// What a CTranslate2 folder says about the network: config.json, the numbers of
// model.bin, and the shapes of its matrices.
#ifndef LATIMER_CONVERTER_READERS_CTRANSLATE2_NETWORK_H_
#define LATIMER_CONVERTER_READERS_CTRANSLATE2_NETWORK_H_

#include <filesystem>
#include <string>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/ctranslate2_config.h"
#include "converter/readers/ctranslate2_file.h"
#include "converter/readers/relative_bias.h"

namespace latimer {

struct CTranslate2Network {
  // Without the facts that only values tell: which embeddings are tied or
  // shared, and whether positions are.
  Architecture architecture{};
  CTranslate2Config config;
  // With relative_attention: how each stack sorts distances.
  RelativeBuckets encoder_buckets, decoder_buckets;
  // A factor of the decoder's output; only after an RMS norm.
  float output_scale = 1.0f;
  std::vector<std::string> warnings;
};

// Whether the file has a Whisper, which reads speech.
bool IsWhisper(const CTranslate2File& file);

// The name of the source embedding, which has a number since features exist.
std::string CTranslate2SourceEmbedding(const CTranslate2File& file);

// `file` is the folder's model.bin. Throws a ConversionError that names what is
// missing or not supported.
CTranslate2Network ReadCTranslate2Network(const std::filesystem::path& folder,
                                          const CTranslate2File& file,
                                          const PositionLimits& limits);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_CTRANSLATE2_NETWORK_H_
