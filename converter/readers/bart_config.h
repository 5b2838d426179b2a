// config.json and generation_config.json of BART and the Hugging Face families
// that are built like it.
#ifndef LATIMER_CONVERTER_READERS_BART_CONFIG_H_
#define LATIMER_CONVERTER_READERS_BART_CONFIG_H_

#include <cstdint>
#include <filesystem>

#include "converter/readers/huggingface_model.h"

namespace latimer {

// model_type: bart and mvp, plbart, marian, mbart (mBART and mBART-50), m2m_100
// (M2M100 and NLLB), pegasus, blenderbot, blenderbot-small, fsmt, IndicTrans
// (IndicTrans2), whisper.
enum class BartFamily {
  kBart,
  kPlBart,
  kBlenderbot,
  kFsmt,
  kMarian,
  kMBart,
  kM2M100,
  kPegasus,
  kIndicTrans,
  kWhisper
};

// The source of position tables if the file has none.
enum class BartPositions {
  kLearned,          // Nowhere: the file must have them.
  kMarianSinusoids,  // Frequencies 10000^(-2i / D).
  kM2M100Sinusoids,  // 10000^(-i / (D/2 - 1)), from position pad + 1 on.
};

struct BartConfig : HuggingFaceConfig {
  BartFamily family = BartFamily::kBart;
  // Of source and target, and of target and output.
  bool share_embeddings = true;
  bool tie_output = true;
  BartPositions positions = BartPositions::kLearned;
  // Rows of the file's position table before the row of the first token.
  uint32_t position_offset = 0;
};

// Throws ConversionError if a field has a value that is not supported.
BartConfig ReadBartConfig(const std::filesystem::path& directory);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_BART_CONFIG_H_
