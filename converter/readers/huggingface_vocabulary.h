// Pieces, merges and normalization rules of a Hugging Face tokenizer, from any
// of the files that can have them.
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
  std::string name;   // The file, for messages.
  std::string model;  // "Unigram" or "BPE"; empty if not of tokenizer.json.
  std::vector<std::pair<std::string, float>> pieces;  // By id.
  std::vector<std::pair<std::string, std::string>> merges;
  std::string charsmap;
  // Those of tokenizer.json; empty or null if read from other files.
  nlohmann::json added_tokens = nlohmann::json::array();
  nlohmann::json normalizer = {}, pre_tokenizer = {}, decoder = {},
                 post_processor = {};
  nlohmann::json options = nlohmann::json::object();  // Of the model.
};

// Reads tokenizer.json. Throws ConversionError if its model is neither Unigram
// nor BPE, or if its ids are not 0 to n-1.
HuggingFaceVocabulary ReadTokenizerJson(const std::filesystem::path& path);

// Reads vocab.json and merges.txt. Throws ConversionError if one is missing or
// malformed.
HuggingFaceVocabulary ReadVocabularyAndMerges(
    const std::filesystem::path& directory);

// The pieces and rules of a SentencePiece model, in the order of the file.
HuggingFaceVocabulary VocabularyOf(const SentencePieceModel& model);

// The merges that transformers generates for pieces without any
// (generate_merges): every pair that forms a piece, ordered by that piece's
// index, then by the lengths of the pair.
std::vector<std::pair<std::string, std::string>> GenerateMerges(
    const std::vector<std::pair<std::string, float>>& pieces);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_VOCABULARY_H_
