#include "text/bpe.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "latimer/profile_config.h"
#include "text/byte_words.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

constexpr uint32_t kNoPair = kTrieNone;
constexpr bool kHasPairs = kProfile.metaspace || kProfile.byte_bpe;

// A number that orders scores as SentencePiece does, which compares the bits of
// the floats.
int32_t OrderOf(float score) {
  const auto bits = std::bit_cast<int32_t>(score);
  return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
}

// The symbol that begins at a position, stored in the position's node while
// pairs are merged. A position where no symbol begins has 0 bytes.
class Symbol {
 public:
  explicit Symbol(LatticeNode& node) : node_(node) {}

  void Begin(size_t bytes, size_t previous_bytes, bool frozen) {
    node_.score_or_link =
        (frozen ? kFrozen : 0) | static_cast<uint32_t>(previous_bytes);
    node_.Set(kNoPair, bytes);
  }
  void End() { node_.entry_and_bytes = 0; }

  size_t bytes() const { return node_.bytes(); }
  void set_bytes(size_t bytes) { node_.Set(node_.entry(), bytes); }

  // The pair with the next symbol: the entry of the piece that they form, or
  // the index of the pair in the view's merges; kNoPair if they form none.
  uint32_t pair() const { return node_.entry(); }
  void set_pair(uint32_t pair) { node_.Set(pair, node_.bytes()); }

  // The pair's place in the heap.
  size_t place() const { return node_.score_or_link >> 11; }
  void set_place(size_t place) {
    node_.score_or_link = (node_.score_or_link & (kFrozen | kMaxPieceBytes)) |
                          static_cast<uint32_t>(place << 11);
  }

  // Bytes of the symbol before it; 0 at the beginning of a word.
  size_t previous_bytes() const { return node_.score_or_link & kMaxPieceBytes; }
  void set_previous_bytes(size_t bytes) {
    node_.score_or_link = (node_.score_or_link & ~uint32_t{kMaxPieceBytes}) |
                          static_cast<uint32_t>(bytes);
  }

  // A user-defined piece, which is never merged.
  bool frozen() const { return (node_.score_or_link & kFrozen) != 0; }

 private:
  static constexpr uint32_t kFrozen = 1u << 10;

  LatticeNode& node_;
};

class PairMerger {
 public:
  PairMerger(const TokenizerView& view, std::string_view text,
             std::span<LatticeNode> lattice, const BpeScratch& scratch)
      : view_(view),
        text_(text),
        lattice_(lattice),
        heap_(scratch.heap),
        splits_(scratch.splits) {}

  void Run() {
    SplitIntoSymbols();
    for (size_t begin = 0; begin < text_.size(); begin += At(begin).bytes()) {
      UpdatePair(begin);
    }
    while (heap_size_ > 0) MergeBest();
    WriteSegments();
  }

 private:
  Symbol At(size_t begin) const { return Symbol(lattice_[begin]); }
  bool by_pairs() const { return kHasPairs && !view_.merge_offsets.empty(); }
  bool of_bytes() const {
    return kProfile.byte_bpe && view_.segmentation == Segmentation::kByteBpe;
  }

  void SplitIntoSymbols();
  size_t WordEnd(size_t begin) const;
  uint32_t MergeOfPair(uint32_t entry, size_t left_bytes) const;
  uint32_t PairOf(size_t left) const;
  void NoteSplit(size_t left, size_t bytes);
  void UpdatePair(size_t left);
  void MergeBest();
  size_t SplitOfUnused(std::string_view piece) const;
  void WriteSegments();

  // The heap holds the positions of symbols with a pair, the best first.
  bool Better(uint32_t a, uint32_t b) const;
  void Put(size_t place, uint32_t begin) {
    heap_[place] = begin;
    At(begin).set_place(place);
  }
  void Raise(size_t place);
  void Sink(size_t place);
  void Remove(size_t place);

