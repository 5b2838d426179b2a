#include "markup/html_writer.h"

#include <cstring>

#include "markup/character_reference.h"
#include "text/slice.h"

namespace latimer {
namespace {

constexpr std::string_view kNoBreakSpaceBytes = "\xC2\xA0";

// Whether "<" followed by this begins markup.
bool BeginsMarkup(char next) {
  return (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z') ||
         next == '/' || next == '!' || next == '?';
}

// The reference that the character at `text[at]` needs; empty: none.
std::string_view ReferenceFor(std::string_view text, size_t at,
                              const ReferenceStyle& style) {
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  switch (text[at]) {
    case '&': {
      const CharacterReference read =
          ReadCharacterReference(From(text, at), /*all=*/true);
      return style.ampersand || read.bytes > 0 ? "&amp;" : "";
    }
    case '<':
      return style.less || BeginsMarkup(next) ? "&lt;" : "";
    case '>':
      return style.greater ? "&gt;" : "";
    case '"':
      return style.quote ? "&quot;" : "";
    case kNoBreakSpaceBytes[0]:
      return style.no_break_space && next == kNoBreakSpaceBytes[1] ? "&nbsp;"
                                                                   : "";
    default:
      return "";
  }
}

}  // namespace

void HtmlWriter::Write(std::string_view html) {
  if (html.empty()) return;
  if (receiver_ != nullptr) return receiver_(context_, html);
  full_ = full_ || html.size() > room_.size() - size_;
  if (full_) return;
  std::memcpy(room_.data() + size_, html.data(), html.size());
  size_ += html.size();
}

void HtmlWriter::WriteText(std::string_view text, size_t begin, size_t end,
                           const ReferenceStyle& style) {
  size_t plain = begin;  // Where the bytes begin that are written as they are.
  for (size_t at = begin; at < end; ++at) {
    const std::string_view reference = ReferenceFor(text, at, style);
    if (reference.empty()) continue;
    Write(Slice(text, plain, at - plain));
    Write(reference);
    if (text[at] == kNoBreakSpaceBytes[0]) ++at;
    plain = at + 1;
  }
  if (plain < end) Write(Slice(text, plain, end - plain));
}

}  // namespace latimer
