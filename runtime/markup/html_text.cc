// From HTML to sentences and back. Text goes into a SentenceSplitter; the tags
// between go into a list, each with its place in the text. What ends a sentence
// in any case, such as <p>, ends the block: the splitter gives its last
// sentences, and the tag is written as it is. Each sentence waits in a ring,
// with its tags and with what stands before it, until it and all before it have
// been translated.
#include "latimer/html_text.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"
#include "markup/html_names.h"
#include "markup/html_scanner.h"
#include "markup/html_writer.h"
#include "markup/tag_placement.h"
#include "markup/words.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// White space after a sentence that is kept beside it; more of it stands before
// the next.
constexpr size_t kMostSpace = 64;
// What stands before a sentence and is kept beside it; more is by itself.
constexpr size_t kMostBefore = 1024;
// Elements inside each other, of one block.
constexpr size_t kMostOpen = 64;

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

// Writes a character as UTF-8 and returns its bytes.
size_t Encode(uint32_t c, char* out) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  const auto rest = [&](uint32_t shift) {
    return byte(0x80 | ((c >> shift) & 0x3F));
  };
  if (c < 0x80) {
    out[0] = byte(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = byte(0xC0 | (c >> 6));
    out[1] = rest(0);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = byte(0xE0 | (c >> 12));
    out[1] = rest(6);
    out[2] = rest(0);
    return 3;
  }
  out[0] = byte(0xF0 | (c >> 18));
  out[1] = rest(12);
  out[2] = rest(6);
  out[3] = rest(0);
  return 4;
}

// A browser ends these at the end of a paragraph, even if nothing closes them.
bool EndsWithBlock(std::string_view name) {
  for (const char* code : {"code", "kbd", "samp", "tt", "var"}) {
    if (SameName(name, code)) return true;
  }
  return false;
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
    mark.offset = static_cast<uint32_t>(to);
  }
}

}  // namespace

struct __attribute__((visibility("hidden"))) HtmlText::State {
  // A sentence, or only what stands before one. Its bytes are in the ring.
  struct Entry {
    enum class Phase : uint8_t {
      kWaiting,  // For Next.
      kTaken,
      kAgain,  // Its translation found no room; it waits to be the oldest.
      kDone,
    };

    Phase phase = Phase::kDone;
    SentenceEnd end = SentenceEnd::kText;
    ReferenceStyle style;
    uint32_t place = 0;  // Where its bytes begin; those before it are free.
    // Its marks, and its bytes in this order.
    uint32_t mark_count = 0;
    Mark* marks = nullptr;
    std::string_view before;
    std::string_view text;
    std::string_view raw;
    std::string_view space;
    std::span<char> room;  // For its translation.
    size_t written = 0;
  };

  static constexpr size_t kMostMarks = TagPlacer::kMostMarks;
  static constexpr size_t kBeforeBytes = 4 * kWindowBytes;
  static constexpr size_t kLargest = kMostMarks * sizeof(Mark) + kMostBefore +
                                     SentenceSplitter::kMostBytes +
                                     kWindowBytes + kMostSpace;
  static_assert(2 * kLargest <= kRingBytes && kBeforeBytes <= kRingBytes / 2);
  // Spaces between sentences, and the marks there.
  static_assert(SentenceSplitter::kMostBytes + kWindowBytes + kMostBefore <=
                kBeforeBytes);

  State(const SentenceRules& rules, Receiver to, void* with)
      : receiver(to), context(with), splitter(rules) {}

  // ---- Reading ----
  bool Step();
  bool Handle(const HtmlToken& token);
  bool HandleOpen(const HtmlToken& token);
  bool HandleClose(const HtmlToken& token);
  bool HandlePiece(const HtmlToken& token);
  bool HandleOpaque(const HtmlToken& token);
  void BeginOpaque(const HtmlToken& token, bool in_sentence);
  bool AddMark(Mark::Kind kind, std::string_view bytes);
  bool AddReference(uint32_t code_point, std::string_view bytes);
  bool EndBlock();
  void FinishBlock();
  bool HasBlock() const { return pushed > 0 || mark_count > 0 || carried > 0; }
  void Consume(size_t bytes) { window_begin += bytes; }

