// From SentencePiece models and a vocabulary to the tokenizer that the model
// file holds (runtime/text/tokenizer_view.h).
#ifndef LATIMER_CONVERTER_TOKENIZER_BUILDER_H_
#define LATIMER_CONVERTER_TOKENIZER_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/tokenizer_config.h"
#include "converter/readers/vocabulary.h"
#include "converter/tokenizer_side.h"
#include "text/tokenizer_view.h"

namespace latimer {

// Owns what a TokenizerView views; the members have the names and meanings
// there.
struct TokenizerData {
  std::vector<uint32_t> normalizer_trie;
  std::vector<uint8_t> replacements;
  std::vector<uint32_t> user_defined_trie;
  bool add_dummy_prefix = false;
  bool remove_extra_whitespaces = false;
  bool escape_whitespaces = false;
  bool treat_whitespace_as_suffix = false;
  std::vector<uint32_t> piece_trie;
  std::vector<float> scores;
  uint32_t source_vocabulary = 0;
  float unknown_score = 0;
  int32_t unknown_id = 0;
  std::vector<int32_t> byte_ids;
  std::vector<uint32_t> added_trie;
  std::vector<AddedToken> added_tokens;
  std::vector<uint32_t> piece_offsets;
  std::vector<uint8_t> piece_text;
  std::vector<TargetKind> target_kinds;
  std::string unknown_surface;
  bool clean_up_spaces = false;
  // Not in the view; for whoever checks them against the model's.
  int32_t eos_id = 0;
  int32_t pad_id = 0;

  // Lives as long as this object, unchanged.
  TokenizerView View() const;
  // What the vectors take in the file.
  size_t bytes() const;
};

// What a tokenizer is made of.
struct TokenizerSources {
  const SentencePieceModel& source;
  const SentencePieceModel& target;
  const Vocabulary& source_vocabulary;
  const Vocabulary& target_vocabulary;  // The same unless they are separate.
  const TokenizerConfig& config;
  // Rows of the model's embeddings. Ids that a vocabulary lacks at the end of
  // these (padding) are never encoded, and decode to what transformers shows.
  size_t source_rows;
  size_t target_rows;
};

// The tokenizer of two independent sides. Throws ConversionError, one sentence,
// when a side has no model or vocabulary that its kind needs, when its ids and
// the embedding's rows disagree, or when the vocabulary lacks `unknown`.
TokenizerData BuildTokenizer(const TokenizerSide& source,
                             const TokenizerSide& target);

// Throws ConversionError when a vocabulary has more ids than rows or lacks
// eos, unknown or pad, or where an added token has another id than there.
TokenizerData BuildTokenizer(const TokenizerSources& sources);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TOKENIZER_BUILDER_H_
