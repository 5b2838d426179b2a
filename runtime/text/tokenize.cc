#include "text/tokenize.h"

#include <algorithm>

#include "base/check.h"
#include "latimer/profile_config.h"
#include "text/normalizer.h"
#include "text/segments.h"
#include "text/slice.h"
#include "text/text_spans.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Counts ids and keeps those that fit, with their ranges if there is room for
// any.
class IdWriter {
 public:
  IdWriter(std::span<int32_t> ids, std::span<TextRange> ranges)
      : ids_(ids), ranges_(ranges) {}

  void Write(int32_t id, size_t begin, size_t end) {
    if (count_ < ids_.size()) ids_[count_] = id;
    if (kProfile.alignment && count_ < ranges_.size()) {
      ranges_[count_] = {static_cast<uint32_t>(begin),
                         static_cast<uint32_t>(end)};
    }
    ++count_;
  }
  size_t count() const { return count_; }
  // The ranges from id number `first` on.
  std::span<TextRange> RangesFrom(size_t first) const {
    const size_t end = std::min(count_, ranges_.size());
    return ranges_.subspan(std::min(first, end), end - std::min(first, end));
  }

 private:
  std::span<int32_t> ids_;
  std::span<TextRange> ranges_;
  size_t count_ = 0;
};

// Reverses the links from each segment to the one before it: afterwards
// lattice[p].score_or_link is the end of the segment that begins at p.
void LinkForward(std::span<LatticeNode> lattice, size_t size) {
  size_t end = size;
  while (end > 0) {
    LATIMER_DCHECK(lattice[end].bytes() > 0);
    const size_t begin = end - lattice[end].bytes();
    lattice[begin].score_or_link = static_cast<uint32_t>(end);
    end = begin;
  }
}

// Whether a run of unknown segments is one token.
bool JoinsUnknown(const TokenizerView& view) {
  return view.segmentation != Segmentation::kCharacters &&
         view.segmentation != Segmentation::kLongestMatch;
}

// `run` begins at `begin` of the normalized text.
void WriteUnknown(const TokenizerView& view, std::string_view run, size_t begin,
                  IdWriter& writer) {
  if (view.unknown_id == kSkipsUnknown) return;
  if (!view.byte_ids.empty()) {
    for (const char c : run) {
      writer.Write(view.byte_ids[static_cast<unsigned char>(c)], begin,
                   begin + 1);
      ++begin;
    }
    return;
  }
  const size_t end = begin + run.size();
  if (view.own_ids) {
    writer.Write(view.unknown_id, begin, end);
    return;
  }
  // Not a source piece, but its text may be in the joint vocabulary.
  writer.Write(IdOfEntry(view, FindKey(view.piece_trie, run)), begin, end);
}

void WritePath(const TokenizerView& view, std::string_view normalized,
               std::span<LatticeNode> lattice, IdWriter& writer) {
  LinkForward(lattice, normalized.size());
  size_t begin = 0;
  while (begin < normalized.size()) {
    size_t end = lattice[begin].score_or_link;
    if (lattice[end].no_token()) {
      begin = end;
      continue;
    }
    if (lattice[end].unknown()) {
      while (JoinsUnknown(view) && end < normalized.size() &&
             lattice[lattice[end].score_or_link].unknown()) {
        end = lattice[end].score_or_link;
      }
      WriteUnknown(view, Slice(normalized, begin, end - begin), begin, writer);
    } else {
      writer.Write(IdOfEntry(view, lattice[end].entry()), begin, end);
    }
    begin = end;
  }
}

// The bytes of `text` without white space at their ends.
TextRange Trimmed(std::string_view text, size_t begin, size_t end) {
  begin += LeadingSpaceBytes(Slice(text, begin, end - begin));
  end -= TrailingSpaceBytes(Slice(text, begin, end - begin));
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

// Turns ascending ranges of the normalized text into those of `stretch`, and
// adds where it begins in the whole text. Normalizes once more, unit by unit.
[[maybe_unused]] void FindRanges(const TokenizerView& view,
                                 std::string_view stretch, size_t begin,
                                 const TokenizerScratch& scratch,
                                 std::span<TextRange> ranges) {
  Normalizer normalizer(view, stretch, scratch.normalized);
  size_t unit_begin = normalizer.consumed();  // Of the last unit.
  for (TextRange& range : ranges) {
    const auto step_beyond = [&](size_t end) {
      while (normalizer.size() < end) {
        const size_t consumed = normalizer.consumed();
        const bool found = normalizer.Step();
        unit_begin = found ? consumed : stretch.size();  // A suffix.
        if (!found) return;
      }
    };
    step_beyond(size_t{range.begin} + 1);
    const size_t from = unit_begin;
    step_beyond(range.end);
    const TextRange found = Trimmed(stretch, from, normalizer.consumed());
    range = {static_cast<uint32_t>(begin) + found.begin,
             static_cast<uint32_t>(begin) + found.end};
  }
}

bool WriteStretch(const TokenizerView& view, std::string_view text,
                  const TokenizerScratch& scratch, size_t begin,
                  IdWriter& writer) {
  Normalizer normalizer(view, text, scratch.normalized);
  if (!normalizer.Run()) return false;
  const std::string_view normalized(scratch.normalized.data(),
                                    normalizer.size());
  FindSegments(view, normalized, scratch);
  [[maybe_unused]] const size_t first = writer.count();
  WritePath(view, normalized, scratch.lattice, writer);
  if constexpr (kProfile.alignment) {
    FindRanges(view, text, begin, scratch, writer.RangesFrom(first));
  }
  return true;
}

}  // namespace

