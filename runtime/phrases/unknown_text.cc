#include "phrases/unknown_text.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "text/ascii.h"
#include "text/grapheme.h"
#include "text/slice.h"
#include "text/tokenize.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// First and last characters of blocks beyond ASCII that have no letters:
// punctuation, symbols, emoji, characters of no standard.
constexpr struct {
  uint32_t first, last;
} kWithoutLetters[] = {
    {0x80, 0xA9},       {0xAB, 0xB4},       {0xB6, 0xB9},     {0xBB, 0xBF},
    {0xD7, 0xD7},       {0xF7, 0xF7},       {0x2000, 0x20FF}, {0x2150, 0x215F},
    {0x2190, 0x2BFF},   {0x2E00, 0x2E7F},   {0x3000, 0x3004}, {0x3008, 0x3020},
    {0x3030, 0x3030},   {0x303D, 0x303F},   {0xE000, 0xF8FF}, {0xFE10, 0xFE6F},
    {0xFF00, 0xFF20},   {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF},
    {0x1F000, 0x1FAFF}, {0xF0000, 0x10FFFF}};

bool HasUnknown(const TokenizerView& view, std::span<const int32_t> ids) {
  return std::ranges::find(ids, view.unknown_id) != ids.end();
}

// Whether nothing becomes text again of the tokenizer's unknown token. With
// words, what is unknown has a meaning of its own; with characters, it is what
// the model has learnt; with bytes nothing is unknown.
bool LosesUnknown(const TokenizerView& view) {
  const bool of_pieces = view.segmentation == Segmentation::kUnigram ||
                         view.segmentation == Segmentation::kBpe;
  return of_pieces && view.byte_ids.empty();
}

}  // namespace

bool HasLostUnknown(const TokenizerView& view, std::span<const int32_t> ids) {
  return LosesUnknown(view) && HasUnknown(view, ids);
}

bool IsUnknownCluster(const TokenizerView& view,
                      const TokenizerScratch& scratch,
                      std::string_view cluster) {
  const Utf8Char first = FirstChar(cluster);
  if (!LosesUnknown(view) || first.bytes == 0 ||
      IsAttachedCharacter(first.code_point))
    return false;
  int32_t ids[64];
  const std::optional<size_t> count = Tokenize(view, cluster, scratch, ids);
  return count.has_value() && *count <= std::size(ids) &&
         HasUnknown(view, std::span(ids).first(*count));
}

bool IsLetter(uint32_t c) {
  if (c < 0x80) return IsAsciiLetter(static_cast<char>(c));
  return !IsAttachedCharacter(c) &&
         std::ranges::none_of(kWithoutLetters, [c](const auto& block) {
           return c >= block.first && c <= block.last;
         });
}

bool HasNothingToTranslate(const TokenizerView& view,
                           const TokenizerScratch& scratch,
                           std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = GraphemeBytes(text, at);
    if (bytes == 0) return false;  // Not UTF-8.
    const std::string_view cluster = Slice(text, at, bytes);
    if (IsLetter(FirstChar(cluster).code_point) &&
        !IsUnknownCluster(view, scratch, cluster)) {
      return false;
    }
    at += bytes;
  }
  return true;
}

}  // namespace latimer
