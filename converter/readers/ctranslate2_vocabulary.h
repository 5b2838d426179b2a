// The vocabularies of a CTranslate2 folder, and the tokenizer beside it.
#ifndef LATIMER_CONVERTER_READERS_CTRANSLATE2_VOCABULARY_H_
#define LATIMER_CONVERTER_READERS_CTRANSLATE2_VOCABULARY_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/ctranslate2_config.h"

namespace latimer {

// One side: shared_vocabulary or source_vocabulary, target_vocabulary, each
// .json (a list) or .txt (a token a line). A token's id is its place; one that
// occurs again, as in T5's padding, has its first.
struct CTranslate2Vocabulary {
  std::filesystem::path path;
  std::vector<std::string> tokens;
};

// Reads the vocabularies, sets model->generation and, if wanted,
// model->tokenizer with the files that lie beside model.bin. Throws
// ConversionError if a file is missing or damaged, or does not belong to
// model->architecture.
void ReadCTranslate2Vocabularies(const std::filesystem::path& folder,
                                 const CTranslate2Config& config,
                                 bool with_tokenizer, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_CTRANSLATE2_VOCABULARY_H_
