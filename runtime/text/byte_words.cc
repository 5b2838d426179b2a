#include "text/byte_words.h"

#include <algorithm>

#include "text/character_class.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

struct ClassedChar {
  CharacterClass kind;
  size_t bytes;
};

ClassedChar FirstClass(std::span<const uint32_t> classes,
                       std::string_view text) {
  const Utf8Char c = FirstChar(text);
  return {ClassOf(classes, c.code_point), std::max<size_t>(c.bytes, 1)};
}

size_t ContractionBytes(std::string_view text) {
  constexpr std::string_view kContractions[] = {"'s", "'t",  "'re", "'ve",
                                                "'m", "'ll", "'d"};
  for (const std::string_view contraction : kContractions) {
    if (text.starts_with(contraction)) return contraction.size();
  }
  return 0;
}

}  // namespace

size_t FirstByteWord(std::span<const uint32_t> classes, std::string_view text) {
  const size_t contraction = ContractionBytes(text);
  if (contraction > 0) return contraction;
  size_t end = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const CharacterClass kind = FirstClass(classes, From(text, end)).kind;
  if (kind == CharacterClass::kSpace) end = 0;
  size_t last = 0;  // Where the last character of the run begins.
  size_t count = 0;
  while (end < text.size()) {
    const ClassedChar c = FirstClass(classes, From(text, end));
    if (c.kind != kind) break;
    last = end;
    end += c.bytes;
    ++count;
  }
  // The last of several spaces belongs to what follows.
  const bool leaves_last =
      kind == CharacterClass::kSpace && count > 1 && end < text.size();
  return leaves_last ? last : end;
}

}  // namespace latimer
