#include "ops/xnnpack/pack.h"

#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/half.h"
#include "xnnpack/microparams-init.h"
#include "xnnpack/pack.h"

namespace latimer {

// xnn_pack_qs8_weights_and_biases() in XNNPACK's src/reference/packing.cc, as
// the operator fully_connected_nc_qd8_f32_qc8w calls it.
void PackInt8(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out) {
  LATIMER_CHECK(WeightTypeOf(tile) == WeightType::kInt8 && n > 0 && k > 0);
  std::memset(out, 0, PackedBytes(WeightType::kInt8, tile, n, k));
  const TileShape shape = ShapeOf(tile);
  const size_t inputs = PackedInputs(WeightType::kInt8, tile, k);
  const size_t block_bytes = PackedBlockBytes(WeightType::kInt8, tile, k);
  // The kernels add zero_point * (-sum of weights) to their sums.
  const xnn_qs8_packing_params packing = {.input_zero_point = 1};
  const size_t scale_and_bias_bytes = shape.nr * 2 * sizeof(float);
  xnn_pack_qs8_gemm_goi_w(/*g=*/1, n, k, shape.nr, shape.kr, shape.sr, weights,
                          /*b=*/nullptr, /*scale=*/nullptr, out,
                          scale_and_bias_bytes, &packing);
  std::byte* scales = out + shape.nr * (sizeof(int32_t) + inputs);
  xnn_init_qs8_qc8w_scale_fp32_params(n, shape.nr, shape.nr, block_bytes,
                                      block_bytes, 0, scale, scales);
}

// xnn_pack_qs8_qc4w_weights_and_biases(), as the operator
// fully_connected_nc_qd8_f32_qc4w calls it.
void PackInt4(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out) {
  LATIMER_CHECK(WeightTypeOf(tile) == WeightType::kInt8 && n > 0 && k > 0);
  std::memset(out, 0, PackedBytes(WeightType::kInt4, tile, n, k));
  const TileShape shape = Int4ShapeOf(tile);
  const size_t inputs = PackedInputs(WeightType::kInt4, tile, k);
  const size_t block_bytes = PackedBlockBytes(WeightType::kInt4, tile, k);
  // What the packer reads: weight + 8, the first of two in the low nibble.
  constexpr uint8_t kZero = 8;
  std::vector<uint8_t> nibbles((n * k + 1) / 2);
  for (size_t i = 0; i < n * k; ++i) {
    const auto nibble = static_cast<uint8_t>(weights[i] + kZero);
    nibbles[i / 2] |= static_cast<uint8_t>(i % 2 == 0 ? nibble : nibble << 4);
  }
  // As in PackInt8; the kernels shift the factor of 16 of their sums away.
  const xnn_qs8_qc4w_packing_params packing = {.input_zero_point = 1,
                                               .kernel_zero_point = kZero};
  const size_t scale_and_bias_bytes = shape.nr * 2 * sizeof(float);
  xnn_pack_qs8_qc4w_gemm_goi_w(/*g=*/1, n, k, shape.nr, shape.kr, shape.sr,
                               nibbles.data(), /*b=*/nullptr,
                               /*scale=*/nullptr, out, scale_and_bias_bytes,
                               &packing);
  std::byte* scales = out + shape.nr * (sizeof(int32_t) + inputs / 2);
  xnn_init_qs8_qc8w_scale_fp32_params(n, shape.nr, shape.nr, block_bytes,
                                      block_bytes, 0, scale, scales);
}

void PackF32(Tile tile, size_t n, size_t k, const float* weights,
             std::byte* out) {
  LATIMER_CHECK(WeightTypeOf(tile) == WeightType::kF32 && n > 0 && k > 0);
  std::memset(out, 0, PackedBytes(WeightType::kF32, tile, n, k));
  const TileShape shape = ShapeOf(tile);
  xnn_pack_f32_gemm_goi_w(/*g=*/1, n, k, shape.nr, shape.kr, shape.sr, weights,
                          /*b=*/nullptr, /*scale=*/nullptr,
                          reinterpret_cast<float*>(out), /*extra_bytes=*/0,
                          /*params=*/nullptr);
}

void PackF16(size_t n, size_t k, const float* weights, std::byte* out) {
  LATIMER_CHECK(n > 0 && k > 0);
  constexpr Tile kTile = Tile::k16x1;
  std::memset(out, 0, PackedBytes(WeightType::kF16, kTile, n, k));
  const size_t nr = ShapeOf(kTile).nr;
  for (size_t channel = 0; channel < n; ++channel) {
    std::byte* lane =
        out + (channel / nr * k * nr + channel % nr) * sizeof(uint16_t);
    for (size_t i = 0; i < k; ++i) {
      const uint16_t half = FloatToHalf(weights[channel * k + i]);
      std::memcpy(lane + i * nr * sizeof(half), &half, sizeof(half));
    }
  }
}

}  // namespace latimer
