#include "text/unigram.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Beyond this limit the scores of all open positions are moved so that the
// current one is 0, which keeps the precision of long texts.
constexpr float kScoreLimit = 100000.0f;

// Calls offer(score, entry, bytes) for each segment that `text` begins with:
// each piece, and, unless one is exactly its first character, that character as
// unknown with `unknown_score`. Returns the character's bytes.
template <typename Score, typename Offer>
size_t OfferSegments(const TokenizerView& view, std::string_view text,
                     Score unknown_score, Offer offer) {
  const size_t char_bytes = std::min(AnnouncedBytes(text[0]), text.size());
  const size_t limit = std::min(text.size(), kMaxPieceBytes);
  bool has_char = false;
  TrieWalk walk(view.piece_trie);
  for (size_t bytes = 1; bytes <= limit; ++bytes) {
    if (!walk.Step(static_cast<uint8_t>(text[bytes - 1]))) break;
    const uint32_t entry = walk.value();
    if (entry == kTrieNone || view.scores[entry] == kNoSegment) continue;
    offer(Score{view.scores[entry]}, entry, bytes);
    has_char = has_char || bytes == char_bytes;
  }
  if (!has_char) offer(unknown_score, kUnknownEntry, char_bytes);
  return char_bytes;
}

// Subtracts `offset` from lattice[begin] and from every later node that is set:
// they are at most one piece away.
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

void FindBestPathOfWords(const TokenizerView& view, std::string_view normalized,
                         std::span<LatticeNode> lattice,
                         std::span<double> sums) {
  constexpr double kUnknownPenalty = 10;
  const size_t size = normalized.size();
  LATIMER_DCHECK(sums.size() > kMaxPieceBytes);
  lattice = ClearLattice(lattice, size);
  // Sums are kept for as many positions as a piece can span.
  const auto sum_at = [sums](size_t position) -> double& {
    return sums[position & kMaxPieceBytes];
  };
  for (size_t begin = 0; begin < size;) {
    const size_t end =
        std::min(normalized.find(kEscapedSpace, begin + 1), size);
    sum_at(begin) = 0;
    while (begin < end) {
      const double before = sum_at(begin);
      begin += OfferSegments(view, Slice(normalized, begin, end - begin),
                             double{view.unknown_score} - kUnknownPenalty,
                             [&](double score, uint32_t entry, size_t bytes) {
                               LatticeNode& node = lattice[begin + bytes];
                               double& sum = sum_at(begin + bytes);
                               if (node.bytes() != 0 && !(score + before > sum))
                                 return;
                               sum = score + before;
                               node.Set(entry, bytes);
                             });
    }
  }
}

void FindBestPath(const TokenizerView& view, std::string_view normalized,
                  std::span<LatticeNode> lattice) {
  lattice = ClearLattice(lattice, normalized.size());
  for (size_t begin = 0; begin < normalized.size();) {
    float before = std::bit_cast<float>(lattice[begin].score_or_link);
    if (before < -kScoreLimit || before > kScoreLimit) {
      Rebase(lattice, begin, before);
      before = 0;
    }
    begin +=
        OfferSegments(view, From(normalized, begin), view.unknown_score,
                      [&](float score, uint32_t entry, size_t bytes) {
                        LatticeNode& node = lattice[begin + bytes];
                        const float sum = before + score;
                        if (node.bytes() != 0 &&
                            !(sum > std::bit_cast<float>(node.score_or_link))) {
                          return;
                        }
                        node.score_or_link = std::bit_cast<uint32_t>(sum);
                        node.Set(entry, bytes);
                      });
  }
}

}  // namespace latimer
