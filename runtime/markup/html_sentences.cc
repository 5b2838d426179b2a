// Sentences of HtmlText: taken from the splitter with their marks, and kept in
// the ring until they are translated.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "markup/html_state.h"
#include "markup/words.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Whether a text has nothing to translate.
bool IsOnlySpace(std::string_view text) {
  while (!text.empty()) {
    const Utf8Char c = FirstChar(text);
    if (c.bytes == 0 || !(IsUnicodeSpace(c.code_point) ||
                          (c.code_point >= 0x200B && c.code_point <= 0x200D) ||
                          c.code_point == 0xFEFF)) {
      return false;
    }
    text = From(text, c.bytes);
  }
  return true;
}

// Moves the marks of a sentence to their places in the same sentence on one
// line.
void MoveToJoined(std::string_view whole, std::string_view joined,
                  std::span<Mark> marks) {
  size_t to = 0;
  size_t from = 0;
  for (Mark& mark : marks) {
    while (from < mark.offset) {
      if (to < joined.size() && whole[from] == joined[to]) {
        ++from;
        ++to;
        continue;
      }
      const Utf8Char c = FirstChar(From(whole, from));
      if (c.bytes > 0 && IsBreakingSpace(c.code_point)) {
        from += c.bytes;
      } else if (to < joined.size()) {
        ++to;  // A space in the place of a line break.
      } else {
        break;
      }
    }
    // A space in the place of a line break comes before a placeholder.
    while (mark.kind == Mark::Kind::kKept && to < joined.size() &&
           from < whole.size() && joined[to] != whole[from]) {
      ++to;
    }
    mark.offset = static_cast<uint32_t>(to);
  }
}

}  // namespace

// The room for bytes that follow those of the youngest entry; null: none.
char* HtmlText::State::Allocate(size_t bytes) {
  if (count == 0) ring_end = 0;
  const size_t begin =
      (ring_end + alignof(Mark) - 1) / alignof(Mark) * alignof(Mark);
  const size_t oldest = count == 0 ? 0 : At(0).place;
  const bool wraps = count > 0 && ring_end <= oldest;
  const size_t limit = wraps ? oldest : sizeof(ring);
  if (begin + bytes <= limit) return ring + begin;
  if (!wraps && bytes <= oldest) return ring;
  return nullptr;
}

// Whether there is room for a sentence, and for the rest of it.
bool HtmlText::State::HasRoom() {
  return count + 2 <= kMostSentences && Allocate(kLargest) != nullptr;
}

// Precondition: there is room.
HtmlText::State::Entry& HtmlText::State::Add(size_t bytes) {
  char* const memory = Allocate(bytes);
  LATIMER_CHECK(memory != nullptr && count < kMostSentences);
  Entry& entry = At(count);
  entry = {};
  entry.place = static_cast<uint32_t>(memory - ring);
  ring_end = entry.place + bytes;
  ++count;
  return entry;
}

// Gives what stands before the next sentence an entry of its own. False if
// there is no room for it.
bool HtmlText::State::Spill() {
  if (count + 2 > kMostSentences || Allocate(before_size) == nullptr) {
    return false;
  }
  Entry& entry = Add(before_size);
  std::memcpy(ring + entry.place, before, before_size);
  entry.before = {ring + entry.place, before_size};
  before_size = 0;
  return true;
}

// How many marks belong to the sentence that is the first `text` of `whole`
// bytes: those in it and at its end. If nothing separates it from the next,
// only those that close are at its end.
size_t HtmlText::State::CountMarks(size_t text, size_t whole, bool last) const {
  size_t found = 0;
  while (found < mark_count && marks[found].offset < text) ++found;
  while (found < mark_count && marks[found].offset == text &&
         (last || text < whole || marks[found].kind == Mark::Kind::kClose)) {
    if (collects && found + 1 == mark_count && !last) break;
    ++found;
  }
  return found;
}

// Writes white space and the first marks, at their places.
void HtmlText::State::WriteSpace(std::string_view text, std::string_view space,
                                 size_t mark_end) {
  const auto write = [&](size_t begin, size_t end) {
    HtmlWriter writer(
        std::span<char>(before + before_size, sizeof(before) - before_size));
    const size_t in_text = std::min(end, text.size());
    // References take more room than their characters.
    const bool is_short = text.size() <= kMostBefore;
    if (begin < in_text) {
      writer.WriteText(text, begin, in_text,
                       is_short ? style : ReferenceStyle());
    }
    begin = std::max(begin, text.size());
    if (begin < end) {
      writer.Write(Slice(space, begin - text.size(), end - begin));
    }
    LATIMER_CHECK(!writer.full());
    before_size += writer.size();
  };
  size_t at = 0;
  for (size_t i = 0; i < mark_end; ++i) {
    write(at, marks[i].offset);
    at = marks[i].offset;
    WriteRaw({raw + marks[i].raw_begin, marks[i].raw_bytes});
  }
  write(at, text.size() + space.size());
}

