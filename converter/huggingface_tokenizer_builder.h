// Builds what the model file holds from the parts of a tokenizer of Hugging
// Face's library `tokenizers`.
#ifndef LATIMER_CONVERTER_HUGGINGFACE_TOKENIZER_BUILDER_H_
#define LATIMER_CONVERTER_HUGGINGFACE_TOKENIZER_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/readers/tokenizer_config.h"
#include "converter/tokenizer_data.h"

namespace latimer {

// The parts of a tokenizer of transformers 5.23.
struct HuggingFaceTokenizerParts {
  enum class Model { kUnigram, kBpe, kByteBpe };

  std::string name;  // The file, for messages.
  Model model = Model::kUnigram;
  // By id, with scores that only unigram uses. Byte-level BPE writes pieces in
  // GPT-2's alphabet of bytes.
  std::vector<std::pair<std::string, float>> pieces;
  // BPE; the first pair has priority.
  std::vector<std::pair<std::string, std::string>> merges;
  // Charsmap of the normalizer Precompiled; empty: none.
  std::string charsmap;
  // Rules of tokenizers that have no charsmap.
  std::map<std::string, std::string> rules;
  Spacing spacing = Spacing::kWords;
  bool collapses_spaces = false;  // Replace(" {2,}", " ").
  bool add_prefix_space = false;
  // BPE: characters that are no piece become the pieces <0x00> to <0xFF>, and
  // decoding keeps each space.
  bool byte_fallback = false;
  int32_t unknown_id = 0;
  // In the order in which they are added: tokens that are not pieces get the
  // ids after the pieces.
  std::vector<AddedTokenConfig> added;
  bool clean_up_spaces = false;
  size_t source_rows = 0;
  size_t target_rows = 0;
};

struct HuggingFaceTokenizer {
  TokenizerData data;
  // The id of every token, such as a language code, by its text.
  std::map<std::string, int32_t> ids;
  // Texts of the tokens that decoding leaves out.
  std::vector<std::string> special;
  // Ids around a text, of a tokenizer whose files say them.
  std::optional<std::pair<std::vector<int32_t>, std::vector<int32_t>>> frame;
  std::vector<std::string> warnings;
};

// Throws ConversionError if there are more pieces than rows, if a pair or its
// result is not a piece, if a rule or a piece is longer than the runtime
// accepts, or if a piece is missing that every text needs.
HuggingFaceTokenizer BuildHuggingFaceTokenizer(
    const HuggingFaceTokenizerParts& parts);

// ByT5: <pad>, </s> and <unk>, then the bytes as ids from 3, then the added
// tokens. `config` has all of them.
HuggingFaceTokenizer BuildByteTokenizer(const TokenizerConfig& config,
                                        size_t rows);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_HUGGINGFACE_TOKENIZER_BUILDER_H_