  const TokenizerView& view_;
  const std::string_view text_;
  const std::span<LatticeNode> lattice_;
  const std::span<uint32_t> heap_;
  const std::span<uint16_t> splits_;
  size_t heap_size_ = 0;
};

// The end of the word that begins there. The text is one word without pairs,
// and where spaces stay.
size_t PairMerger::WordEnd(size_t begin) const {
  if (!by_pairs()) return text_.size();
  if (of_bytes()) {
    return begin + FirstByteWord(view_.character_classes, From(text_, begin));
  }
  if (view_.spacing == Spacing::kAsItIs) return text_.size();
  return std::min(text_.find(kEscapedSpace, begin + 1), text_.size());
}

void PairMerger::SplitIntoSymbols() {
  std::fill(splits_.begin(), splits_.end(), uint16_t{0});
  std::fill(lattice_.begin(), lattice_.end(), LatticeNode{0, 0});
  size_t previous = 0;
  size_t word_end = 0;
  for (size_t begin = 0; begin < text_.size();) {
    if (begin == word_end) {
      word_end = WordEnd(begin);
      previous = 0;
    }
    const std::string_view rest = From(text_, begin);
    size_t bytes =
        LongestMatch(view_.user_defined_trie, First(rest, kMaxPieceBytes))
            .bytes;
    const bool frozen = bytes > 0;
    if (!frozen) {
      bytes = of_bytes() ? 1 : std::min(AnnouncedBytes(rest[0]), rest.size());
    }
    At(begin).Begin(bytes, previous, frozen);
    previous = bytes;
    begin += bytes;
  }
}

uint32_t PairMerger::MergeOfPair(uint32_t entry, size_t left_bytes) const {
  for (uint32_t i = view_.merge_offsets[entry];
       i < view_.merge_offsets[entry + 1]; ++i) {
    if (MergeLeftBytes(view_.merges[i]) == left_bytes) return i;
  }
  return kNoPair;
}

uint32_t PairMerger::PairOf(size_t left) const {
  const size_t right = left + At(left).bytes();
  if (right == text_.size() || At(left).frozen() || At(right).frozen() ||
      At(right).previous_bytes() == 0) {
    return kNoPair;
  }
  const size_t bytes = At(left).bytes() + At(right).bytes();
  if (bytes > kMaxPieceBytes) return kNoPair;
  const uint32_t entry = FindKey(view_.piece_trie, Slice(text_, left, bytes));
  if (entry == kTrieNone) return kNoPair;
  if (by_pairs()) return MergeOfPair(entry, At(left).bytes());
  return view_.scores[entry] == kNoSegment ? kNoPair : entry;
}

// An unused piece is merged like others, but in the end it is split again,
// where its last merge, anywhere in the text, joined it.
void PairMerger::NoteSplit(size_t left, size_t bytes) {
  const uint32_t unused = FindKey(view_.unused_trie, Slice(text_, left, bytes));
  if (unused == kTrieNone) return;
  splits_[unused] = static_cast<uint16_t>(At(left).bytes());
}

// Updates the pair of `left` and its next symbol, in the node and in the heap.
void PairMerger::UpdatePair(size_t left) {
  Symbol symbol = At(left);
  const uint32_t before = symbol.pair();
  const uint32_t pair = PairOf(left);
  symbol.set_pair(pair);
  if (pair == kNoPair) {
    if (before != kNoPair) Remove(symbol.place());
    return;
  }
  if (!view_.unused_trie.empty()) {
    NoteSplit(left, symbol.bytes() + At(left + symbol.bytes()).bytes());
  }
  if (before == kNoPair) Put(heap_size_++, static_cast<uint32_t>(left));
  Raise(symbol.place());
  Sink(symbol.place());
}

