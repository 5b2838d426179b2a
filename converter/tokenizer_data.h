// The tokenizer between its builder and the model writer.
#ifndef LATIMER_CONVERTER_TOKENIZER_DATA_H_
#define LATIMER_CONVERTER_TOKENIZER_DATA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer_view.h"

namespace latimer {

// Owns what a TokenizerView views. The members have the same names and
// meanings.
struct TokenizerData {
  std::vector<uint32_t> normalizer_trie;
  std::vector<uint8_t> replacements;
  std::vector<uint32_t> fold_trie;
  std::vector<uint8_t> fold_text;
  std::vector<uint32_t> user_defined_trie;
  bool add_dummy_prefix = false;
  bool remove_extra_whitespaces = false;
  bool escape_whitespaces = false;
  bool treat_whitespace_as_suffix = false;
  Spacing spacing = Spacing::kSentencePiece;
  std::vector<uint32_t> character_classes;
  Segmentation segmentation = Segmentation::kUnigram;
  std::vector<uint32_t> piece_trie;
  std::vector<float> scores;
  uint32_t source_vocabulary = 0;
  float unknown_score = 0;
  int32_t unknown_id = 0;
  std::vector<int32_t> byte_ids;
  bool own_ids = false;
  bool no_language_codes = false;
  std::vector<uint32_t> merge_offsets;
  std::vector<uint32_t> merges;
  std::vector<uint32_t> unused_trie;
  uint32_t unused_pieces = 0;
  std::vector<uint32_t> added_trie;
  std::vector<AddedToken> added_tokens;
  std::vector<uint32_t> piece_offsets;
  std::vector<uint8_t> piece_text;
  std::vector<TargetKind> target_kinds;
  std::string unknown_surface;
  Joining joining = Joining::kSentencePiece;
  bool clean_up_spaces = false;
  // Not in the view: of the most common characters, those that are folded, and
  // those that the model cannot read.
  std::string folded;
  std::string unread;
  // Not in the view; to be checked against the model's. -1: unknown.
  int32_t eos_id = -1;
  // Makes a tokenizer that encodes texts of the target side as target ids; its
  // own target side is empty. Empty: this tokenizer does that.
  std::function<TokenizerData()> target_text = nullptr;

  // Adds the target piece of the next id.
  void AddTarget(TargetKind kind, std::string_view text);
  // The text of a target piece.
  std::string_view TargetText(size_t id) const;

  // Valid as long as this object lives unchanged.
  TokenizerView View() const;
  // Bytes that the vectors take in the file.
  size_t bytes() const;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TOKENIZER_DATA_H_
