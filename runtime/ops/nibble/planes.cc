#include "ops/nibble/planes.h"

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/cpu.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// Defined where LATIMER_KERNELS_NIBBLE_<ISA> is, by dot_isa.cc.
namespace sse41 {
extern const NibbleKernels kNibbleKernels;
}
namespace avx2 {
extern const NibbleKernels kNibbleKernels;
}
namespace avx512vnni {
extern const NibbleKernels kNibbleKernels;
}
namespace neon {
extern const NibbleKernels kNibbleKernels;
}
namespace dotprod {
extern const NibbleKernels kNibbleKernels;
}
namespace scalar {
extern const NibbleKernels kNibbleKernels;
}

const NibbleKernels* SelectNibbleKernels(
    [[maybe_unused]] const CpuFeatures& features) {
#ifdef LATIMER_KERNELS_NIBBLE_AVX512VNNI
  if (features.avx512vnni) return &avx512vnni::kNibbleKernels;
#endif
#ifdef LATIMER_KERNELS_NIBBLE_AVX2
  if (features.avx2) return &avx2::kNibbleKernels;
#endif
#ifdef LATIMER_KERNELS_NIBBLE_SSE41
  if (features.sse41) return &sse41::kNibbleKernels;
#endif
#ifdef LATIMER_KERNELS_NIBBLE_DOTPROD
  if (features.dotprod) return &dotprod::kNibbleKernels;
#endif
#ifdef LATIMER_KERNELS_NIBBLE_NEON
  if (features.neon) return &neon::kNibbleKernels;
#endif
#ifdef LATIMER_KERNELS_NIBBLE_SCALAR
  if (features.scalar) return &scalar::kNibbleKernels;
#endif
  return nullptr;
}

NibbleProduct MakeNibbleProduct(const PackedMatrix& w, const float* bias,
                                const int8_t* q, int32_t zero_point,
                                float scale) {
  LATIMER_DCHECK(FitsNibblePlanes(w.k));
  const auto* data = reinterpret_cast<const uint8_t*>(w.data);
  int32_t sum = 0;
  uint32_t squares = 0;  // At most k * 255^2, which fits.
  for (uint32_t i = 0; i < w.k; ++i) {
    const int32_t x = q[i] - zero_point;
    sum += x;
    squares += static_cast<uint32_t>(x * x);
  }
  // Conversion, root and product, here, and the product with a row's norm round
  // four times, each by at most 2^-24 of the result; 2^-20 more covers them.
  const float norm = std::sqrt(static_cast<float>(squares)) * (1 + 0x1p-20f);
  return {.blocks = data,
          .low = data + NibbleBlockBytes(w.n, w.k),
          .bias = bias,
          .n = w.n,
          .k = w.k,
          .q = q,
          .zero_point = zero_point,
          .scale = scale,
          .sum = sum,
          .norm = norm};
}

void UnpackNibbleRow(const PackedMatrix& w, uint32_t channel, float* out) {
  LATIMER_DCHECK(channel < w.n);
  const size_t row_bytes = w.k / 2;
  const auto* data = reinterpret_cast<const uint8_t*>(w.data);
  const size_t lane = channel % kNibbleBlockRows;
  const uint8_t* block =
      data + channel / kNibbleBlockRows *
                 (kNibbleBlockRows * row_bytes + kNibbleConstantBytes);
  const uint8_t* high = block + lane * row_bytes;
  const uint8_t* low = data + NibbleBlockBytes(w.n, w.k) + channel * row_bytes;
  float scale;
  std::memcpy(&scale,
              block + kNibbleBlockRows * row_bytes + lane * sizeof(float),
              sizeof(scale));
  constexpr size_t kHalf = kNibbleInputs / 2;
  for (size_t i = 0; i < row_bytes; ++i) {
    float* inputs = out + i / kHalf * kNibbleInputs + i % kHalf;
    const int first = 16 * (high[i] & 15) + (low[i] & 15) - 128;
    const int second = 16 * (high[i] >> 4) + (low[i] >> 4) - 128;
    inputs[0] = static_cast<float>(first) * scale;
    inputs[kHalf] = static_cast<float>(second) * scale;
  }
}

}  // namespace latimer
