// Reading of HtmlText: tokens become text of the splitter, marks, or output.
#include <algorithm>
#include <cstring>

#include "markup/html_names.h"
#include "markup/html_state.h"
#include "markup/words.h"
#include "text/utf8.h"

namespace latimer {
namespace {

template <size_t kCount>
bool IsNameIn(std::string_view name, const char* const (&names)[kCount]) {
  return std::any_of(names, names + kCount, [name](const char* other) {
    return SameName(name, other);
  });
}

// A browser ends these at the end of a paragraph, even if nothing closes them.
bool EndsWithBlock(std::string_view name) {
  constexpr const char* kNames[] = {"code", "kbd",  "rp", "rt",
                                    "rtc",  "samp", "tt", "var"};
  return IsNameIn(name, kNames);
}

// Whether a tag ends an annotation of <ruby>, whose end tag may be left out.
bool EndsRubyText(uint32_t opaque, const HtmlToken& tag) {
  if (opaque != HashOfName("rt") && opaque != HashOfName("rp")) return false;
  constexpr const char* kOpening[] = {"rb", "rp", "rt", "rtc"};
  constexpr const char* kClosing[] = {"rtc", "ruby"};
  return tag.kind == HtmlToken::Kind::kOpen ? IsNameIn(tag.name, kOpening)
                                            : IsNameIn(tag.name, kClosing);
}

}  // namespace

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
    case 0:  // Not of a text.
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
  carried = EncodeUtf8(c, carry);
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
    stands_for_word = kProfile.phrases && !is_code &&
                      !SameName(in.name, "rt") && !SameName(in.name, "rp") &&
                      !SameName(in.name, "rtc") && !SameName(in.name, "svg");
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
  stands_for_word = opaque_has_text = false;
}

// Returns false if the token is not handled: the element has ended before it,
// or the block must end first.
bool HtmlText::State::HandleOpaque(const HtmlToken& in) {
  const bool is_tag =
      in.kind == HtmlToken::Kind::kOpen || in.kind == HtmlToken::Kind::kClose;
  if (is_tag && opaque_ends_with_block) {
    const ElementKind kind = KindOfElement(in.name);
    const bool is_block =
        kind == ElementKind::kBlock || kind == ElementKind::kBlockOpaque;
    if ((is_block && !IsVoidElement(in.name)) || EndsRubyText(opaque, in)) {
      stands_for_word = false;  // The block ends before a placeholder.
      EndOpaque();
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
  const bool is_text = in.kind == HtmlToken::Kind::kText ||
                       in.kind == HtmlToken::Kind::kReference;
  opaque_has_text = opaque_has_text ||
                    (is_text && !std::ranges::all_of(in.bytes, IsHtmlSpace));
  if (opaque_depth == 0) EndOpaque();
  return true;
}

// An element that is copied as it is has ended. If it reads like a word, a
// placeholder stands for it in the text.
void HtmlText::State::EndOpaque() {
  const auto kept = std::ranges::count(std::span(marks, mark_count),
                                       Mark::Kind::kKept, &Mark::kind);
  if (collects && stands_for_word && opaque_has_text &&
      kept < static_cast<ptrdiff_t>(KeptPlaceholder::kMost)) {
    marks[mark_count - 1].kind = Mark::Kind::kKept;
    KeptPlaceholder::Write(kept_number++, carry);
    carried = KeptPlaceholder::kBytes;
  }
  opaque = 0;
  collects = false;
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
  pushed = mark_count = raw_size = open_count = kept_number = 0;
  style = {};
}

}  // namespace latimer