std::optional<size_t> Tokenize(const TokenizerView& view, std::string_view text,
                               const TokenizerScratch& scratch,
                               std::span<int32_t> ids) {
  return Tokenize(view, text, scratch, ids, {});
}

std::optional<size_t> Tokenize(const TokenizerView& view, std::string_view text,
                               const TokenizerScratch& scratch,
                               std::span<int32_t> ids,
                               std::span<TextRange> ranges) {
  CheckScratch(view, scratch);
  IdWriter writer(ids, ranges);
  TextSpans spans(view, text);
  TextSpan span;
  while (spans.Next(span)) {
    const auto begin = static_cast<size_t>(span.text.data() - text.data());
    if (span.kind != TextSpan::Kind::kStretch) {
      writer.Write(span.id, begin, begin + span.text.size());
    } else if (!WriteStretch(view, span.text, scratch, begin, writer)) {
      return std::nullopt;
    }
  }
  return writer.count();
}

namespace {

// The ids that fit, and the number of all.
Result<size_t> WriteIds(const TokenizerView& view, std::string_view text,
                        const TokenizerScratch& scratch,
                        std::span<int32_t> ids) {
  const std::optional<size_t> count = Tokenize(view, text, scratch, ids);
  if (count.has_value()) return *count;
  return Status::Error(StatusCode::kTextTooLong,
                       "The text of %zu bytes exceeds the %zu bytes that are "
                       "tokenized at once.",
                       text.size(), scratch.normalized.size());
}

}  // namespace

Result<size_t> Tokenizer::Encode(std::string_view text,
                                 const TokenizerScratch& scratch,
                                 std::span<int32_t> ids) const {
  const Result<size_t> count = WriteIds(view_, text, scratch, ids);
  if (!count.ok() || *count <= ids.size()) return count;
  return Status::Error(StatusCode::kTextTooLong,
                       "The text has %zu tokens, which exceeds the limit of "
                       "%zu.",
                       *count, ids.size());
}

void Tokenizer::FindRanges(std::string_view text,
                           const TokenizerScratch& scratch,
                           std::span<TextRange> ranges) const {
  (void)Tokenize(view_, text, scratch, {}, ranges);
}

void Tokenizer::FindTargets(std::span<const int32_t> ids, std::span<char> text,
                            std::span<TokenLink> links) const {
  LATIMER_CHECK(ids.size() == links.size());
  // Where the text of the first tokens ends is where the next one begins.
  for (size_t i = 0; i < ids.size(); ++i) {
    const Result<size_t> size = Decode(ids.first(i + 1), text);
    links[i].target.end = static_cast<uint32_t>(size.ok() ? *size : 0);
  }
  // A byte of a character that is not complete yet is decoded as U+FFFD, and
  // white space may go when more follows.
  for (size_t i = ids.size(); i-- > 1;) {
    links[i - 1].target.end =
        std::min(links[i - 1].target.end, links[i].target.end);
  }
  size_t begin = 0;
  for (TokenLink& link : links) {
    const size_t end = link.target.end;
    link.target = Trimmed({text.data(), end}, begin, end);
    begin = end;
  }
}

Result<size_t> Tokenizer::Count(std::string_view text,
                                const TokenizerScratch& scratch) const {
  return WriteIds(view_, text, scratch, {});
}

void CheckScratch(const TokenizerView& view, const TokenizerScratch& scratch) {
  const size_t bytes = scratch.normalized.size();
  LATIMER_CHECK(bytes >= kMinNormalizedBytes);
  LATIMER_CHECK(scratch.lattice.size() > bytes);
  if (view.segmentation == Segmentation::kUnigram &&
      view.spacing != Spacing::kSentencePiece) {
    LATIMER_CHECK(scratch.sums.size() > kMaxPieceBytes);
  }
  if (!view.is_bpe()) return;
  LATIMER_CHECK(bytes <= kMaxBpeBytes && scratch.bpe.heap.size() >= bytes);
  LATIMER_CHECK(scratch.bpe.splits.size() >= view.unused_pieces);
}

size_t TokensOfSegment(const TokenizerView& view, const LatticeNode& before,
                       const LatticeNode& node) {
  if (!node.unknown()) return node.no_token() ? 0 : 1;
  if (view.unknown_id == kSkipsUnknown) return 0;
  if (!view.byte_ids.empty()) return node.bytes();
  return JoinsUnknown(view) && before.bytes() > 0 && before.unknown() ? 0 : 1;
}

}  // namespace latimer
