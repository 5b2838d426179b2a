#include <cstring>

#include "base/check.h"
#include "latimer/streams.h"
#include "text/sentence_end.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

bool IsBreak(Utf8Char c) {
  return c.bytes > 0 && IsBreakingSpace(c.code_point);
}

// The end of the run of white space at `begin`, or of the run's line number
// `breaks`. `*lines` counts its line breaks; `*known` is whether `text` shows
// that the run ends there.
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

// Whether a quote closes in scripts that need no white space. The quotes that
// close in German open there.
bool Closes(uint32_t c) {
  return IsClosingMark(c) && c != 0x201C && c != 0x2018 && c != 0xAB;
}

// How a Japanese sentence goes on after a quotation.
bool IsQuotingParticle(uint32_t c) {
  return IsOneOf(U"\u3063\u3068\u306E\u3092", c);
}

// Where to cut a text in which no sentence ends: in its second half after a
// semicolon or colon, else after a comma, else after white space; else at the
// end of its last whole character.
size_t FindCut(std::string_view text) {
  size_t end = text.size();
  // The last bytes may be an incomplete character.
  for (int i = 0; i < 3 && LastChar(Slice(text, 0, end)).bytes == 0; ++i) {
    --end;
  }
  size_t best[3] = {};  // By ClauseMark; kNone is white space.
  for (size_t at = end; at > text.size() / 2;) {
    const Utf8Char c = LastChar(Slice(text, 0, at));
    const Utf8Char next = FirstChar(From(text, at));
    const ClauseMark mark = ClauseMarkOf(c.code_point);
    const bool is_place = mark == ClauseMark::kNone
                              ? IsBreakingSpace(c.code_point)
                              : IsBreak(next) || IsWide(c.code_point);
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

// Returns in *out what lies before a place, and the white space there.
void SentenceSplitter::Give(const SentencePlace& place, SourceSentence* out) {
  const std::string_view text = Rest();
  *out = {Slice(text, 0, place.sentence),
          Slice(text, place.sentence, place.bytes - place.sentence), place.end,
          line_};
  for (size_t i = 0; i < place.bytes; ++i) line_ += text[i] == '\n' ? 1 : 0;
  begin_ += place.bytes;
  scanner_.Reset();
}

SentenceScanner::Step SentenceScanner::Found(size_t sentence, size_t bytes,
                                             SentenceEnd end,
                                             SentencePlace* out) {
  *out = {sentence, bytes, end};
  scanned_ = bytes;
  after_stop_ = after_quote_ = false;
  return Step::kFound;
}

// At white space.
SentenceScanner::Step SentenceScanner::ScanSpace(std::string_view text,
                                                 bool all, SentencePlace* out) {
  // Before any sentence, each line of white space is returned by itself.
  const uint32_t breaks = scanned_ == 0               ? 1
                          : lines_ == Lines::kWrapped ? 2
                                                      : UINT32_MAX;
  uint32_t lines = 0;
  bool known = false;
  const size_t end = SpaceEnd(text, scanned_, breaks, all, &lines, &known);
  if (lines >= breaks)
    return Found(scanned_, end, SentenceEnd::kParagraph, out);
  if (!known) return Step::kNeedsMore;
  if (end == text.size()) {
    return Found(scanned_, end, SentenceEnd::kText, out);
  }
  if (scanned_ == 0) return Found(0, end, SentenceEnd::kSentence, out);
  if (lines > 0 && lines_ == Lines::kKept) {
    return Found(scanned_, end, SentenceEnd::kLine, out);
  }
  const std::string_view before = Slice(text, 0, scanned_);
  const std::string_view after = From(text, end);
  const Verdict item =
      lines > 0 ? BeginsListItem(before, after, all) : Verdict::kNo;
  const Verdict sentence =
      item == Verdict::kNo ? EndsAtSpace(rules_, before, after, all) : item;
  switch (sentence) {
    case Verdict::kNeedsMore:
      return Step::kNeedsMore;
    case Verdict::kYes:
      return Found(
          scanned_, end,
          item == Verdict::kYes ? SentenceEnd::kLine : SentenceEnd::kSentence,
          out);
    case Verdict::kNo:
      break;
  }
  scanned_ = end;
  after_stop_ = after_quote_ = false;
  return Step::kGoOn;
}

// At a character that is not white space.
SentenceScanner::Step SentenceScanner::ScanLetter(std::string_view text,
                                                  bool all,
                                                  SentencePlace* out) {
  const Utf8Char c = FirstChar(From(text, scanned_));
  if (c.bytes == 0) {
    if (!all && text.size() - scanned_ < AnnouncedBytes(text[scanned_])) {
      return Step::kNeedsMore;
    }
  } else if (IsUnspacedStop(c.code_point)) {
    after_stop_ = true;
    after_quote_ = false;
    scanned_ += c.bytes;
    return Step::kGoOn;
  } else if (after_stop_ && (Closes(c.code_point) || IsStop(c.code_point))) {
    after_quote_ = after_quote_ || Closes(c.code_point);
    scanned_ += c.bytes;
    return Step::kGoOn;
  }
  if (after_stop_) {
    if (!(after_quote_ && c.bytes > 0 && IsQuotingParticle(c.code_point))) {
      return Found(scanned_, scanned_, SentenceEnd::kSentence, out);
    }
    after_stop_ = after_quote_ = false;
  }
  scanned_ += c.bytes > 0 ? c.bytes : 1;
  return Step::kGoOn;
}

bool SentenceScanner::Scan(std::string_view text, bool all,
                           SentencePlace* out) {
  while (scanned_ < text.size()) {
    const Step step = IsBreak(FirstChar(From(text, scanned_)))
                          ? ScanSpace(text, all, out)
                          : ScanLetter(text, all, out);
    if (step != Step::kGoOn) return step == Step::kFound;
  }
  return false;
}

bool SentenceSplitter::Next(SourceSentence* out) {
  const std::string_view text = Rest();
  const bool full = text.size() == sizeof(buffer_);
  SentencePlace place;
  if (scanner_.Scan(text, ended_ || full, &place)) {
    if (place.end == SentenceEnd::kText && !ended_) {
      place.end = SentenceEnd::kCut;
    }
    Give(place, out);
    return true;
  }
  if (text.empty()) {
    if (ended_) line_ = 1;
    ended_ = false;
    return false;
  }
  if (ended_) {
    Give({text.size(), text.size(), SentenceEnd::kText}, out);
    return true;
  }
  if (!full) return false;
  const size_t cut = FindCut(text);
  place = {cut, cut, SentenceEnd::kCut};
  for (Utf8Char c; IsBreak(c = LastChar(Slice(text, 0, place.sentence)));) {
    place.sentence -= c.bytes;
  }
  for (Utf8Char c; IsBreak(c = FirstChar(From(text, place.bytes)));) {
    place.bytes += c.bytes;
  }
  Give(place, out);
  return true;
}

std::string_view SentenceSplitter::JoinLines(const SourceSentence& in) {
  const std::string_view text = in.sentence;
  if (text.empty()) return text;
  LATIMER_CHECK(text.data() >= buffer_ &&
                text.data() + text.size() <= buffer_ + sizeof(buffer_));
  char* const begin = buffer_ + (text.data() - buffer_);
  size_t size = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = FirstChar(From(text, at));
    size_t end = at + (c.bytes > 0 ? c.bytes : 1);
    bool line_break = false;
    if (IsBreak(c)) {
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
  const bool line_break = space.find_first_of("\n\r") != space.npos;
  if (line_break || (is_plain && end == SentenceEnd::kSentence)) {
    return EndsIdeographicSentence(translation) ? "" : " ";
  }
  return space;
}

}  // namespace latimer