  // ---- Sentences ----
  bool HasRoom();
  bool Spill();
  char* Allocate(size_t bytes);
  Entry& Add(size_t bytes);
  bool Take(const SourceSentence& sentence, HtmlSentence* out);
  size_t CountMarks(size_t text, size_t whole, bool last) const;
  void WriteSpace(std::string_view text, std::string_view space, size_t marks);
  void DropMarks(size_t count, size_t text_bytes);
  bool Give(HtmlSentence* out);
  Entry& At(size_t index) { return entries[(first + index) % kMostSentences]; }

  // ---- Writing ----
  void WriteRaw(std::string_view bytes);
  void FlushBefore();
  void WriteSentence(const Entry& entry, std::string_view translation,
                     std::span<const TokenLink> links, HtmlWriter& writer);
  void Pop();
  void WriteDone();

  Receiver receiver;
  void* context;
  SentenceSplitter splitter;
  HtmlScanner scanner;
  TagPlacer placer;

  // The input that was not scanned; whether it has ended.
  size_t window_begin = 0;
  size_t window_end = 0;
  bool ended = false;
  // A token that was scanned but not handled.
  bool has_token = false;
  HtmlToken token;

  // The block at hand: bytes of its text that the splitter has and that no
  // sentence has taken; a character that it has no room for yet; whether it
  // ends here; its marks; names of its elements that are open.
  size_t pushed = 0;
  size_t carried = 0;
  char carry[4];
  bool closing = false;
  ReferenceStyle style;
  size_t mark_count = 0;
  size_t raw_size = 0;
  size_t open_count = 0;
  uint32_t open[kMostOpen];

  // What is copied as it is: the name of an element, and how many of this name
  // are open; 0: none. The mark that it is collected in is the last.
  uint32_t opaque = 0;
  size_t opaque_depth = 0;
  bool opaque_ends_with_block = false;
  bool collects = false;
  // Bytes of raw, from `held` on, that come after the block.
  size_t held = 0;
  bool holds = false;

  size_t before_size = 0;
  size_t first = 0;  // Of entries.
  size_t count = 0;
  uint64_t first_number = 0;
  size_t ring_end = 0;  // Where the youngest entry ends.

  Mark marks[kMostMarks];
  Entry entries[kMostSentences];
  char window[kWindowBytes];
  char raw[kWindowBytes];
  char before[kBeforeBytes];
  alignas(Mark) char ring[kRingBytes];
};

// ---- Reading ----

// Handles one token. False if more bytes are needed.
bool HtmlText::State::Step() {
  if (carried > 0) {
    const size_t taken = splitter.Push({carry, carried});
    pushed += taken;
    carried -= taken;
    std::memmove(carry, carry + taken, carried);
    return true;
  }
  const std::string_view rest(window + window_begin, window_end - window_begin);
  if (!has_token) {
    const bool all = ended || rest.size() == sizeof(window);
    if (!scanner.Next(rest, all, &token)) {
      if (!ended || !rest.empty()) return false;
      if (EndBlock()) return true;
      ended = false;
      opaque = 0;
      collects = false;
      scanner = {};
      return false;
    }
  }
  has_token = true;
  if (Handle(token)) {
    has_token = false;
    if (token.kind != HtmlToken::Kind::kText) Consume(token.bytes.size());
  }
  return true;
}

// Returns false if the block must end first; the token is then handled again.
bool HtmlText::State::Handle(const HtmlToken& in) {
  if (opaque != 0) {
    if (HandleOpaque(in)) return true;
    if (opaque != 0 || closing) return false;
  }
  switch (in.kind) {
    case HtmlToken::Kind::kText: {
      const size_t taken = splitter.Push(in.bytes);
      pushed += taken;
      Consume(taken);
      return true;
    }
    case HtmlToken::Kind::kReference:
      return AddReference(in.code_point, in.bytes);
    case HtmlToken::Kind::kOther:
      return AddMark(Mark::Kind::kPoint, in.bytes);
    case HtmlToken::Kind::kOpen:
      return HandleOpen(in);
    case HtmlToken::Kind::kClose:
      return HandleClose(in);
    case HtmlToken::Kind::kPiece:
      return HandlePiece(in);
  }
  return true;
}

