#include "text/utf8.h"

#include "text/slice.h"

namespace latimer {
namespace {

bool IsIdeographicStop(uint32_t c) {
  return IsOneOf(U"\u3002\uFF01\uFF1F\uFF61", c);
}

// The last character before closing quotes and brackets; 0 if there is none.
uint32_t LastBeforeClosing(std::string_view text) {
  Utf8Char last = LastChar(text);
  while (last.bytes > 0 && IsClosingMark(last.code_point)) {
    text.remove_suffix(last.bytes);
    last = LastChar(text);
  }
  return last.bytes > 0 ? last.code_point : 0;
}

}  // namespace

Utf8Char FirstChar(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [text](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = AnnouncedBytes(text[0]);
  if (bytes == 1 || bytes > text.size() || lead >= 0xF8) return {};
  uint32_t c = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    c = (c << 6) | (byte(i) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[bytes] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
    return {};
  }
  return {c, bytes};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = FirstChar(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

Utf8Char LastChar(std::string_view text) {
  for (size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes) {
    const char first = text[text.size() - bytes];
    if ((static_cast<unsigned char>(first) & 0xC0) == 0x80) continue;
    const Utf8Char c = FirstChar(From(text, text.size() - bytes));
    return c.bytes == bytes ? c : Utf8Char{};
  }
  return {};
}

size_t EncodeUtf8(uint32_t c, char* out) {
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

bool IsPythonSpace(uint32_t c) {
  if (c < 0x80)
    return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool IsUnicodeSpace(uint32_t c) {
  return IsPythonSpace(c) && !(c >= 0x1C && c <= 0x1F);
}

bool IsBreakingSpace(uint32_t c) {
  return IsPythonSpace(c) && c != 0xA0 && c != 0x2007 && c != 0x202F;
}

size_t LeadingSpaceBytes(std::string_view text) {
  size_t bytes = 0;
  while (true) {
    const Utf8Char c = FirstChar(From(text, bytes));
    if (c.bytes == 0 || !IsPythonSpace(c.code_point)) return bytes;
    bytes += c.bytes;
  }
}

size_t TrailingSpaceBytes(std::string_view text) {
  const size_t size = text.size();
  while (true) {
    const Utf8Char c = LastChar(text);
    if (c.bytes == 0 || !IsPythonSpace(c.code_point)) return size - text.size();
    text.remove_suffix(c.bytes);
  }
}

bool IsClosingMark(uint32_t c) {
  // Of these, \u00AB, \u2018 and \u201C close in German.
  return IsOneOf(
      U"\"')]}\u00AB\u00BB\u2018\u2019\u201C\u201D\u2039\u203A"
      U"\u300B\u300D\u300F\u3011\uFF09",
      c);
}

ClauseMark ClauseMarkOf(uint32_t c) {
  // With the Arabic and the ideographic forms.
  if (IsOneOf(U";:\u061B\uFF1A\uFF1B", c)) return ClauseMark::kClause;
  if (IsOneOf(U",\u060C\u3001\uFF0C", c)) return ClauseMark::kComma;
  return ClauseMark::kNone;
}

bool EndsSentence(std::string_view text) {
  const uint32_t c = LastBeforeClosing(text);
  return IsOneOf(U".!?\u2026", c) || IsIdeographicStop(c);
}

bool EndsIdeographicSentence(std::string_view text) {
  return IsIdeographicStop(LastBeforeClosing(text));
}

}  // namespace latimer
