#include "converter/tokenizer_data.h"

namespace latimer {

void TokenizerData::AddTarget(TargetKind kind, std::string_view text) {
  if (piece_offsets.empty()) piece_offsets.push_back(0);
  target_kinds.push_back(kind);
  piece_text.insert(piece_text.end(), text.begin(), text.end());
  piece_offsets.push_back(static_cast<uint32_t>(piece_text.size()));
}

std::string_view TokenizerData::TargetText(size_t id) const {
  const auto* text = reinterpret_cast<const char*>(piece_text.data());
  return {text + piece_offsets[id], text + piece_offsets[id + 1]};
}

TokenizerView TokenizerData::View() const {
  TokenizerView view;
  view.normalizer_trie = normalizer_trie;
  view.replacements = replacements;
  view.fold_trie = fold_trie;
  view.fold_text = fold_text;
  view.user_defined_trie = user_defined_trie;
  view.add_dummy_prefix = add_dummy_prefix;
  view.remove_extra_whitespaces = remove_extra_whitespaces;
  view.escape_whitespaces = escape_whitespaces;
  view.treat_whitespace_as_suffix = treat_whitespace_as_suffix;
  view.spacing = spacing;
  view.character_classes = character_classes;
  view.segmentation = segmentation;
  view.piece_trie = piece_trie;
  view.scores = scores;
  view.source_vocabulary = source_vocabulary;
  view.unknown_score = unknown_score;
  view.unknown_id = unknown_id;
  view.byte_ids = byte_ids;
  view.own_ids = own_ids;
  view.no_language_codes = no_language_codes;
  view.merge_offsets = merge_offsets;
  view.merges = merges;
  view.unused_trie = unused_trie;
  view.unused_pieces = unused_pieces;
  view.added_trie = added_trie;
  view.added_tokens = added_tokens;
  view.piece_offsets = piece_offsets;
  view.piece_text = piece_text;
  view.target_kinds = target_kinds;
  view.unknown_surface = unknown_surface;
  view.joining = joining;
  view.clean_up_spaces = clean_up_spaces;
  return view;
}

size_t TokenizerData::bytes() const {
  const size_t words =
      normalizer_trie.size() + fold_trie.size() + user_defined_trie.size() +
      piece_trie.size() + scores.size() + byte_ids.size() + added_trie.size() +
      piece_offsets.size() + unused_trie.size() + character_classes.size() +
      merge_offsets.size() + merges.size();
  return 4 * words + sizeof(AddedToken) * added_tokens.size() +
         replacements.size() + fold_text.size() + folded.size() +
         unread.size() + piece_text.size() + target_kinds.size() +
         unknown_surface.size();
}

}  // namespace latimer