bool HtmlText::State::AddReference(uint32_t c, std::string_view bytes) {
  switch (c) {
    case 0:  // Its name is not known.
      return AddMark(Mark::Kind::kObject, bytes);
    case '&':
      style.ampersand = true;
      break;
    case '<':
      style.less = true;
      break;
    case '>':
      style.greater = true;
      break;
    case '"':
      style.quote = true;
      break;
    case 0xA0:
      style.no_break_space = true;
      break;
    default:
      break;
  }
  carried = Encode(c, carry);
  return true;
}

bool HtmlText::State::HandleOpen(const HtmlToken& in) {
  const ElementKind kind = KindOfElement(in.name);
  const bool alone = in.bytes.ends_with("/>") || IsVoidElement(in.name);
  const bool in_sentence =
      kind != ElementKind::kBlock && kind != ElementKind::kBlockOpaque;
  const bool is_opaque = kind == ElementKind::kInlineOpaque ||
                         kind == ElementKind::kBlockOpaque ||
                         ForbidsTranslation(in.bytes);
  if (!in_sentence) {
    if (EndBlock()) return false;
    WriteRaw(in.bytes);
    if (is_opaque && !alone) BeginOpaque(in, /*in_sentence=*/false);
    return true;
  }
  if (alone) return AddMark(Mark::Kind::kPoint, in.bytes);
  if (is_opaque) {
    const bool is_code =
        RawTextElement(in.name) != nullptr || SameName(in.name, "template");
    if (!AddMark(is_code ? Mark::Kind::kPoint : Mark::Kind::kObject,
                 in.bytes)) {
      return false;
    }
    BeginOpaque(in, /*in_sentence=*/true);
    return true;
  }
  if (open_count == kMostOpen && EndBlock()) return false;
  if (!AddMark(Mark::Kind::kOpen, in.bytes)) return false;
  open[open_count++] = HashOfName(in.name);
  return true;
}

bool HtmlText::State::HandleClose(const HtmlToken& in) {
  const ElementKind kind = KindOfElement(in.name);
  if (kind == ElementKind::kInlineVoid) {
    return AddMark(Mark::Kind::kPoint, in.bytes);
  }
  const bool nests =
      kind == ElementKind::kInline &&
      (open_count == 0 || open[open_count - 1] == HashOfName(in.name));
  if (nests) {
    if (!AddMark(Mark::Kind::kClose, in.bytes)) return false;
    if (open_count > 0) --open_count;
    return true;
  }
  if (EndBlock()) return false;
  WriteRaw(in.bytes);
  return true;
}

// A part of something that is too long to stand in a sentence.
bool HtmlText::State::HandlePiece(const HtmlToken& in) {
  if (EndBlock()) return false;
  WriteRaw(in.bytes);
  const ElementKind kind = KindOfElement(in.name);
  if (in.opens && !IsVoidElement(in.name) &&
      (kind == ElementKind::kInlineOpaque ||
       kind == ElementKind::kBlockOpaque)) {
    BeginOpaque(in, /*in_sentence=*/false);
  }
  return true;
}

// Of an element that stands in a sentence, the content is added to its mark.
void HtmlText::State::BeginOpaque(const HtmlToken& in, bool in_sentence) {
  opaque = HashOfName(in.name);
  opaque_depth = 1;
  opaque_ends_with_block = EndsWithBlock(in.name);
  collects = in_sentence;
}

