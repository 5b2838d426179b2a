#include "markup/html_names.h"

#include <algorithm>
#include <cstddef>

#include "markup/words.h"
#include "text/slice.h"

namespace latimer {
namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

template <size_t kCount>
bool Contains(const char* const (&names)[kCount], std::string_view name) {
  return std::any_of(names, names + kCount, [name](const char* other) {
    return SameName(name, other);
  });
}

constexpr const char* kInline[] = {
    "a",    "abbr",   "acronym", "b",   "bdi",  "bdo",  "big", "cite",
    "data", "del",    "dfn",     "em",  "font", "i",    "ins", "label",
    "mark", "nobr",   "output",  "q",   "rb",   "ruby", "s",   "small",
    "span", "strike", "strong",  "sub", "sup",  "time", "u"};
constexpr const char* kInlineVoid[] = {"img", "input", "wbr"};
constexpr const char* kInlineOpaque[] = {
    "code",   "kbd",   "math", "rp", "rt",  "rtc",     "samp",
    "script", "style", "svg",  "tt", "var", "template"};
constexpr const char* kBlockOpaque[] = {
    "pre",    "textarea", "xmp",   "iframe", "noembed", "noframes",
    "object", "audio",    "video", "canvas", "listing"};
constexpr const char* kVoid[] = {
    "area",  "base",  "basefont", "bgsound", "br",    "col",
    "embed", "frame", "hr",       "img",     "input", "keygen",
    "link",  "meta",  "param",    "source",  "track", "wbr"};
constexpr const char* kRawText[] = {"script", "style",   "textarea", "xmp",
                                    "iframe", "noembed", "noframes"};

// The attributes of an open tag, one after another.
class Attributes {
 public:
  explicit Attributes(std::string_view tag) : rest_(tag) {
    while (!rest_.empty() && !IsHtmlSpace(rest_[0]) && rest_[0] != '/') Skip(1);
  }

  bool Next(std::string_view* name, std::string_view* value) {
    while (!rest_.empty() && (IsHtmlSpace(rest_[0]) || rest_[0] == '/'))
      Skip(1);
    if (rest_.empty() || rest_[0] == '>') return false;
    const auto ends_name = [](char c) {
      return IsHtmlSpace(c) || c == '/' || c == '>' || c == '=';
    };
    *name = Take(1, ends_name);
    SkipSpace();
    *value = {};
    if (!rest_.starts_with('=')) return true;
    Skip(1);
    SkipSpace();
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      const char quote = rest_[0];
      Skip(1);
      *value = Take(0, [quote](char c) { return c == quote; });
      Skip(1);
    } else {
      *value = Take(0, [](char c) { return IsHtmlSpace(c) || c == '>'; });
    }
    return true;
  }

 private:
  void Skip(size_t bytes) {
    rest_ = From(rest_, std::min(bytes, rest_.size()));
  }
  void SkipSpace() {
    while (!rest_.empty() && IsHtmlSpace(rest_[0])) Skip(1);
  }
  // The bytes up to one that ends them, from number `least` on.
  template <typename Ends>
  std::string_view Take(size_t least, const Ends& ends) {
    size_t bytes = std::min(least, rest_.size());
    while (bytes < rest_.size() && !ends(rest_[bytes])) ++bytes;
    const std::string_view taken = Slice(rest_, 0, bytes);
    Skip(bytes);
    return taken;
  }

  std::string_view rest_;
};

// Whether `word` is one of the words of a list with white space between them.
bool HasWord(std::string_view list, std::string_view word) {
  for (size_t begin = 0; begin < list.size();) {
    size_t end = begin;
    while (end < list.size() && !IsHtmlSpace(list[end])) ++end;
    if (SameName(Slice(list, begin, end - begin), word)) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

bool SameName(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

uint32_t HashOfName(std::string_view name) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(Lower(c))) * 16777619u;
  }
  return hash;
}

ElementKind KindOfElement(std::string_view name) {
  if (Contains(kInline, name)) return ElementKind::kInline;
  if (Contains(kInlineVoid, name)) return ElementKind::kInlineVoid;
  if (Contains(kInlineOpaque, name)) return ElementKind::kInlineOpaque;
  if (Contains(kBlockOpaque, name)) return ElementKind::kBlockOpaque;
  return ElementKind::kBlock;
}

bool IsVoidElement(std::string_view name) { return Contains(kVoid, name); }

const char* RawTextElement(std::string_view name) {
  for (const char* raw : kRawText) {
    if (SameName(name, raw)) return raw;
  }
  return nullptr;
}

bool ForbidsTranslation(std::string_view tag) {
  Attributes attributes(tag);
  std::string_view name, value;
  while (attributes.Next(&name, &value)) {
    if (SameName(name, "translate") && SameName(value, "no")) return true;
    if (SameName(name, "class") && HasWord(value, "notranslate")) return true;
  }
  return false;
}

}  // namespace latimer
