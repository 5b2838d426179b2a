#include "latimer/sentence_splitter.h"

#include <cstring>

#include "base/check.h"
#include "text/sentence_end.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

// The end of the run of white space at `begin`, up to the end of its `breaks`th
// line; fewer are counted in `*lines`. Sets `*known` to whether it shows that
// the run ends there.
size_t SpaceEnd(std::string_view text, size_t begin, uint32_t breaks, bool all,
                uint32_t* lines, bool* known) {
  *lines = 0;
  *known = true;
  size_t at = begin;
  while (at < text.size()) {
    const Utf8Char c = FirstChar(From(text, at));
    if (c.bytes == 0) {
      *known = all || text.size() - at >= AnnouncedBytes(text[at]);
      return at;
    }
    if (!IsBreakingSpace(c.code_point)) return at;
    if (c.code_point == '\r' && at + 1 == text.size() && !all) break;
    const bool crlf =
        c.code_point == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    at += c.bytes;
    if (c.code_point == 0x2029) *lines = breaks;  // Paragraph separator.
    if (c.code_point == '\n' || (c.code_point == '\r' && !crlf)) ++*lines;
    if (*lines >= breaks) return at;
  }
  *known = all;
  return at;
}

// Chinese and Japanese, whose lines are joined without a space.
bool IsWide(uint32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFF00 && c <= 0xFFEF) || (c >= 0x20000 && c <= 0x3FFFF);
}

// Whether a quote closes where no white space is needed: those that close in
// German open there.
bool Closes(uint32_t c) {
  return IsClosingMark(c) && c != 0x201C && c != 0x2018 && c != 0xAB;
}

// What a Japanese sentence goes on with behind a quotation.
bool IsQuotingParticle(uint32_t c) {
  return c == 0x3068 || c == 0x3063 || c == 0x3092 || c == 0x306E;
}

// Where to cut a text that has no sentence's end: in its second half behind a
// semicolon or colon, else a comma, else white space; else at its end, between
// characters.
size_t FindCut(std::string_view text) {
  size_t end = text.size();
  // What may be the beginning of a character only.
  for (int i = 0; i < 3 && LastChar(Slice(text, 0, end)).bytes == 0; ++i) {
    --end;
  }
  size_t best[3] = {};  // By ClauseMark; none is white space.
  for (size_t at = end; at > text.size() / 2;) {
    const Utf8Char c = LastChar(Slice(text, 0, at));
    const Utf8Char next = FirstChar(From(text, at));
    const ClauseMark mark = ClauseMarkOf(c.code_point);
    const bool before_space =
        next.bytes > 0 && IsBreakingSpace(next.code_point);
    const bool is_place = mark == ClauseMark::kNone
                              ? IsBreakingSpace(c.code_point)
                              : before_space || IsWide(c.code_point);
    size_t& place = best[static_cast<size_t>(mark)];
    if (is_place && place == 0) place = at;
    at -= c.bytes > 0 ? c.bytes : 1;
  }
  for (const size_t place : best) {
    if (place > 0) return place;
  }
  return end;
}

}  // namespace

