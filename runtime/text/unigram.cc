#include "text/unigram.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Beyond this the scores of all open positions are moved so that the current
// one is 0: long texts keep their precision.
constexpr float kScoreLimit = 100000.0f;
constexpr float kNoSegment = -std::numeric_limits<float>::infinity();

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

// The best path through one word, the text between `begin` and `end`.
class WordPath {
 public:
  WordPath(const TokenizerView& view, std::span<LatticeNode> lattice,
           std::span<double> sums)
      : view_(view), lattice_(lattice), sums_(sums) {}

  void Find(std::string_view text, size_t begin, size_t end) {
    Sum(begin) = 0;
    while (begin < end) begin += OfferSegments(text, begin, end);
  }

 private:
  // Sums are needed for as far as a piece reaches.
  double& Sum(size_t position) { return sums_[position & kMaxPieceBytes]; }

  void Offer(size_t end, double sum, uint32_t entry, size_t bytes) {
    LatticeNode& node = lattice_[end];
    if (node.bytes() != 0 && !(sum > Sum(end))) return;
    Sum(end) = sum;
    node.Set(entry, bytes);
  }

  // All segments that begin there; gives the bytes of the first character.
  size_t OfferSegments(std::string_view text, size_t begin, size_t end) {
    constexpr double kUnknownPenalty = 10;
    const double sum = Sum(begin);
    const size_t char_bytes =
        std::min(AnnouncedBytes(text[begin]), end - begin);
    const size_t limit = std::min(end - begin, kMaxPieceBytes);
    bool has_char = false;
    TrieWalk walk(view_.piece_trie);
    for (size_t bytes = 1; bytes <= limit; ++bytes) {
      if (!walk.Step(static_cast<uint8_t>(text[begin + bytes - 1]))) break;
      const uint32_t entry = walk.value();
      if (entry == kTrieNone || view_.scores[entry] == kNoSegment) continue;
      Offer(begin + bytes, double{view_.scores[entry]} + sum, entry, bytes);
      has_char = has_char || bytes == char_bytes;
    }
    if (!has_char) {
      Offer(begin + char_bytes,
            (double{view_.unknown_score} - kUnknownPenalty) + sum,
            kUnknownEntry, char_bytes);
    }
    return char_bytes;
  }

  const TokenizerView& view_;
  std::span<LatticeNode> lattice_;
  std::span<double> sums_;
};

}  // namespace

void FindBestPathOfWords(const TokenizerView& view, std::string_view normalized,
                         std::span<LatticeNode> lattice,
                         std::span<double> sums) {
  constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";
  const size_t size = normalized.size();
  LATIMER_DCHECK(lattice.size() > size && sums.size() > kMaxPieceBytes);
  lattice = lattice.first(size + 1);
  std::fill(lattice.begin(), lattice.end(), LatticeNode{0, 0});
  WordPath path(view, lattice, sums);
  size_t begin = 0;
  while (begin < size) {
    const size_t next = normalized.find(kEscapedSpace, begin + 1);
    const size_t end = std::min(next, size);
    path.Find(normalized, begin, end);
    begin = end;
  }
}

void FindBestPath(const TokenizerView& view, std::string_view normalized,
                  std::span<LatticeNode> lattice) {
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
