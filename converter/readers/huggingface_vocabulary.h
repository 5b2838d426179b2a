// Pieces, merges and normalization rules of a Hugging Face tokenizer, from the
// files that can have them.
#ifndef LATIMER_CONVERTER_READERS_HUGGINGFACE_VOCABULARY_H_
#define LATIMER_CONVERTER_READERS_HUGGINGFACE_VOCABULARY_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "converter/readers/sentencepiece_model.h"

namespace latimer {

struct HuggingFaceVocabulary {
  std::string name;                                   // The file, for messages.
  std::vector<std::pair<std::string, float>> pieces;  // By id.
  std::vector<std::pair<std::string, std::string>> merges;
  std::string charsmap;
  // tokenizer.json's list; otherwise an empty one.
  nlohmann::json added_tokens = nlohmann::json::array();
};

// tokenizer.json: of its model `vocab` and `merges`. Throws ConversionError
// when the model is not of the type `model`, "Unigram" or "BPE", or its ids are
// not 0 to n-1, each once.
HuggingFaceVocabulary ReadTokenizerJson(const std::filesystem::path& path,
                                        const std::string& model);

// vocab.json and merges.txt. Throws ConversionError when one is missing or not
// of its form.
HuggingFaceVocabulary ReadVocabularyAndMerges(
    const std::filesystem::path& directory);

// Pieces and rules of a SentencePiece model, in the order of the file.
HuggingFaceVocabulary VocabularyOf(const SentencePieceModel& model);

// The merges that transformers makes up for pieces without any
// (generate_merges): every pair that is a piece, by the place of that piece,
// then by the pair's lengths.
std::vector<std::pair<std::string, std::string>> GenerateMerges(
    const std::vector<std::pair<std::string, float>>& pieces);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_VOCABULARY_H_
