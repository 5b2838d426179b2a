#include "text/tokenize.h"

#include "base/check.h"
#include "text/normalizer.h"
#include "text/segments.h"
#include "text/slice.h"
#include "text/text_spans.h"
#include "text/tokenizer.h"

namespace latimer {
namespace {

// Counts ids and keeps those that fit.
class IdWriter {
 public:
  explicit IdWriter(std::span<int32_t> ids) : ids_(ids) {}

  void Write(int32_t id) {
    if (count_ < ids_.size()) ids_[count_] = id;
    ++count_;
  }
  size_t count() const { return count_; }

 private:
  std::span<int32_t> ids_;
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
  return view.segmentation != Segmentation::kCharacters;
}

void WriteUnknown(const TokenizerView& view, std::string_view run,
                  IdWriter& writer) {
  if (!view.byte_ids.empty()) {
    for (const char c : run) {
      writer.Write(view.byte_ids[static_cast<unsigned char>(c)]);
    }
    return;
  }
  if (view.own_ids) {
    writer.Write(view.unknown_id);
    return;
  }
  // Not a source piece, but its text may be in the joint vocabulary.
  writer.Write(IdOfEntry(view, FindKey(view.piece_trie, run)));
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
      WriteUnknown(view, Slice(normalized, begin, end - begin), writer);
    } else {
      writer.Write(IdOfEntry(view, lattice[end].entry()));
    }
    begin = end;
  }
}

bool WriteStretch(const TokenizerView& view, std::string_view text,
                  const TokenizerScratch& scratch, IdWriter& writer) {
  Normalizer normalizer(view, text, scratch.normalized);
  if (!normalizer.Run()) return false;
  const std::string_view normalized(scratch.normalized.data(),
                                    normalizer.size());
  FindSegments(view, normalized, scratch);
  WritePath(view, normalized, scratch.lattice, writer);
  return true;
}

}  // namespace

std::optional<size_t> Tokenize(const TokenizerView& view, std::string_view text,
                               const TokenizerScratch& scratch,
                               std::span<int32_t> ids) {
  CheckScratch(view, scratch);
  IdWriter writer(ids);
  TextSpans spans(view, text);
  TextSpan span;
  while (spans.Next(span)) {
    if (span.kind != TextSpan::Kind::kStretch) {
      writer.Write(span.id);
    } else if (!WriteStretch(view, span.text, scratch, writer)) {
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
  if (!view.byte_ids.empty()) return node.bytes();
  return JoinsUnknown(view) && before.bytes() > 0 && before.unknown() ? 0 : 1;
}

}  // namespace latimer
