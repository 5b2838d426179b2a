// What Whisper has beside a Transformer: convolutions over frames of speech,
// and tokens that steer the decoder. For the readers of its formats.
#ifndef LATIMER_CONVERTER_READERS_WHISPER_H_
#define LATIMER_CONVERTER_READERS_WHISPER_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/mapped_tensors.h"

namespace latimer {

// Takes the parts encoder.conv1 [d_model, mel_bins, 3] and encoder.conv2
// [d_model, d_model, 3] of a model whose architecture has mel_bins.
void MapConvolutions(MappedTensors* tensors, CanonicalModel* model);

// What a format says about the search.
struct WhisperRules {
  // Of several languages; nothing: by the size of the vocabulary, as
  // CTranslate2 tells.
  std::optional<bool> multilingual;
  std::vector<int32_t> suppressed;
  // At the beginning of a text only.
  std::vector<int32_t> suppressed_first;
  // [layer, head] each, of the decoder's cross-attention, as config.json of
  // CTranslate2 and generation_config.json of Hugging Face list them.
  std::vector<std::pair<uint32_t, uint32_t>> alignment_heads;
};

// The list alignment_heads; empty if the field is absent. Throws
// ConversionError if it is no list of pairs.
std::vector<std::pair<uint32_t, uint32_t>> ReadAlignmentHeads(
    const JsonFields& fields);

// Reads the tokenizer of a folder, and sets the tokenizer, the tokens of the
// generation config, the languages, the tokens of speech and the heads that
// align. Throws ConversionError if it is missing, or lacks a token that every
// Whisper has, or if the model has no such heads.
void ReadWhisperTokens(const std::filesystem::path& folder,
                       const WhisperRules& rules, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_WHISPER_H_
