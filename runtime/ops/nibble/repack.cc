#include "ops/nibble/repack.h"

#include <cstring>

#include "base/check.h"
#include "ops/nibble/planes.h"

namespace latimer {
namespace {

// Inputs that are put together at a time: the group of any tile divides it.
constexpr size_t kStep = sizeof(uint64_t);
constexpr uint64_t kLowNibbles = 0x0F0F0F0F0F0F0F0Fu;
constexpr uint64_t kOffsets = 0x8080808080808080u;  // 128 in each byte.

// Writes inputs [input, input + 8) of a channel to where UnpackRow finds them.
template <size_t kKr>
void Place(uint64_t inputs, size_t input, const TileShape& shape, size_t lane,
           std::byte* weights) {
  const size_t group = kKr * shape.sr;
  const auto* bytes = reinterpret_cast<const std::byte*>(&inputs);
  for (size_t i = 0; i < kStep; i += kKr) {
    const size_t start =
        input + i / group * group + ((i - lane * kKr) & (group - 1));
    std::memcpy(weights + start * shape.nr + lane * kKr, bytes + i, kKr);
  }
}

// How far ahead of the reading the memory is asked for, as the bounds do.
constexpr size_t kPrefetchBytes = 4096;

template <size_t kKr>
void RepackRow(const uint8_t* high, const uint8_t* low, size_t k,
               const TileShape& shape, size_t lane, std::byte* weights) {
  constexpr size_t kHalf = kNibbleInputs / 2;
  for (size_t input = 0; input < k; input += kNibbleInputs) {
    __builtin_prefetch(high + kPrefetchBytes);
    __builtin_prefetch(low + kPrefetchBytes);
    for (size_t i = 0; i < kHalf; i += kStep) {
      uint64_t h, l;
      std::memcpy(&h, high + i, kStep);
      std::memcpy(&l, low + i, kStep);
      // 16 h + l - 128.
      Place<kKr>((((h & kLowNibbles) << 4) | (l & kLowNibbles)) ^ kOffsets,
                 input + i, shape, lane, weights);
      Place<kKr>(((h & ~kLowNibbles) | ((l >> 4) & kLowNibbles)) ^ kOffsets,
                 input + kHalf + i, shape, lane, weights);
    }
    high += kHalf;
    low += kHalf;
  }
}

}  // namespace

void RepackNibbles(const PackedMatrix& w, Tile tile, uint32_t begin,
                   uint32_t end, std::byte* out) {
  const TileShape shape = ShapeOf(tile);
  LATIMER_DCHECK(begin % kNibbleBlockRows == 0 &&
                 kNibbleBlockRows % shape.nr == 0 && end <= w.n);
  const size_t k = w.k;
  const size_t row_bytes = k / 2;
  const size_t nibbles = kNibbleBlockRows * row_bytes;
  const auto* data = reinterpret_cast<const uint8_t*>(w.data);
  const uint8_t* low = data + NibbleBlockBytes(w.n, k);
  for (uint32_t first = begin; first < end; first += shape.nr) {
    const uint8_t* block =
        data + first / kNibbleBlockRows * (nibbles + kNibbleConstantBytes);
    // Scales, norms, sums of high and of low nibbles.
    const uint8_t* constants = block + nibbles;
    auto* sums = out;
    auto* weights = sums + shape.nr * sizeof(int32_t);
    auto* scales = weights + k * shape.nr;
    auto* biases = scales + shape.nr * sizeof(float);
    for (size_t lane = 0; lane < shape.nr; ++lane) {
      const size_t row = first % kNibbleBlockRows + lane;
      int32_t high_sum, low_sum;
      std::memcpy(&high_sum, constants + (2 * kNibbleBlockRows + row) * 4, 4);
      std::memcpy(&low_sum, constants + (3 * kNibbleBlockRows + row) * 4, 4);
      // A file that lies about its sums may overflow, which wraps.
      const uint32_t sum = 16 * static_cast<uint32_t>(high_sum) +
                           static_cast<uint32_t>(low_sum) -
                           128 * static_cast<uint32_t>(k);
      const uint32_t negative = 0 - sum;
      std::memcpy(sums + lane * sizeof(negative), &negative, sizeof(negative));
      std::memcpy(scales + lane * sizeof(float), constants + row * 4,
                  sizeof(float));
      const uint8_t* h = block + row * row_bytes;
      const uint8_t* l = low + (first + lane) * row_bytes;
      switch (shape.kr) {
        case 8:
          RepackRow<8>(h, l, k, shape, lane, weights);
          break;
        case 4:
          RepackRow<4>(h, l, k, shape, lane, weights);
          break;
        case 2:
          RepackRow<2>(h, l, k, shape, lane, weights);
          break;
        default:
          RepackRow<1>(h, l, k, shape, lane, weights);
          break;
      }
    }
    std::memset(biases, 0, shape.nr * sizeof(float));
    out = biases + shape.nr * sizeof(float);
  }
}

}  // namespace latimer
