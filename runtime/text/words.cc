#include "text/words.h"

#include <algorithm>

#include "base/check.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";

std::span<LatticeNode> Cleared(std::span<LatticeNode> lattice, size_t size) {
  LATIMER_DCHECK(lattice.size() > size);
  lattice = lattice.first(size + 1);
  std::fill(lattice.begin(), lattice.end(), LatticeNode{0, 0});
  return lattice;
}

}  // namespace

void FindWords(const TokenizerView& view, std::string_view normalized,
               std::span<LatticeNode> lattice) {
  lattice = Cleared(lattice, normalized.size());
  size_t begin = 0;
  while (begin < normalized.size()) {
    if (normalized[begin] == ' ' && !view.escape_whitespaces) {
      lattice[++begin].Set(kNoTokenEntry, 1);
      continue;
    }
    const std::string_view rest = From(normalized, begin);
    const size_t word_bytes =
        view.escape_whitespaces ? rest.find(kEscapedSpace, 1) : rest.find(' ');
    const std::string_view word = rest.substr(0, word_bytes);
    const uint32_t entry = FindKey(view.piece_trie, word);
    const size_t end = begin + word.size();
    while (begin < end) {
      const size_t bytes = std::min(end - begin, kMaxPieceBytes);
      begin += bytes;
      lattice[begin].Set(entry, bytes);
    }
  }
}

void FindCharacters(const TokenizerView& view, std::string_view normalized,
                    std::span<LatticeNode> lattice) {
  lattice = Cleared(lattice, normalized.size());
  size_t begin = 0;
  while (begin < normalized.size()) {
    const size_t bytes =
        std::min(AnnouncedBytes(normalized[begin]), normalized.size() - begin);
    const uint32_t entry =
        FindKey(view.piece_trie, Slice(normalized, begin, bytes));
    begin += bytes;
    lattice[begin].Set(entry, bytes);
  }
}

}  // namespace latimer
