#include "converter/bpe_merges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "text/slice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Part of the text.
struct Symbol {
  size_t begin;
  size_t bytes;
  bool frozen;  // A user-defined piece, which is never merged.
};

std::vector<Symbol> SymbolsOf(const TokenizerData& data,
                              std::string_view text) {
  std::vector<Symbol> symbols;
  for (size_t begin = 0; begin < text.size();) {
    const std::string_view rest = From(text, begin);
    const size_t defined = LongestMatch(data.user_defined_trie, rest).bytes;
    const size_t bytes =
        defined > 0 ? defined : std::min(AnnouncedBytes(rest[0]), rest.size());
    symbols.push_back({begin, bytes, defined > 0});
    begin += bytes;
  }
  return symbols;
}

// The priority of a pair, ordered as in the runtime: the greatest is merged
// first. Nothing if the entry is not merged from a left part of that length.
std::optional<int64_t> OrderOf(const TokenizerData& data, uint32_t entry,
                               size_t left_bytes) {
  if (data.merges.empty()) {
    const auto bits = std::bit_cast<int32_t>(data.scores[entry]);
    if (!std::isfinite(data.scores[entry])) return std::nullopt;
    return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
  }
  for (uint32_t i = data.merge_offsets[entry];
       i < data.merge_offsets[entry + 1]; ++i) {
    if (MergeLeftBytes(data.merges[i]) == left_bytes) {
      return -int64_t{MergeRank(data.merges[i])};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<uint32_t> MergesOf(const TokenizerData& data,
                               std::string_view text) {
  std::vector<Symbol> symbols = SymbolsOf(data, text);
  std::vector<uint32_t> merged;
  while (true) {
    size_t best = symbols.size();
    uint32_t best_entry = 0;
    int64_t best_order = 0;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const Symbol &left = symbols[i], &right = symbols[i + 1];
      if (left.frozen || right.frozen) continue;
      const uint32_t entry = FindKey(
          data.piece_trie, Slice(text, left.begin, left.bytes + right.bytes));
      if (entry == kTrieNone) continue;
      const std::optional<int64_t> order = OrderOf(data, entry, left.bytes);
      if (order && (best == symbols.size() || *order > best_order)) {
        best = i;
        best_entry = entry;
        best_order = *order;
      }
    }
    if (best == symbols.size()) return merged;
    merged.push_back(best_entry);
    symbols[best].bytes += symbols[best + 1].bytes;
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
  }
}

}  // namespace latimer
