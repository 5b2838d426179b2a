#include "text/segments.h"

#include <algorithm>

#include "base/check.h"
#include "latimer/profile_config.h"
#include "text/slice.h"
#include "text/unigram.h"
#include "text/utf8.h"

namespace latimer {

void FindWords(const TokenizerView& view, std::string_view normalized,
               std::span<LatticeNode> lattice) {
  lattice = ClearLattice(lattice, normalized.size());
  size_t begin = 0;
  while (begin < normalized.size()) {
    if (normalized[begin] == ' ' && !view.escape_whitespaces) {
      lattice[++begin].Set(kNoTokenEntry, 1);
      continue;
    }
    const std::string_view rest = From(normalized, begin);
    const size_t word_bytes =
        view.escape_whitespaces ? rest.find(kEscapedSpace, 1) : rest.find(' ');
    const std::string_view word = First(rest, word_bytes);
    const uint32_t entry = FindKey(view.piece_trie, word);
    const size_t end = begin + word.size();
    while (begin < end) {
      const size_t bytes = std::min(end - begin, kMaxPieceBytes);
      begin += bytes;
      lattice[begin].Set(entry, bytes);
    }
  }
}

void FindLongestMatches(const TokenizerView& view, std::string_view normalized,
                        std::span<LatticeNode> lattice) {
  lattice = ClearLattice(lattice, normalized.size());
  size_t begin = 0;
  while (begin < normalized.size()) {
    const std::string_view rest = From(normalized, begin);
    const TrieMatch match = LongestMatch(view.piece_trie, rest);
    const size_t bytes = match.bytes > 0
                             ? match.bytes
                             : std::min(AnnouncedBytes(rest[0]), rest.size());
    begin += bytes;
    lattice[begin].Set(match.value, bytes);
  }
}

void FindCharacters(const TokenizerView& view, std::string_view normalized,
                    std::span<LatticeNode> lattice) {
  lattice = ClearLattice(lattice, normalized.size());
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

void FindSegments(const TokenizerView& view, std::string_view normalized,
                  const TokenizerScratch& scratch) {
  const std::span<LatticeNode> lattice = scratch.lattice;
  switch (view.segmentation) {
    case Segmentation::kUnigram:
      if (!kProfile.unigram) break;
      if (kProfile.metaspace && view.spacing != Spacing::kSentencePiece) {
        return FindBestPathOfWords(view, normalized, lattice, scratch.sums);
      }
      return FindBestPath(view, normalized, lattice);
    case Segmentation::kBpe:
      if (!kProfile.bpe) break;
      return MergePairs(view, normalized, lattice, scratch.bpe);
    case Segmentation::kByteBpe:
      if (!kProfile.byte_bpe) break;
      return MergePairs(view, normalized, lattice, scratch.bpe);
    case Segmentation::kWords:
      if (!kProfile.words) break;
      return FindWords(view, normalized, lattice);
    case Segmentation::kCharacters:
      if (!kProfile.words) break;
      return FindCharacters(view, normalized, lattice);
    case Segmentation::kLongestMatch:
      if (!kProfile.words) break;
      return FindLongestMatches(view, normalized, lattice);
    case Segmentation::kBytes:
      if (!kProfile.bytes) break;
      // Each byte is unknown and gets its byte_ids.
      lattice[0] = {0, 0};
      for (size_t i = 1; i <= normalized.size(); ++i) {
        lattice[i].Set(kUnknownEntry, 1);
      }
      return;
  }
  LATIMER_CHECK(false);  // The loader refuses what is not compiled in.
}

}  // namespace latimer
