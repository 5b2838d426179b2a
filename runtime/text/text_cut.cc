// Chooses where to cut a text that has more tokens than the longest source.

#include <algorithm>
#include <array>

#include "base/check.h"
#include "text/normalizer.h"
#include "text/segments.h"
#include "text/slice.h"
#include "text/text_spans.h"
#include "text/tokenize.h"
#include "text/tokenizer.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// From best to worst.
enum class CutKind : uint8_t { kSentence, kClause, kComma, kSpace, kCharacter };

bool BeginsWithBreak(std::string_view text) {
  const Utf8Char c = FirstChar(text);
  return c.bytes > 0 && IsBreakingSpace(c.code_point);
}

CutKind Classify(std::string_view before, std::string_view after) {
  if (EndsIdeographicSentence(before)) return CutKind::kSentence;
  const Utf8Char last = LastChar(before);
  const bool at_word_end =
      BeginsWithBreak(after) &&
      !(last.bytes > 0 && IsBreakingSpace(last.code_point));
  const ClauseMark mark = ClauseMarkOf(last.code_point);
  const bool is_wide = last.bytes == 3 && mark != ClauseMark::kNone;
  if (!at_word_end && !is_wide) return CutKind::kCharacter;
  if (EndsSentence(before)) return CutKind::kSentence;
  switch (mark) {
    case ClauseMark::kClause:
      return CutKind::kClause;
    case ClauseMark::kComma:
      return CutKind::kComma;
    case ClauseMark::kNone:
      break;
  }
  return CutKind::kSpace;
}

// Collects the last place of each kind with at most `max_tokens` before it.
class CutSearch {
 public:
  CutSearch(const TokenizerView& view, std::string_view text, size_t max_tokens,
            const TokenizerScratch& scratch)
      : view_(view), text_(text), max_tokens_(max_tokens), scratch_(scratch) {}

  // The best place to cut the text.
  size_t Find();

 private:
  void Offer(size_t end, size_t tokens, bool between_tokens);
  bool SearchStretch(std::string_view stretch);
  void CountTokens(size_t normalized_bytes);

  const TokenizerView& view_;
  std::string_view text_;
  size_t max_tokens_;
  const TokenizerScratch& scratch_;
  size_t tokens_ = 0;  // Of the spans before the current one.
  size_t first_ = 0;  // The first possible cut, however many tokens precede it.
  std::array<size_t, 5> last_ = {};
};

void CutSearch::Offer(size_t end, size_t tokens, bool between_tokens) {
  if (first_ == 0) first_ = end;
  if (tokens > max_tokens_) return;
  const CutKind kind = Classify(First(text_, end), From(text_, end));
  if (kind == CutKind::kCharacter && !between_tokens) return;
  // A cut at any space is better than one that leaves a short part.
  const bool within = kind == CutKind::kClause || kind == CutKind::kComma;
  if (within && tokens < max_tokens_ / 2) {
    last_[static_cast<size_t>(CutKind::kSpace)] = end;
    return;
  }
  last_[static_cast<size_t>(kind)] = end;
}

// Replaces the scores of the lattice by the number of tokens before each
// position. The beginning of a segment counts as one token, which is exact for
// words and the minimum for BPE.
void CutSearch::CountTokens(size_t normalized_bytes) {
  std::span<LatticeNode> lattice = scratch_.lattice;
  lattice[0].score_or_link = 0;
  uint32_t last = 0;
  for (size_t i = 1; i <= normalized_bytes; ++i) {
    LatticeNode& node = lattice[i];
    if (node.bytes() == 0) {
      node.score_or_link = last + 1;
      continue;
    }
    const LatticeNode& before = lattice[i - node.bytes()];
    last = before.score_or_link +
           static_cast<uint32_t>(TokensOfSegment(view_, before, node));
    node.score_or_link = last;
  }
}

// Considers every place in the stretch. Returns false if the search ends here.
bool CutSearch::SearchStretch(std::string_view stretch) {
  Normalizer whole(view_, stretch, scratch_.normalized);
  const bool complete = whole.Run();
  FindSegments(view_, {scratch_.normalized.data(), whole.size()}, scratch_);
  CountTokens(whole.size());
  const size_t stretch_begin =
      static_cast<size_t>(stretch.data() - text_.data());
  Normalizer again(view_, stretch, scratch_.normalized);
  while (again.consumed() < whole.consumed() && again.Step()) {
    // Both runs write the same text, but the first one trimmed its end.
    const size_t size = std::min(again.trimmed_size(), whole.size());
    // A portion of a BPE piece can have more tokens than the whole piece.
    const bool between_tokens =
        !view_.is_bpe() || scratch_.lattice[size].bytes() > 0;
    Offer(stretch_begin + again.consumed(),
          tokens_ + scratch_.lattice[size].score_or_link, between_tokens);
  }
  tokens_ += scratch_.lattice[whole.size()].score_or_link;
  return complete && tokens_ <= max_tokens_;
}

size_t CutSearch::Find() {
  TextSpans spans(view_, text_);
  TextSpan span;
  bool fits = true;
  while (fits && spans.Next(span)) {
    if (span.kind == TextSpan::Kind::kStretch) {
      fits = SearchStretch(span.text);
    } else {
      ++tokens_;
      const size_t begin = static_cast<size_t>(span.text.data() - text_.data());
      Offer(begin + span.text.size(), tokens_, true);
      fits = tokens_ <= max_tokens_;
    }
  }
  if (fits) return text_.size();
  for (const size_t end : last_) {
    if (end > 0) return end;
  }
  return first_ > 0 ? first_ : text_.size();
}

// With treat_whitespace_as_suffix the first part may have a few tokens more
// than `max_tokens`.
TextCut FindTextCut(const TokenizerView& view, std::string_view text,
                    size_t max_tokens, const TokenizerScratch& scratch) {
  CheckScratch(view, scratch);
  const size_t end = CutSearch(view, text, max_tokens, scratch).Find();
  size_t next = end;
  while (BeginsWithBreak(From(text, next))) {
    next += FirstChar(From(text, next)).bytes;
  }
  return {end, next};
}

}  // namespace

TextCut Tokenizer::FindCut(std::string_view text, size_t max_tokens,
                           const TokenizerScratch& scratch) const {
  size_t budget = std::max<size_t>(max_tokens, 1);
  while (true) {
    const TextCut cut = FindTextCut(view_, text, budget, scratch);
    if (budget == 1) return cut;
    // A suffix, which the search ignores, can change the segmentation.
    const size_t count =
        Tokenize(view_, First(text, cut.end), scratch, {}).value_or(0);
    if (count <= max_tokens) return cut;
    budget -= std::min(budget - 1, count - max_tokens);
  }
}

size_t Tokenizer::LanguageCodeBytes(std::string_view text) const {
  if (view_.own_ids) {
    // A code is a user-defined piece. If a space follows, the text can be cut
    // after the code without changing its ids.
    const size_t bytes = CodeBytes(text);
    const bool is_piece =
        FindKey(view_.user_defined_trie, First(text, bytes)) != kTrieNone;
    const bool can_be_cut =
        view_.add_dummy_prefix && view_.remove_extra_whitespaces &&
        !view_.treat_whitespace_as_suffix && From(text, bytes).starts_with(' ');
    return is_piece && can_be_cut ? bytes : 0;
  }
  TextSpans spans(view_, text);
  TextSpan span;
  const bool has_code =
      spans.Next(span) && span.kind == TextSpan::Kind::kLanguageCode;
  return has_code ? span.text.size() : 0;
}

}  // namespace latimer