void PairMerger::MergeBest() {
  const size_t begin = heap_[0];
  Symbol left = At(begin);
  Symbol right = At(begin + left.bytes());
  if (right.pair() != kNoPair) Remove(right.place());
  left.set_bytes(left.bytes() + right.bytes());
  right.End();
  const size_t next = begin + left.bytes();
  if (next < text_.size() && At(next).previous_bytes() > 0) {
    At(next).set_previous_bytes(left.bytes());
  }
  if (left.previous_bytes() > 0) UpdatePair(begin - left.previous_bytes());
  UpdatePair(begin);
}

bool PairMerger::Better(uint32_t a, uint32_t b) const {
  if (by_pairs()) {
    const uint32_t rank_a = MergeRank(view_.merges[At(a).pair()]);
    const uint32_t rank_b = MergeRank(view_.merges[At(b).pair()]);
    return rank_a < rank_b || (rank_a == rank_b && a < b);
  }
  const int32_t order_a = OrderOf(view_.scores[At(a).pair()]);
  const int32_t order_b = OrderOf(view_.scores[At(b).pair()]);
  return order_a > order_b || (order_a == order_b && a < b);
}

void PairMerger::Raise(size_t place) {
  const uint32_t begin = heap_[place];
  while (place > 0) {
    const size_t parent = (place - 1) / 2;
    if (!Better(begin, heap_[parent])) break;
    Put(place, heap_[parent]);
    place = parent;
  }
  Put(place, begin);
}

void PairMerger::Sink(size_t place) {
  const uint32_t begin = heap_[place];
  while (true) {
    size_t child = 2 * place + 1;
    if (child >= heap_size_) break;
    if (child + 1 < heap_size_ && Better(heap_[child + 1], heap_[child])) {
      ++child;
    }
    if (!Better(heap_[child], begin)) break;
    Put(place, heap_[child]);
    place = child;
  }
  Put(place, begin);
}

void PairMerger::Remove(size_t place) {
  --heap_size_;
  if (place == heap_size_) return;
  Put(place, heap_[heap_size_]);
  const uint32_t begin = heap_[place];
  Raise(place);
  Sink(At(begin).place());
}

// The place where an unused piece is split, or 0.
size_t PairMerger::SplitOfUnused(std::string_view piece) const {
  const uint32_t unused = FindKey(view_.unused_trie, piece);
  return unused == kTrieNone ? 0 : splits_[unused];
}

// Turns symbols, which are stored where they begin, into segments, which are
// stored where they end.
void PairMerger::WriteSegments() {
  size_t begin = 0;
  size_t bytes = text_.empty() ? 0 : At(0).bytes();
  lattice_[0] = {0, 0};
  while (begin < text_.size()) {
    const std::string_view piece = Slice(text_, begin, bytes);
    const size_t split = SplitOfUnused(piece);
    if (split > 0 && split < bytes) {
      At(begin + split).set_bytes(bytes - split);
      bytes = split;
      continue;
    }
    const uint32_t entry = FindKey(view_.piece_trie, piece);
    const bool known =
        entry != kTrieNone && (by_pairs() || view_.scores[entry] != kNoSegment);
    for (size_t i = 1; i < bytes; ++i) At(begin + i).End();
    begin += bytes;
    LatticeNode& node = lattice_[begin];
    const size_t next = node.bytes();
    node.Set(known ? entry : kUnknownEntry, bytes);
    bytes = next;
  }
}

}  // namespace

void MergePairs(const TokenizerView& view, std::string_view normalized,
                std::span<LatticeNode> lattice, const BpeScratch& scratch) {
  LATIMER_DCHECK(normalized.size() <= kMaxBpeBytes);
  LATIMER_DCHECK(lattice.size() > normalized.size());
  LATIMER_DCHECK(scratch.heap.size() >= normalized.size());
  PairMerger(view, normalized, lattice.first(normalized.size() + 1),
             {scratch.heap, scratch.splits.first(view.unused_pieces)})
      .Run();
}

}  // namespace latimer
