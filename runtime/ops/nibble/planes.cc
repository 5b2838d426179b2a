#include "ops/nibble/planes.h"

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/cpu.h"
#include "base/isas_in_build.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

#define DECLARE_NIBBLE_KERNELS(isa)          \
  namespace isa {                            \
  extern const NibbleKernels kNibbleKernels; \
  }
LATIMER_NIBBLE_ISAS(DECLARE_NIBBLE_KERNELS)

const NibbleKernels* SelectNibbleKernels(const CpuFeatures& features) {
#define SELECT_NIBBLE_KERNELS(isa) \
  if (features.isa) return &isa::kNibbleKernels;
  LATIMER_NIBBLE_ISAS(SELECT_NIBBLE_KERNELS)
  return nullptr;
}

NibbleProduct MakeNibbleProduct(const NibbleKernels& kernels,
                                const PackedMatrix& w, const float* bias,
                                const int8_t* q, int32_t zero_point,
                                float scale) {
  LATIMER_DCHECK(FitsNibblePlanes(w.k));
  const auto* data = reinterpret_cast<const uint8_t*>(w.data);
  int32_t sum;
  uint32_t squares;
  int32_t negatives;
  kernels.measure(w.k, q, zero_point, &sum, &squares, &negatives);
  // Four operations round: the conversion, the root and the product here, and
  // the product with a row's norm. Each error is at most 2^-24 of the result;
  // 2^-20 more covers all of them.
  const float norm = std::sqrt(static_cast<float>(squares)) * (1 + 0x1p-20f);
  return {.high = data,
          .low = data + NibblePassBytes(w.n, w.k),
          .bias = bias,
          .n = w.n,
          .k = w.k,
          .q = q,
          .zero_point = zero_point,
          .scale = scale,
          .sum = sum,
          .norm = norm,
          .negatives = negatives,
          .half_low = InfoOf(w.type).bits < 8};
}

void UnpackNibbleRow(const PackedMatrix& w, uint32_t channel, float* out) {
  LATIMER_DCHECK(channel < w.n);
  constexpr size_t kLine = 4 * kNibbleBlockRows;
  const size_t block = channel / kNibbleBlockRows;
  const size_t first_byte = 4 * (channel % kNibbleBlockRows);
  const auto* data = reinterpret_cast<const uint8_t*>(w.data);
  const uint8_t* high = data + block * NibbleHighBytes(w.k) + first_byte;
  const uint32_t bits = InfoOf(w.type).bits;
  const bool half = bits < 8;
  const uint8_t* low = data + NibblePassBytes(w.n, w.k) +
                       block * NibbleLowBytes(w.k, bits) + first_byte;
  float scale;  // After the nibbles and their sums.
  std::memcpy(&scale, high + (w.k / 8 + 1) * kLine, sizeof(scale));
  for (size_t i = 0; i < w.k; i += 8, high += kLine) {
    const uint8_t* line = low + (half ? i / 16 : i / 8) * kLine;
    for (size_t b = 0; b < 4; ++b) {
      const int l = half ? line[b] << i / 8 % 2 * 2 & 0xcc : line[b];
      const int first = 16 * (high[b] & 15) + (l & 15) - 128;
      const int second = 16 * (high[b] >> 4) + (l >> 4) - 128;
      out[i + b] = static_cast<float>(first) * scale;
      out[i + 4 + b] = static_cast<float>(second) * scale;
    }
  }
}

}  // namespace latimer
