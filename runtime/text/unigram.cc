#include "text/unigram.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Beyond this the scores of all open positions are moved so that the current
// one is 0: long texts keep their precision.
constexpr float kScoreLimit = 100000.0f;

// Takes the segment (`entry`, `bytes`) if it is better than what the node has.
void Offer(LatticeNode& node, float score, uint32_t entry, size_t bytes) {
  if (node.bytes() == 0 || score > std::bit_cast<float>(node.score_or_link)) {
    node.score_or_link = std::bit_cast<uint32_t>(score);
    node.Set(entry, bytes);
  }
}

// Subtracts `offset` from lattice[begin] and from every later node that is
// set; those lie within one piece.
void Rebase(std::span<LatticeNode> lattice, size_t begin, float offset) {
  const size_t end = std::min(lattice.size(), begin + kMaxPieceBytes + 1);
  for (size_t i = begin; i < end; ++i) {
    LatticeNode& node = lattice[i];
    if (node.bytes() == 0) continue;
    node.score_or_link = std::bit_cast<uint32_t>(
        std::bit_cast<float>(node.score_or_link) - offset);
  }
}

}  // namespace

void FindBestPath(const TokenizerView& view, std::string_view normalized,
                  std::span<LatticeNode> lattice) {
  constexpr float kNoSegment = -std::numeric_limits<float>::infinity();
  const size_t size = normalized.size();
  LATIMER_DCHECK(lattice.size() > size);
  lattice = lattice.first(size + 1);
  std::fill(lattice.begin(), lattice.end(), LatticeNode{0, 0});
  size_t begin = 0;
  while (begin < size) {
    float score = std::bit_cast<float>(lattice[begin].score_or_link);
    if (score < -kScoreLimit || score > kScoreLimit) {
      Rebase(lattice, begin, score);
      score = 0;
    }
    const size_t char_bytes =
        std::min(AnnouncedBytes(normalized[begin]), size - begin);
    const size_t limit = std::min(size - begin, kMaxPieceBytes);
    bool has_char = false;
    TrieWalk walk(view.piece_trie);
    for (size_t bytes = 1; bytes <= limit; ++bytes) {
      if (!walk.Step(static_cast<uint8_t>(normalized[begin + bytes - 1]))) {
        break;
      }
      const uint32_t entry = walk.value();
      if (entry == kTrieNone || view.scores[entry] == kNoSegment) continue;
      Offer(lattice[begin + bytes], score + view.scores[entry], entry, bytes);
      has_char = has_char || bytes == char_bytes;
    }
    if (!has_char) {
      Offer(lattice[begin + char_bytes], score + view.unknown_score,
            kUnknownEntry, char_bytes);
    }
    begin += char_bytes;
  }
}

}  // namespace latimer
