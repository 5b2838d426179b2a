#include "phrases/unknown_text.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "text/ascii.h"
#include "text/slice.h"
#include "text/tokenize.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Characters that show nothing by themselves: marks, joiners, invisible ones.
bool IsAttached(uint32_t c) {
  return c == 0xAD || (c >= 0x300 && c <= 0x36F) ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || (c >= 0x20D0 && c <= 0x20FF) ||
         (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF ||
         (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0000 && c <= 0xE01EF);
}

// Neither letters nor digits: of ASCII, of Latin-1, general ones, those of East
// Asian scripts and of full width.
bool IsMark(uint32_t c) {
  if (c < 0x80) return !IsAsciiAlnum(static_cast<char>(c));
  return c < 0xC0 || (c >= 0x2000 && c < 0x2070) ||
         (c >= 0x3000 && c < 0x3040) || (c >= 0xFF00 && c < 0xFF10) ||
         (c >= 0xFF1A && c < 0xFF21);
}

bool HasUnknown(const TokenizerView& view, std::span<const int32_t> ids) {
  return std::ranges::find(ids, view.unknown_id) != ids.end();
}

}  // namespace

bool HasLostUnknown(const TokenizerView& view, std::span<const int32_t> ids) {
  const bool of_pieces = view.segmentation == Segmentation::kUnigram ||
                         view.segmentation == Segmentation::kBpe;
  return of_pieces && view.byte_ids.empty() && HasUnknown(view, ids);
}

size_t ClusterBytes(std::string_view text, size_t at) {
  constexpr uint32_t kJoiner = 0x200D, kFirstSymbol = 0x2070;
  Utf8Char last = FirstChar(From(text, at));
  size_t bytes = last.bytes;
  if (last.code_point < kFirstSymbol) return bytes;
  for (;;) {
    const Utf8Char next = FirstChar(From(text, at + bytes));
    if (next.bytes == 0 ||
        (!IsAttached(next.code_point) &&
         (last.code_point != kJoiner || next.code_point < kFirstSymbol))) {
      return bytes;
    }
    bytes += next.bytes;
    last = next;
  }
}

bool IsUnknownCluster(const TokenizerView& view,
                      const TokenizerScratch& scratch,
                      std::string_view cluster) {
  const Utf8Char first = FirstChar(cluster);
  if (first.bytes == 0 || IsAttached(first.code_point)) return false;
  int32_t ids[64];
  const std::optional<size_t> count = Tokenize(view, cluster, scratch, ids);
  return count.has_value() && *count <= std::size(ids) &&
         HasUnknown(view, std::span(ids).first(*count));
}

bool IsAllUnknown(const TokenizerView& view, const TokenizerScratch& scratch,
                  std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = ClusterBytes(text, at);
    const std::string_view cluster = Slice(text, at, bytes);
    const uint32_t c = FirstChar(cluster).code_point;
    if (!IsMark(c) && !IsAttached(c) &&
        !IsUnknownCluster(view, scratch, cluster)) {
      return false;
    }
    at += std::max<size_t>(1, bytes);
  }
  return true;
}

}  // namespace latimer