// Forgets the first marks and the first bytes of the text.
void HtmlText::State::DropMarks(size_t dropped, size_t text_bytes) {
  size_t raw_bytes = holds ? held : raw_size;
  if (dropped < mark_count) raw_bytes = marks[dropped].raw_begin;
  std::memmove(raw, raw + raw_bytes, raw_size - raw_bytes);
  raw_size -= raw_bytes;
  if (holds) held -= raw_bytes;
  mark_count -= dropped;
  std::memmove(marks, marks + dropped, mark_count * sizeof(Mark));
  for (Mark& mark : std::span(marks, mark_count)) {
    mark.offset -= static_cast<uint32_t>(text_bytes);
    mark.raw_begin = static_cast<uint16_t>(mark.raw_begin - raw_bytes);
  }
  pushed -= text_bytes;
}

// Takes a sentence of the splitter, with its marks. False if there is nothing
// to translate. Precondition: HasRoom().
bool HtmlText::State::Take(const SourceSentence& in, HtmlSentence* out) {
  const std::string_view text = in.sentence;
  const size_t whole = text.size() + in.space.size();
  const bool last = in.end == SentenceEnd::kText;
  if (IsOnlySpace(text)) {
    size_t found = 0;
    while (found < mark_count && marks[found].offset < whole) ++found;
    WriteSpace(text, in.space, found);
    DropMarks(found, whole);
    return false;
  }
  const size_t own = CountMarks(text.size(), whole, last);
  size_t after = own;  // Those in the space.
  while (after < mark_count && marks[after].offset < whole) ++after;
  const size_t own_raw = own < mark_count ? marks[own].raw_begin
                         : holds          ? held
                                          : raw_size;
  const bool keeps_space = after == own && in.space.size() <= kMostSpace;
  const auto kept_count = static_cast<size_t>(std::ranges::count(
      std::span(marks, own), Mark::Kind::kKept, &Mark::kind));
  const size_t bytes = own * sizeof(Mark) + kept_count * sizeof(TextRange) +
                       before_size + text.size() + own_raw +
                       (keeps_space ? in.space.size() : 0);
  // As much as most translations take, if there is so much.
  size_t room = 2 * text.size() + own_raw + 128;
  if (Allocate(bytes + room) == nullptr) room = 0;
  Entry& entry = Add(bytes + room);
  entry.phase = Entry::Phase::kTaken;
  entry.end = in.end;
  entry.style = style;
  char* next = ring + entry.place;
  const auto keep = [&](std::string_view kept) {
    std::memcpy(next, kept.data(), kept.size());
    next += kept.size();
    return std::string_view(next - kept.size(), kept.size());
  };
  entry.marks = reinterpret_cast<Mark*>(next);
  entry.mark_count = static_cast<uint32_t>(own);
  next += own * sizeof(Mark);
  entry.kept = {reinterpret_cast<TextRange*>(next), kept_count};
  next += kept_count * sizeof(TextRange);
  const std::span<Mark> own_marks(entry.marks, own);
  std::copy_n(marks, own, own_marks.begin());
  for (Mark& mark : own_marks) {
    const std::string_view left = Slice(text, 0, mark.offset);
    const std::string_view right = From(text, mark.offset);
    mark.space_before = !left.empty() && IsHtmlSpace(left.back());
    mark.space_after = !right.empty() && IsHtmlSpace(right.front());
    mark.word_before = EndsWord(left);
    mark.word_after = BeginsWord(right);
  }
  entry.before = keep({before, before_size});
  before_size = 0;
  entry.raw = keep({raw, own_raw});
  if (keeps_space) entry.space = keep(in.space);
  // The joined text is no longer than the text.
  char* const whole_text = next;
  (void)keep(text);
  const std::string_view joined = splitter.JoinLines(in);
  MoveToJoined({whole_text, text.size()}, joined, own_marks);
  std::memmove(whole_text, joined.data(), joined.size());
  entry.text = {whole_text, joined.size()};
  entry.room = {next, room};
  size_t range = 0;
  for (const Mark& mark : own_marks) {
    if (mark.kind != Mark::Kind::kKept) continue;
    const auto size = static_cast<uint32_t>(KeptPlaceholder::kBytes);
    entry.kept[range++] = {mark.offset, mark.offset + size};
  }
  DropMarks(own, text.size());
  if (!keeps_space) WriteSpace({}, in.space, after - own);
  DropMarks(after - own, in.space.size());
  *out = {first_number + count - 1, entry.text, 0, entry.kept};
  return true;
}

// Returns a sentence that has no translation yet, if one waits.
bool HtmlText::State::Give(HtmlSentence* out) {
  for (size_t i = 0; i < count; ++i) {
    Entry& entry = At(i);
    const bool waits = (entry.phase == Entry::Phase::kAgain && i == 0) ||
                       (entry.phase == Entry::Phase::kWaiting &&
                        (i == 0 || count + 2 <= kMostSentences));
    if (!waits) continue;
    entry.phase = Entry::Phase::kTaken;
    *out = {first_number + i, entry.text,
            std::min(entry.protected_bytes, entry.text.size()), entry.kept};
    return true;
  }
  return false;
}

}  // namespace latimer
