#include "ops/nibble/pack.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "ops/nibble/planes.h"

namespace latimer {
namespace {

// Packs the weights of channel `channel` of a block into nibbles that are zero.
// Returns the norm.
float PackRow(size_t k, const int8_t* weights, bool half, size_t channel,
              uint8_t* high, uint8_t* low, int32_t* high_sum,
              int32_t* low_sum) {
  constexpr size_t kLine = 4 * kNibbleBlockRows;
  int64_t squares = 0;  // Of 2 l - 15.
  for (size_t i = 0; i < k; ++i) {
    const int w = weights[i] * (half ? 4 : 1) + 128;
    const int h = w >> 4, l = w & 15;
    const size_t byte = i / 8 * kLine + 4 * channel + i % 4;
    const int shift = i % 8 < 4 ? 0 : 4;
    high[byte] = static_cast<uint8_t>(high[byte] | h << shift);
    uint8_t& of_low =
        half ? low[byte / (2 * kLine) * kLine + byte % kLine] : low[byte];
    const int down = half && i / 8 % 2 == 1 ? 2 : 0;
    of_low = static_cast<uint8_t>(of_low | l << shift >> down);
    *high_sum += h;
    *low_sum += l;
    squares += (2 * l - 15) * (2 * l - 15);
  }
  // Rounded up, so that it is a bound.
  const double norm = std::sqrt(static_cast<double>(squares)) / 2;
  return std::nextafter(static_cast<float>(norm),
                        std::numeric_limits<float>::infinity());
}

}  // namespace

void PackNibblePlanes(size_t n, size_t k, size_t begin, size_t rows,
                      const int8_t* weights, const float* scale, uint32_t bits,
                      std::byte* matrix) {
  LATIMER_CHECK(FitsNibblePlanes(k) && begin % kNibbleBlockRows == 0 &&
                (rows % kNibbleBlockRows == 0 || begin + rows == n));
  const bool half = bits < 8;
  auto* bytes = reinterpret_cast<uint8_t*>(matrix);
  for (size_t first = 0; first < rows; first += kNibbleBlockRows) {
    const size_t block = (begin + first) / kNibbleBlockRows;
    uint8_t* high = bytes + block * NibbleHighBytes(k);
    uint8_t* low =
        bytes + NibblePassBytes(n, k) + block * NibbleLowBytes(k, bits);
    const size_t nibbles = kNibbleBlockRows * k / 2;
    std::memset(high, 0, nibbles);
    std::memset(low, 0, NibbleLowBytes(k, bits));
    NibbleConstants constants = {};
    int32_t low_sums[kNibbleBlockRows] = {};
    for (size_t i = 0; i < kNibbleBlockRows && first + i < rows; ++i) {
      constants.scale[i] = scale[first + i] * (half ? 0.25f : 1.0f);
      constants.norm[i] = PackRow(k, weights + (first + i) * k, half, i, high,
                                  low, &constants.sum[i], &low_sums[i]);
    }
    std::memcpy(high + nibbles, &constants, sizeof(constants));
    std::memcpy(low + NibbleLowBytes(k, bits) - sizeof(low_sums), low_sums,
                sizeof(low_sums));
  }
}

}  // namespace latimer