// Returns false if the token is not handled: the element has ended before it,
// or the block must end first.
bool HtmlText::State::HandleOpaque(const HtmlToken& in) {
  const bool is_tag =
      in.kind == HtmlToken::Kind::kOpen || in.kind == HtmlToken::Kind::kClose;
  if (is_tag && opaque_ends_with_block) {
    const ElementKind kind = KindOfElement(in.name);
    if ((kind == ElementKind::kBlock || kind == ElementKind::kBlockOpaque) &&
        !IsVoidElement(in.name)) {
      opaque = 0;
      collects = false;
      return false;
    }
  }
  if (collects && in.bytes.size() > sizeof(raw) - raw_size) {
    // It is too long to stand in a sentence, and comes after its words.
    collects = false;
    --mark_count;
    held = marks[mark_count].raw_begin;
    holds = true;
    EndBlock();
    return false;
  }
  if (closing) return false;
  if (collects) {
    std::memcpy(raw + raw_size, in.bytes.data(), in.bytes.size());
    raw_size += in.bytes.size();
    marks[mark_count - 1].raw_bytes =
        static_cast<uint16_t>(raw_size - marks[mark_count - 1].raw_begin);
  } else {
    WriteRaw(in.bytes);
  }
  if (in.kind == HtmlToken::Kind::kText) Consume(in.bytes.size());
  if (is_tag && HashOfName(in.name) == opaque) {
    if (in.kind == HtmlToken::Kind::kClose) {
      --opaque_depth;
    } else if (!in.bytes.ends_with("/>")) {
      ++opaque_depth;
    }
  }
  if (opaque_depth == 0) {
    opaque = 0;
    collects = false;
  }
  return true;
}

// Returns false if there is no room: then the block ends here.
bool HtmlText::State::AddMark(Mark::Kind kind, std::string_view bytes) {
  if (mark_count == kMostMarks || bytes.size() > sizeof(raw) - raw_size) {
    EndBlock();
    return false;
  }
  marks[mark_count++] = {.offset = static_cast<uint32_t>(pushed),
                         .raw_begin = static_cast<uint16_t>(raw_size),
                         .raw_bytes = static_cast<uint16_t>(bytes.size()),
                         .kind = kind};
  std::memcpy(raw + raw_size, bytes.data(), bytes.size());
  raw_size += bytes.size();
  return true;
}

// Ends the block at hand. Returns false if there is none.
bool HtmlText::State::EndBlock() {
  if (!HasBlock() && !holds) return false;
  splitter.End();
  closing = true;
  return true;
}

// After the last sentence of a block.
void HtmlText::State::FinishBlock() {
  for (size_t i = 0; i < mark_count; ++i) {
    WriteRaw({raw + marks[i].raw_begin, marks[i].raw_bytes});
  }
  if (holds) WriteRaw({raw + held, raw_size - held});
  holds = closing = false;
  pushed = mark_count = raw_size = open_count = 0;
  style = {};
}

// ---- Sentences ----

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
  const size_t bytes = own * sizeof(Mark) + before_size + text.size() +
                       own_raw + (keeps_space ? in.space.size() : 0);
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
  DropMarks(own, text.size());
  if (!keeps_space) WriteSpace({}, in.space, after - own);
  DropMarks(after - own, in.space.size());
  *out = {first_number + count - 1, entry.text};
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
    *out = {first_number + i, entry.text};
    return true;
  }
  return false;
}

// ---- Writing ----

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
    if (s.before_size > kMostBefore && !s.Spill()) return Got::kBusy;
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

void HtmlText::Cut(uint64_t number, size_t bytes, bool space_follows) {
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
  const std::span<Mark> marks(entry.marks, entry.mark_count);
  size_t own = 0;
  while (own < marks.size() && (marks[own].offset < bytes ||
                                (marks[own].offset == bytes &&
                                 marks[own].kind == Mark::Kind::kClose))) {
    ++own;
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
  while (!entry.text.empty() && IsHtmlSpace(entry.text.back())) {
    entry.text.remove_suffix(1);
  }
  for (Mark& mark : std::span(entry.marks, own)) {
    mark.offset =
        std::min(mark.offset, static_cast<uint32_t>(entry.text.size()));
  }
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
