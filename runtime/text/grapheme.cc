#include "text/grapheme.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "text/grapheme_table.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// In the order of tests/reference/make_grapheme_table.py.
enum class GraphemeClass : uint8_t {
  kOther,
  kControl,
  kExtend,
  kJoiner,  // U+200D
  kSpacingMark,
  kPrepend,
  kRegional,  // Half of a flag.
  kPictograph,
  kLinker,  // A virama that joins two consonants.
  kConsonant,
};

GraphemeClass GraphemeClassOf(uint32_t c) {
  const auto* const next = std::upper_bound(
      std::begin(kGraphemeBreaks), std::end(kGraphemeBreaks), c << 8 | 0xFF);
  return next == std::begin(kGraphemeBreaks)
             ? GraphemeClass::kOther
             : static_cast<GraphemeClass>(next[-1] & 0xFF);
}

// What of the characters before decides whether a cluster goes on.
class GraphemeCluster {
 public:
  explicit GraphemeCluster(GraphemeClass first) { Add(first); }

  // Rules GB3 to GB13, without those of Hangul.
  bool Takes(GraphemeClass next) const {
    if (last_ == GraphemeClass::kControl || next == GraphemeClass::kControl) {
      return false;
    }
    switch (next) {
      case GraphemeClass::kExtend:
      case GraphemeClass::kJoiner:
      case GraphemeClass::kSpacingMark:
      case GraphemeClass::kLinker:
        return true;
      case GraphemeClass::kPictograph:
        return last_ == GraphemeClass::kPrepend ||
               (last_ == GraphemeClass::kJoiner && is_picture_);
      case GraphemeClass::kRegional:
        return last_ == GraphemeClass::kPrepend ||
               (last_ == GraphemeClass::kRegional && flag_halves_ % 2 == 1);
      case GraphemeClass::kConsonant:
        return last_ == GraphemeClass::kPrepend || is_linked_;
      default:
        return last_ == GraphemeClass::kPrepend;
    }
  }

  void Add(GraphemeClass c) {
    const bool attaches = c == GraphemeClass::kExtend ||
                          c == GraphemeClass::kJoiner ||
                          c == GraphemeClass::kLinker;
    flag_halves_ = c == GraphemeClass::kRegional ? flag_halves_ + 1 : 0;
    if (c == GraphemeClass::kPictograph) {
      is_picture_ = true;
    } else if (!attaches) {
      is_picture_ = false;
    }
    if (c == GraphemeClass::kConsonant) {
      has_consonant_ = true;
      is_linked_ = false;
    } else if (!attaches) {
      has_consonant_ = is_linked_ = false;
    } else if (c == GraphemeClass::kLinker) {
      is_linked_ = has_consonant_;
    }
    last_ = c;
  }

 private:
  GraphemeClass last_ = GraphemeClass::kOther;
  size_t flag_halves_ = 0;
  bool is_picture_ = false;     // A pictograph, and what extends it.
  bool has_consonant_ = false;  // A consonant, and what extends it.
  bool is_linked_ = false;      // With a linker.
};

}  // namespace

size_t GraphemeBytes(std::string_view text, size_t at) {
  const Utf8Char first = FirstChar(From(text, at));
  size_t bytes = first.bytes;
  if (bytes == 0) return 0;
  if (first.code_point == '\r' && From(text, at + bytes).starts_with('\n')) {
    return bytes + 1;
  }
  GraphemeCluster cluster(GraphemeClassOf(first.code_point));
  for (;;) {
    const Utf8Char next = FirstChar(From(text, at + bytes));
    if (next.bytes == 0) return bytes;
    const GraphemeClass c = GraphemeClassOf(next.code_point);
    if (!cluster.Takes(c)) return bytes;
    cluster.Add(c);
    bytes += next.bytes;
  }
}

bool IsAttachedCharacter(uint32_t c) {
  switch (GraphemeClassOf(c)) {
    case GraphemeClass::kExtend:
    case GraphemeClass::kJoiner:
    case GraphemeClass::kSpacingMark:
    case GraphemeClass::kLinker:
      return true;
    case GraphemeClass::kControl:
      return c >= 0x80;  // Directions and other invisible characters.
    default:
      return false;
  }
}

}  // namespace latimer
