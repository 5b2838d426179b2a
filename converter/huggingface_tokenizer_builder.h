// The tokenizers of Hugging Face's library `tokenizers`, from their parts to
// what the model file holds.
#ifndef LATIMER_CONVERTER_HUGGINGFACE_TOKENIZER_BUILDER_H_
#define LATIMER_CONVERTER_HUGGINGFACE_TOKENIZER_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/readers/tokenizer_config.h"
#include "converter/tokenizer_data.h"

namespace latimer {

// What a tokenizer of transformers 5.23 is put together of.
struct HuggingFaceTokenizerParts {
  enum class Model { kUnigram, kBpe, kByteBpe };

  std::string name;  // The file, for messages.
  Model model = Model::kUnigram;
  // By id. Of unigram each has a score, of BPE none matters. Of byte-level BPE
  // they are in GPT-2's alphabet of bytes.
  std::vector<std::pair<std::string, float>> pieces;
  // BPE, the first is merged first.
  std::vector<std::pair<std::string, std::string>> merges;
  // Of the normalizer Precompiled; empty: there is none.
  std::string charsmap;
  // Without it.
  std::map<std::string, std::string> rules;
  Spacing spacing = Spacing::kWords;
  bool collapses_spaces = false;  // Replace(" {2,}", " ").
  bool add_prefix_space = false;
  int32_t unknown_id = 0;
  // In the order in which they are added: those that are no piece have the ids
  // behind the pieces.
  std::vector<AddedTokenConfig> added;
  bool clean_up_spaces = false;
  size_t source_rows = 0;
  size_t target_rows = 0;
};

struct HuggingFaceTokenizer {
  TokenizerData data;
  // Of every token, such as a language code, by its text.
  std::map<std::string, int32_t> ids;
  // Texts of the tokens that decoding leaves out.
  std::vector<std::string> special;
};

// Throws ConversionError when there are more pieces than rows, when a pair or
// its result is no piece, when a rule or a piece is longer than the runtime
// takes, or when a piece is missing that every text needs.
HuggingFaceTokenizer BuildHuggingFaceTokenizer(
    const HuggingFaceTokenizerParts& parts);

// ByT5: ids are bytes + 3 behind <pad>, </s> and <unk>; then come the tokens
// that are added. `config` has all of them.
HuggingFaceTokenizer BuildByteTokenizer(const TokenizerConfig& config,
                                        size_t rows);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_HUGGINGFACE_TOKENIZER_BUILDER_H_
