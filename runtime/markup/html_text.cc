#include "markup/html_text.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"
#include "markup/html_state.h"
#include "markup/words.h"
#include "text/slice.h"

namespace latimer {

// Writes what is not translated, after all that comes before it.
void HtmlText::State::WriteRaw(std::string_view bytes) {
  if (count == 0 && before_size == 0) {
    if (!bytes.empty()) receiver(context, bytes);
    return;
  }
  LATIMER_CHECK(bytes.size() <= sizeof(before) - before_size);
  std::memcpy(before + before_size, bytes.data(), bytes.size());
  before_size += bytes.size();
}

void HtmlText::State::FlushBefore() {
  if (before_size > 0) receiver(context, {before, before_size});
  before_size = 0;
}

void HtmlText::State::WriteSentence(const Entry& entry,
                                    std::string_view translation,
                                    std::span<const TokenLink> links,
                                    HtmlWriter& writer) {
  placer.Place(
      {entry.text, {entry.marks, entry.mark_count}, entry.raw, entry.style},
      translation, links, writer);
  writer.Write(SpaceAfter(translation, entry.space, entry.end));
}

// Forgets the oldest entry.
void HtmlText::State::Pop() {
  first = (first + 1) % kMostSentences;
  --count;
  ++first_number;
}

// Writes the entries that nothing keeps waiting.
void HtmlText::State::WriteDone() {
  while (count > 0 && At(0).phase == Entry::Phase::kDone) {
    const Entry& entry = At(0);
    if (!entry.before.empty()) receiver(context, entry.before);
    if (entry.written > 0) {
      receiver(context, {entry.room.data(), entry.written});
    }
    Pop();
  }
  if (count == 0) FlushBefore();
}

HtmlText::HtmlText(const SentenceRules& rules, Receiver receiver,
                   void* context) {
  static_assert(sizeof(State) <= kStateBytes && alignof(State) <= 16);
  new (state_) State(rules, receiver, context);
}

HtmlText::~HtmlText() { state().~State(); }

size_t HtmlText::Push(std::string_view bytes) {
  State& s = state();
  if (s.window_begin > 0) {
    std::memmove(s.window, s.window + s.window_begin,
                 s.window_end - s.window_begin);
    if (s.has_token) {
      s.token.bytes = {s.window, s.token.bytes.size()};
      if (!s.token.name.empty()) {
        s.token.name = {s.token.name.data() - s.window_begin,
                        s.token.name.size()};
      }
    }
    s.window_end -= s.window_begin;
    s.window_begin = 0;
  }
  const size_t taken = std::min(bytes.size(), sizeof(s.window) - s.window_end);
  if (taken > 0) std::memcpy(s.window + s.window_end, bytes.data(), taken);
  s.window_end += taken;
  return taken;
}

void HtmlText::End() { state().ended = true; }

HtmlText::Got HtmlText::Next(HtmlSentence* out) {
  State& s = state();
  for (;;) {
    if (s.Give(out)) return Got::kSentence;
    if (s.count == 0) s.FlushBefore();
    if (s.before_size > State::kMostBefore && !s.Spill()) return Got::kBusy;
    if (!s.HasRoom()) return Got::kBusy;
    SourceSentence sentence;
    if (s.splitter.Next(&sentence)) {
      if (s.Take(sentence, out)) return Got::kSentence;
    } else if (s.closing) {
      s.FinishBlock();
    } else if (!s.Step()) {
      if (s.count == 0) s.FlushBefore();
      return Got::kNeedsMore;
    }
  }
}

void HtmlText::Cut(uint64_t number, size_t bytes, bool space_follows,
                   size_t protected_bytes) {
  State& s = state();
  State::Entry& entry = s.At(s.count - 1);
  const bool is_last = number + 1 == s.first_number + s.count;
  // One that is given again was cut before.
  if (!is_last || bytes >= entry.text.size()) return;
  LATIMER_CHECK(s.count < kMostSentences);
  State::Entry& rest = s.At(s.count++);
  rest = entry;
  rest.phase = State::Entry::Phase::kWaiting;
  rest.before = {};
  rest.text = From(entry.text, bytes);
  rest.protected_bytes = protected_bytes;
  const std::span<Mark> marks(entry.marks, entry.mark_count);
  size_t own = 0;
  while (own < marks.size() && (marks[own].offset < bytes ||
                                (marks[own].offset == bytes &&
                                 marks[own].kind == Mark::Kind::kClose))) {
    ++own;
  }
  size_t kept = 0;
  while (kept < entry.kept.size() && entry.kept[kept].begin < bytes) ++kept;
  rest.kept = entry.kept.subspan(kept);
  entry.kept = entry.kept.first(kept);
  for (TextRange& range : rest.kept) {
    range.begin -= static_cast<uint32_t>(bytes);
    range.end -= static_cast<uint32_t>(bytes);
  }
  rest.marks = entry.marks + own;
  rest.mark_count = static_cast<uint32_t>(marks.size() - own);
  for (Mark& mark : std::span(rest.marks, rest.mark_count)) {
    mark.offset -= static_cast<uint32_t>(bytes);
  }
  rest.room = entry.room.subspan(entry.room.size() / 2);
  entry.room = entry.room.first(entry.room.size() / 2);
  entry.mark_count = static_cast<uint32_t>(own);
  entry.text = Slice(entry.text, 0, bytes);
  while (protected_bytes == 0 && !entry.text.empty() &&
         IsHtmlSpace(entry.text.back())) {
    entry.text.remove_suffix(1);
  }
  for (Mark& mark : std::span(entry.marks, own)) {
    mark.offset =
        std::min(mark.offset, static_cast<uint32_t>(entry.text.size()));
  }
  // Given again, it is cut at the same place.
  if (protected_bytes > 0) entry.protected_bytes = entry.text.size();
  entry.end = SentenceEnd::kCut;
  entry.space = space_follows ? " " : "";
}

void HtmlText::Finish(uint64_t number, std::string_view translation,
                      std::span<const TokenLink> links) {
  State& s = state();
  const auto index = static_cast<size_t>(number - s.first_number);
  LATIMER_CHECK(index < s.count);
  State::Entry& entry = s.At(index);
  LATIMER_CHECK(entry.phase == State::Entry::Phase::kTaken);
  if (index > 0) {
    HtmlWriter writer(entry.room);
    s.WriteSentence(entry, translation, links, writer);
    entry.phase = writer.full() ? State::Entry::Phase::kAgain
                                : State::Entry::Phase::kDone;
    entry.written = writer.size();
    return;
  }
  HtmlWriter writer(s.receiver, s.context);
  writer.Write(entry.before);
  s.WriteSentence(entry, translation, links, writer);
  s.Pop();
  s.WriteDone();
}

}  // namespace latimer
