#include "markup/html_scanner.h"

#include <algorithm>

#include "markup/character_reference.h"
#include "markup/html_names.h"
#include "markup/words.h"
#include "text/ascii.h"
#include "text/slice.h"

namespace latimer {
namespace {

// The name of the tag that `text` begins with, "<b" or "</b".
std::string_view NameIn(std::string_view text) {
  const size_t begin = text.size() > 1 && text[1] == '/' ? 2 : 1;
  size_t end = std::min(begin, text.size());
  while (end < text.size() && !IsHtmlSpace(text[end]) && text[end] != '/' &&
         text[end] != '>') {
    ++end;
  }
  return Slice(text, std::min(begin, end), end - std::min(begin, end));
}

// The bytes up to the end of `mark`, or 0.
size_t EndOf(std::string_view text, std::string_view mark, size_t from) {
  const size_t at = text.find(mark, from);
  return at == text.npos ? 0 : at + mark.size();
}

// The bytes of a comment, or 0: "-->" ends it, and so does what browsers also
// take for that.
size_t CommentEnd(std::string_view text, size_t from) {
  const size_t plain = EndOf(text, "-->", from);
  const size_t other = EndOf(text, "--!>", from);
  return other > 0 && (plain == 0 || other < plain) ? other : plain;
}

}  // namespace

// Whether a byte ends the tag.
bool HtmlScanner::ScanTagByte(char c) {
  switch (tag_) {
    case Tag::kSingle:
    case Tag::kDouble:
      if (c == (tag_ == Tag::kSingle ? '\'' : '"')) tag_ = Tag::kSpace;
      return false;
    case Tag::kEquals:
      if (IsHtmlSpace(c)) return false;
      tag_ = c == '"' ? Tag::kDouble : c == '\'' ? Tag::kSingle : Tag::kValue;
      return c == '>';
    case Tag::kValue:
      if (IsHtmlSpace(c)) tag_ = Tag::kSpace;
      return c == '>';
    case Tag::kName:
      // The name of the element, which may hold "=".
      if (IsHtmlSpace(c) || c == '/') tag_ = Tag::kSpace;
      return c == '>';
    case Tag::kSpace:
      if (c == '=') tag_ = Tag::kEquals;
      return c == '>';
  }
  return false;
}

// The bytes of `window`, which begins inside of something, up to its end; 0 if
// that is not there.
size_t HtmlScanner::FindEnd(std::string_view window) {
  switch (inside_) {
    case Inside::kTag:
      for (size_t i = 0; i < window.size(); ++i) {
        if (ScanTagByte(window[i])) return i + 1;
      }
      return 0;
    case Inside::kComment:
      return CommentEnd(window, 0);
    case Inside::kCdata:
      return EndOf(window, "]]>", 0);
    case Inside::kBogus:
    case Inside::kNothing:
      break;
  }
  return EndOf(window, ">", 0);
}

// The bytes of `window`, which has no end of what it is inside of, that cannot
// be a part of that end.
size_t HtmlScanner::WholeBytes(std::string_view window) const {
  constexpr size_t kMostOfMark = 3;  // "--!" of "--!>"
  if (inside_ == Inside::kTag) return window.size();
  return window.size() - std::min(window.size(), kMostOfMark);
}

// A tag, comment or the like, of which `window` is the beginning. Text if it is
// none.
bool HtmlScanner::ScanMarkup(std::string_view window, bool all,
                             HtmlToken* out) {
  if (window.size() < 2 && !all) return false;
  const char next = window.size() < 2 ? ' ' : window[1];
  size_t from = 2;  // Where the end may be.
  if (next == '!') {
    constexpr std::string_view kComment = "<!--", kCdata = "<![CDATA[";
    const std::string_view begin =
        Slice(window, 0, std::min(kCdata.size(), window.size()));
    const auto may_be = [&](std::string_view mark) {
      return mark.starts_with(
                 Slice(begin, 0, std::min(mark.size(), begin.size()))) &&
             begin.size() < mark.size() && !all;
    };
    if (may_be(kComment) || may_be(kCdata)) return false;
    inside_ = begin.starts_with(kComment) ? Inside::kComment
              : begin == kCdata           ? Inside::kCdata
                                          : Inside::kBogus;
    // "<!-->" and "<!--->" are whole.
    if (inside_ == Inside::kCdata) from = kCdata.size();
  } else if (next == '?') {
    inside_ = Inside::kBogus;
  } else if (next == '/') {
    if (window.size() < 3 && !all) return false;
    inside_ = window.size() > 2 && IsAsciiLetter(window[2]) ? Inside::kTag
                                                            : Inside::kBogus;
  } else if (IsAsciiLetter(next)) {
    inside_ = Inside::kTag;
  } else {
    *out = {.kind = HtmlToken::Kind::kText, .bytes = Slice(window, 0, 1)};
    return true;
  }
  tag_ = Tag::kName;
  const bool is_tag = inside_ == Inside::kTag;
  const std::string_view name = is_tag ? NameIn(window) : std::string_view();
  const bool opens = is_tag && next != '/';
  raw_after_ = opens ? RawTextElement(name) : nullptr;
  from = std::min(from, window.size());
  const size_t found = FindEnd(From(window, from));
  out->name = name;
  out->opens = opens;
  if (found > 0) {
    inside_ = Inside::kNothing;
    raw_ = raw_after_;
    out->bytes = Slice(window, 0, from + found);
    out->kind = !is_tag ? HtmlToken::Kind::kOther
                : opens ? HtmlToken::Kind::kOpen
                        : HtmlToken::Kind::kClose;
    return true;
  }
  if (!all) {
    inside_ = Inside::kNothing;
    return false;
  }
  const size_t bytes = WholeBytes(window);
  out->bytes = Slice(window, 0, bytes > 0 ? bytes : window.size());
  out->kind = HtmlToken::Kind::kPiece;
  return true;
}

bool HtmlScanner::ScanReference(std::string_view window, bool all,
                                HtmlToken* out) {
  const CharacterReference found = ReadCharacterReference(window, all);
  if (found.incomplete) return false;
  if (found.bytes == 0) {
    *out = {.kind = HtmlToken::Kind::kText, .bytes = Slice(window, 0, 1)};
    return true;
  }
  *out = {.kind = HtmlToken::Kind::kReference,
          .bytes = Slice(window, 0, found.bytes),
          .name = {},
          .code_point = found.code_point};
  return true;
}

// What is inside a script or the like, up to its end tag.
bool HtmlScanner::ScanRawText(std::string_view window, bool all,
                              HtmlToken* out) {
  const std::string_view name = raw_;
  size_t at = 0;
  for (;; ++at) {
    at = window.find('<', at);
    if (at == window.npos) at = window.size();
    const std::string_view rest = From(window, at);
    if (rest.size() < name.size() + 3) {
      // Perhaps the beginning of the end tag.
      if (all) at = window.size();
      break;
    }
    const char after = rest[name.size() + 2];
    if (rest[1] == '/' && SameName(Slice(rest, 2, name.size()), name) &&
        (IsHtmlSpace(after) || after == '/' || after == '>')) {
      raw_ = nullptr;
      if (at == 0) return ScanMarkup(window, all, out);
      break;
    }
  }
  *out = {.kind = HtmlToken::Kind::kPiece, .bytes = Slice(window, 0, at)};
  return at > 0;
}

bool HtmlScanner::Next(std::string_view window, bool all, HtmlToken* out) {
  *out = {};
  if (window.empty()) {
    return false;
  }
  if (inside_ != Inside::kNothing) {
    const size_t found = FindEnd(window);
    if (found > 0) {
      inside_ = Inside::kNothing;
      raw_ = raw_after_;
    } else if (WholeBytes(window) == 0 && !all) {
      return false;
    }
    const size_t bytes = found > 0 ? found : WholeBytes(window);
    *out = {.kind = HtmlToken::Kind::kPiece,
            .bytes = Slice(window, 0, bytes > 0 ? bytes : window.size())};
    return true;
  }
  if (raw_ != nullptr) return ScanRawText(window, all, out);
  if (window[0] == '<') return ScanMarkup(window, all, out);
  if (window[0] == '&') return ScanReference(window, all, out);
  const size_t end = std::min(window.find('<'), window.find('&'));
  *out = {.kind = HtmlToken::Kind::kText,
          .bytes = Slice(window, 0, std::min(end, window.size()))};
  return true;
}

}  // namespace latimer
