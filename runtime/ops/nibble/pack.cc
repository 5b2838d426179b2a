#include "ops/nibble/pack.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "ops/nibble/planes.h"

namespace latimer {
namespace {

// As a block has them, 16 of each.
struct Constants {
  float scale[kNibbleBlockRows];
  float norm[kNibbleBlockRows];
  int32_t high_sum[kNibbleBlockRows];
  int32_t low_sum[kNibbleBlockRows];
};
static_assert(sizeof(Constants) == kNibbleConstantBytes);

// Packs one row, whose nibbles are zero yet.
void PackRow(size_t k, const int8_t* weights, size_t lane, uint8_t* high,
             uint8_t* low, Constants* constants) {
  constexpr size_t kHalf = kNibbleInputs / 2;
  int32_t high_sum = 0, low_sum = 0;
  int64_t squares = 0;  // Of 2 l - 15.
  for (size_t i = 0; i < k; ++i) {
    const int w = weights[i] + 128;
    const int h = w >> 4, l = w & 15;
    const size_t byte = i / kNibbleInputs * kHalf + i % kHalf;
    const int shift = i % kNibbleInputs < kHalf ? 0 : 4;
    high[byte] = static_cast<uint8_t>(high[byte] | h << shift);
    low[byte] = static_cast<uint8_t>(low[byte] | l << shift);
    high_sum += h;
    low_sum += l;
    squares += (2 * l - 15) * (2 * l - 15);
  }
  constants->high_sum[lane] = high_sum;
  constants->low_sum[lane] = low_sum;
  // Up, so that it is a bound.
  const double norm = std::sqrt(static_cast<double>(squares)) / 2;
  constants->norm[lane] = std::nextafter(
      static_cast<float>(norm), std::numeric_limits<float>::infinity());
}

}  // namespace

void PackNibblePlanes(size_t n, size_t k, size_t begin, size_t rows,
                      const int8_t* weights, const float* scale,
                      std::byte* matrix) {
  LATIMER_CHECK(FitsNibblePlanes(k) && begin % kNibbleBlockRows == 0 &&
                (rows % kNibbleBlockRows == 0 || begin + rows == n));
  const size_t row_bytes = k / 2;
  const size_t nibbles = kNibbleBlockRows * row_bytes;
  auto* blocks = reinterpret_cast<uint8_t*>(matrix) +
                 begin / kNibbleBlockRows * (nibbles + kNibbleConstantBytes);
  auto* low = reinterpret_cast<uint8_t*>(matrix) + NibbleBlockBytes(n, k) +
              begin * row_bytes;
  for (size_t first = 0; first < rows; first += kNibbleBlockRows) {
    std::memset(blocks, 0, nibbles);
    std::memset(low, 0, nibbles);
    Constants constants = {};
    for (size_t i = 0; i < kNibbleBlockRows && first + i < rows; ++i) {
      constants.scale[i] = scale[first + i];
      PackRow(k, weights + (first + i) * k, i, blocks + i * row_bytes,
              low + i * row_bytes, &constants);
    }
    std::memcpy(blocks + nibbles, &constants, sizeof(constants));
    blocks += nibbles + kNibbleConstantBytes;
    low += nibbles;
  }
}

}  // namespace latimer
