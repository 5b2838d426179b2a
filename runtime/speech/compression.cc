#include "speech/compression.h"

#include <algorithm>
#include <bit>

#include "search/log_probability.h"

namespace latimer {
namespace {

// Of DEFLATE (RFC 1951).
constexpr size_t kLeastMatch = 3;
constexpr size_t kMostMatch = 258;
constexpr size_t kEndOfBlock = 256;
// A match that is as long as this is taken at once, as by zlib.
constexpr size_t kGoodMatch = 16;
constexpr size_t kWindow = 2048;
// zlib's header and checksum.
constexpr double kFrameBytes = 6;
// Of what precedes the codes of both alphabets.
constexpr double kDescriptionBits = 90;

struct TextMatch {
  size_t bytes = 0;
  size_t distance = 0;
};

TextMatch FindTextMatch(std::string_view text, size_t at) {
  TextMatch best;
  const size_t most = std::min(kMostMatch, text.size() - at);
  for (size_t distance = 1; distance <= std::min(at, kWindow); ++distance) {
    const char* const before = text.data() + at - distance;
    const char* const here = text.data() + at;
    // A longer one has this byte.
    if (best.bytes >= most) break;
    if (before[best.bytes] != here[best.bytes]) continue;
    size_t bytes = 0;
    while (bytes < most && before[bytes] == here[bytes]) ++bytes;
    if (bytes >= kLeastMatch && bytes > best.bytes) best = {bytes, distance};
  }
  return best;
}

// A class of lengths or distances, and the bits that follow its code. Each
// power of two has 2^`steps` classes.
struct DeflateCode {
  size_t index;
  size_t extra_bits;
};
DeflateCode DeflateCodeOf(size_t value, size_t steps) {
  const auto width = static_cast<size_t>(std::bit_width(value));
  if (width <= steps + 1) return {value, 0};
  const size_t extra = width - steps - 1;
  return {(extra << steps) + (value >> extra), extra};
}

// Bits of the codes of symbols with these counts, if each has a code of its
// entropy, and of a description of the codes.
template <size_t N>
double EntropyBits(const uint32_t (&counts)[N]) {
  constexpr double kDescription = 5.5;  // Of a symbol, zlib's on average.
  double all = 0;
  for (const uint32_t count : counts) all += count;
  double bits = 0;
  for (const uint32_t count : counts) {
    if (count == 0) continue;
    bits += count * (Log(all) - Log(count)) / 0.6931471805599453;
    bits += kDescription;
  }
  return bits;
}

// Bits of DEFLATE's fixed codes.
double FixedBits(const CompressionScratch& counts) {
  double bits = 0;
  for (size_t i = 0; i < std::size(counts.symbols); ++i) {
    const double length = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    bits += length * counts.symbols[i];
  }
  for (const uint32_t count : counts.distances) bits += 5.0 * count;
  return bits;
}

}  // namespace

float CompressionRatio(std::string_view text, CompressionScratch* scratch) {
  if (text.empty()) return 0.0f;
  *scratch = {};
  double extra_bits = 0;
  TextMatch match = FindTextMatch(text, 0);
  for (size_t at = 0; at < text.size();) {
    TextMatch next;
    if (match.bytes < kGoodMatch && at + 1 < text.size()) {
      next = FindTextMatch(text, at + 1);
    }
    if (match.bytes == 0 || next.bytes > match.bytes) {
      ++scratch->symbols[static_cast<unsigned char>(text[at])];
      ++at;
      match = next;
      continue;
    }
    const DeflateCode length = DeflateCodeOf(match.bytes - kLeastMatch, 2);
    const DeflateCode distance = DeflateCodeOf(match.distance - 1, 1);
    const bool longest = match.bytes == kMostMatch;
    ++scratch->symbols[longest ? 285 : 257 + length.index];
    ++scratch->distances[distance.index];
    extra_bits += static_cast<double>((longest ? 0 : length.extra_bits) +
                                      distance.extra_bits);
    at += match.bytes;
    match = at < text.size() ? FindTextMatch(text, at) : TextMatch();
  }
  ++scratch->symbols[kEndOfBlock];
  const double coded = std::min(
      FixedBits(*scratch), kDescriptionBits + EntropyBits(scratch->symbols) +
                               EntropyBits(scratch->distances));
  const double bytes = kFrameBytes + (3 + coded + extra_bits) / 8;
  return static_cast<float>(static_cast<double>(text.size()) / bytes);
}

}  // namespace latimer
