// Small tries and tokenizers written by hand, so that runtime/text is tested
// without the converter, on every board.
#ifndef LATIMER_TESTS_TEXT_HANDMADE_TOKENIZER_H_
#define LATIMER_TESTS_TEXT_HANDMADE_TOKENIZER_H_

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer_view.h"
#include "text/trie.h"

namespace latimer {

// A trie as runtime/text/trie.h describes it, built the slow way.
inline std::vector<uint32_t> HandmadeTrie(
    const std::map<std::string, uint32_t>& entries) {
  std::vector<uint32_t> nodes(kTrieFirstLevel, kTrieLeaf | kTrieNone);
  // The prefix that leads to an inner node, and that node.
  std::vector<std::pair<std::string, size_t>> pending{{"", 0}};
  for (size_t next = 0; next < pending.size(); ++next) {
    const auto [prefix, parent] = pending[next];
    if (next > 0) nodes[parent] |= static_cast<uint32_t>(nodes.size());
    for (uint32_t label = 0; label < 256; ++label) {
      const std::string key =
          label == 0 ? prefix : prefix + static_cast<char>(label);
      const auto found = entries.find(key);
      bool longer = false;
      for (const auto& entry : entries) {
        longer |=
            entry.first.size() > key.size() && entry.first.starts_with(key);
      }
      const bool ends = found != entries.end();
      if (label == 0 ? !ends || next == 0 : !ends && !longer) continue;
      size_t node = label;
      if (next > 0) {
        node = nodes.size();
        nodes.push_back(0);
      }
      const bool leaf = label == 0 || !longer;
      nodes[node] = label << 24 | (leaf ? kTrieLeaf | found->second : 0);
      if (!leaf) pending.emplace_back(key, node);
    }
    if (next > 0) nodes.back() |= kTrieLast;
  }
  return nodes;
}

// A vocabulary of a few letters. "▁" is written as '_' in `pieces`.
class HandmadeTokenizer {
 public:
  // Piece i has the id i; a score of NaN makes it no source piece. Id 0 is
  // </s>, id 1 is <unk>, and ids from 2 on are `pieces`.
  explicit HandmadeTokenizer(
      const std::vector<std::pair<std::string, float>>& pieces) {
    std::map<std::string, uint32_t> entries{{"</s>", 0}, {"<unk>", 1}};
    const float none = -std::numeric_limits<float>::infinity();
    scores_ = {none, none};
    std::vector<std::string> texts{"</s>", "<unk>"};
    for (const auto& [text, score] : pieces) {
      const std::string escaped = Escape(text);
      entries[escaped] = static_cast<uint32_t>(texts.size());
      texts.push_back(escaped);
      scores_.push_back(score != score ? none : score);
    }
    piece_trie_ = HandmadeTrie(entries);
    added_trie_ = HandmadeTrie({{"</s>", 0}, {"<unk>", 1}});
    for (const std::string& text : texts) {
      offsets_.push_back(static_cast<uint32_t>(text_.size()));
      text_.insert(text_.end(), text.begin(), text.end());
      kinds_.push_back(kinds_.size() < 2 ? TargetKind::kSpecial
                                         : TargetKind::kText);
    }
    offsets_.push_back(static_cast<uint32_t>(text_.size()));
    view.add_dummy_prefix = true;
    view.remove_extra_whitespaces = true;
    view.escape_whitespaces = true;
    view.piece_trie = piece_trie_;
    view.scores = scores_;
    view.source_vocabulary = static_cast<uint32_t>(texts.size());
    view.unknown_score = -20;
    view.unknown_id = 1;
    view.added_trie = added_trie_;
    view.added_tokens = added_;
    view.piece_offsets = offsets_;
    view.piece_text = text_;
    view.target_kinds = kinds_;
    view.unknown_surface = "?";
  }
  HandmadeTokenizer(const HandmadeTokenizer&) = delete;

  static std::string Escape(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
      escaped += c == '_' ? std::string("\xE2\x96\x81") : std::string(1, c);
    }
    return escaped;
  }

  TokenizerView view;

 private:
  std::vector<uint32_t> piece_trie_;
  std::vector<float> scores_;
  std::vector<uint32_t> added_trie_;
  std::vector<AddedToken> added_{{0, 0}, {1, 0}};
  std::vector<uint32_t> offsets_;
  std::vector<uint8_t> text_;
  std::vector<TargetKind> kinds_;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_TEXT_HANDMADE_TOKENIZER_H_