size_t SentenceSplitter::Push(std::string_view bytes) {
  if (bytes.size() > sizeof(buffer_) - end_ && begin_ > 0) {
    std::memmove(buffer_, buffer_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const size_t room = sizeof(buffer_) - end_;
  const size_t taken = bytes.size() < room ? bytes.size() : room;
  if (taken > 0) std::memcpy(buffer_ + end_, bytes.data(), taken);
  end_ += taken;
  return taken;
}

// Gives the first `bytes`, whose first `sentence` are the sentence.
bool SentenceSplitter::Give(size_t sentence, size_t bytes, SentenceEnd end,
                            SourceSentence* piece) {
  const std::string_view text = Rest();
  *piece = {Slice(text, 0, sentence), Slice(text, sentence, bytes - sentence),
            end, line_};
  for (size_t i = 0; i < bytes; ++i) line_ += text[i] == '\n' ? 1 : 0;
  begin_ += bytes;
  scanned_ = 0;
  after_stop_ = after_quote_ = false;
  return true;
}

// At white space.
SentenceSplitter::Scan SentenceSplitter::ScanSpace(std::string_view text,
                                                   bool all,
                                                   SourceSentence* piece) {
  // Before any sentence a line of white space is a piece.
  const uint32_t breaks = scanned_ == 0 ? 1 : 2;
  uint32_t lines = 0;
  bool known = false;
  const size_t end = SpaceEnd(text, scanned_, breaks, all, &lines, &known);
  if (lines >= breaks) {
    Give(scanned_, end, SentenceEnd::kParagraph, piece);
    return Scan::kPiece;
  }
  if (!known) return Scan::kNeedsMore;
  if (end == text.size()) {
    Give(scanned_, end, ended_ ? SentenceEnd::kText : SentenceEnd::kCut, piece);
    return Scan::kPiece;
  }
  if (scanned_ == 0) {
    Give(0, end, SentenceEnd::kSentence, piece);
    return Scan::kPiece;
  }
  const std::string_view before = Slice(text, 0, scanned_);
  const std::string_view after = From(text, end);
  Verdict list = Verdict::kNo;
  if (lines > 0) list = BeginsListItem(before, after, all);
  if (list == Verdict::kNeedsMore) return Scan::kNeedsMore;
  if (list == Verdict::kYes) {
    Give(scanned_, end, SentenceEnd::kLine, piece);
    return Scan::kPiece;
  }
  const Verdict verdict = EndsAtSpace(rules_, before, after, all);
  if (verdict == Verdict::kNeedsMore) return Scan::kNeedsMore;
  if (verdict == Verdict::kYes) {
    Give(scanned_, end, SentenceEnd::kSentence, piece);
    return Scan::kPiece;
  }
  scanned_ = end;
  after_stop_ = after_quote_ = false;
  return Scan::kGoOn;
}

// At a character that is no white space.
SentenceSplitter::Scan SentenceSplitter::ScanLetter(std::string_view text,
                                                    bool all,
                                                    SourceSentence* piece) {
  const Utf8Char c = FirstChar(From(text, scanned_));
  if (c.bytes == 0) {
    if (!all && text.size() - scanned_ < AnnouncedBytes(text[scanned_])) {
      return Scan::kNeedsMore;
    }
  } else if (IsUnspacedStop(c.code_point)) {
    after_stop_ = true;
    after_quote_ = false;
    scanned_ += c.bytes;
    return Scan::kGoOn;
  } else if (after_stop_ && (Closes(c.code_point) || IsStop(c.code_point))) {
    after_quote_ = after_quote_ || Closes(c.code_point);
    scanned_ += c.bytes;
    return Scan::kGoOn;
  }
  if (after_stop_) {
    if (!(after_quote_ && c.bytes > 0 && IsQuotingParticle(c.code_point))) {
      Give(scanned_, scanned_, SentenceEnd::kSentence, piece);
      return Scan::kPiece;
    }
    after_stop_ = after_quote_ = false;
  }
  scanned_ += c.bytes > 0 ? c.bytes : 1;
  return Scan::kGoOn;
}

bool SentenceSplitter::Next(SourceSentence* piece) {
  const std::string_view text = Rest();
  const bool full = text.size() == sizeof(buffer_);
  const bool all = ended_ || full;
  while (scanned_ < text.size()) {
    const Utf8Char c = FirstChar(From(text, scanned_));
    const Scan scan = c.bytes > 0 && IsBreakingSpace(c.code_point)
                          ? ScanSpace(text, all, piece)
                          : ScanLetter(text, all, piece);
    if (scan == Scan::kPiece) return true;
    if (scan == Scan::kNeedsMore) return false;
  }
  if (text.empty()) {
    if (ended_) {
      ended_ = false;
      line_ = 1;
    }
    return false;
  }
  if (ended_) {
    return Give(text.size(), text.size(), SentenceEnd::kText, piece);
  }
  if (!full) return false;
  const size_t cut = FindCut(text);
  size_t sentence = cut;
  for (;;) {
    const Utf8Char last = LastChar(Slice(text, 0, sentence));
    if (last.bytes == 0 || !IsBreakingSpace(last.code_point)) break;
    sentence -= last.bytes;
  }
  size_t end = cut;
  for (;;) {
    const Utf8Char c = FirstChar(From(text, end));
    if (c.bytes == 0 || !IsBreakingSpace(c.code_point)) break;
    end += c.bytes;
  }
  return Give(sentence, end, SentenceEnd::kCut, piece);
}

std::string_view SentenceSplitter::JoinLines(const SourceSentence& piece) {
  const std::string_view text = piece.sentence;
  if (text.empty()) return text;
  LATIMER_CHECK(text.data() >= buffer_ &&
                text.data() + text.size() <= buffer_ + sizeof(buffer_));
  char* const begin = buffer_ + (text.data() - buffer_);
  size_t size = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = FirstChar(From(text, at));
    size_t end = at + (c.bytes > 0 ? c.bytes : 1);
    bool line_break = false;
    if (c.bytes > 0 && IsBreakingSpace(c.code_point)) {
      uint32_t lines = 0;
      bool known = false;
      end = SpaceEnd(text, at, 2, /*all=*/true, &lines, &known);
      line_break = lines > 0;
    }
    if (line_break) {
      const Utf8Char before = LastChar({begin, size});
      const Utf8Char after = FirstChar(From(text, end));
      if (!IsWide(before.code_point) || !IsWide(after.code_point)) {
        begin[size++] = ' ';
      }
    } else {
      std::memmove(begin + size, text.data() + at, end - at);
      size += end - at;
    }
    at = end;
  }
  return {begin, size};
}

std::string_view SpaceAfter(std::string_view translation,
                            std::string_view space, SentenceEnd end) {
  if (translation.empty()) return space;
  switch (end) {
    case SentenceEnd::kLine:
    case SentenceEnd::kParagraph:
    case SentenceEnd::kText:
      return space;
    case SentenceEnd::kCut:
    case SentenceEnd::kSentence:
      break;
  }
  const bool is_plain = space == " " || space.empty();
  bool line_break = false;
  for (const char c : space) line_break = line_break || IsLineBreak(c);
  if (line_break || (is_plain && end == SentenceEnd::kSentence)) {
    return EndsIdeographicSentence(translation) ? "" : " ";
  }
  return space;
}

}  // namespace latimer
