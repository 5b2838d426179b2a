#include "ops/xnnpack/pack.h"

#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/half.h"
#include "xnnpack/microparams-init.h"
#include "xnnpack/pack.h"

namespace latimer {

namespace {

// What int8 and int4 matrices have in common: pack(shape, bytes) packs the sums
// and weights of each block and leaves so many bytes for the scales and the
// bias; then the scales are written.
template <typename Pack>
void PackIntegers(WeightType type, Tile tile, size_t n, size_t k,
                  const float* scale, std::byte* out, const Pack& pack) {
  LATIMER_CHECK(WeightTypeOf(tile) == WeightType::kInt8 && n > 0 && k > 0);
  std::memset(out, 0, PackedBytes(type, tile, n, k));
  const TileShape shape = ShapeOf(type, tile);
  const size_t scale_and_bias_bytes = shape.nr * 2 * sizeof(float);
  pack(shape, scale_and_bias_bytes);
  const size_t block_bytes = PackedBlockBytes(type, tile, k);
  xnn_init_qs8_qc8w_scale_fp32_params(n, shape.nr, shape.nr, block_bytes,
                                      block_bytes, 0, scale,
                                      out + block_bytes - scale_and_bias_bytes);
}

}  // namespace

// As the operator fully_connected_nc_qd8_f32_qc8w packs weights; see
// xnn_pack_qs8_weights_and_biases() in XNNPACK's src/reference/packing.cc.
void PackInt8(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out) {
  // The kernels add zero_point * (-sum of weights) to their sums.
  const xnn_qs8_packing_params packing = {.input_zero_point = 1};
  PackIntegers(WeightType::kInt8, tile, n, k, scale, out,
               [&](TileShape shape, size_t extra_bytes) {
                 xnn_pack_qs8_gemm_goi_w(/*g=*/1, n, k, shape.nr, shape.kr,
                                         shape.sr, weights, /*b=*/nullptr,
                                         /*scale=*/nullptr, out, extra_bytes,
                                         &packing);
               });
}

// As the operator fully_connected_nc_qd8_f32_qc4w packs weights; see
// xnn_pack_qs8_qc4w_weights_and_biases().
void PackInt4(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out) {
  // What the packer reads: weight + 8, the first of two in the low nibble.
  constexpr uint8_t kZero = 8;
  std::vector<uint8_t> nibbles((n * k + 1) / 2);
  for (size_t i = 0; i < n * k; ++i) {
    const auto nibble = static_cast<uint8_t>(weights[i] + kZero);
    nibbles[i / 2] |= static_cast<uint8_t>(i % 2 == 0 ? nibble : nibble << 4);
  }
  // As in PackInt8. The sums of these kernels are 16 times too large, until the
  // kernels shift them.
  const xnn_qs8_qc4w_packing_params packing = {.input_zero_point = 1,
                                               .kernel_zero_point = kZero};
  PackIntegers(WeightType::kInt4, tile, n, k, scale, out,
               [&](TileShape shape, size_t extra_bytes) {
                 xnn_pack_qs8_qc4w_gemm_goi_w(
                     /*g=*/1, n, k, shape.nr, shape.kr, shape.sr,
                     nibbles.data(), /*b=*/nullptr, /*scale=*/nullptr, out,
                     extra_bytes, &packing);
               });
}

// Block by block from the layout of int8.
void PackInt6(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out) {
  std::vector<std::byte> int8(PackedBytes(WeightType::kInt8, tile, n, k));
  PackInt8(tile, n, k, weights, scale, int8.data());
  std::memset(out, 0, PackedBytes(WeightType::kInt6, tile, n, k));
  const size_t nr = ShapeOf(tile).nr;
  const size_t sum_bytes = nr * sizeof(int32_t);
  const size_t scale_and_bias_bytes = nr * 2 * sizeof(float);
  const size_t from_bytes = PackedBlockBytes(WeightType::kInt8, tile, k);
  const size_t to_bytes = PackedBlockBytes(WeightType::kInt6, tile, k);
  const size_t count = PackedInputs(WeightType::kInt6, tile, k) * nr;
  std::vector<uint8_t> codes(count, 32);  // The padding's weights are 0.
  for (size_t block = 0; block * nr < n; ++block) {
    const std::byte* from = int8.data() + block * from_bytes;
    std::byte* to = out + block * to_bytes;
    std::memcpy(to, from, sum_bytes);
    for (size_t i = 0; i < from_bytes - sum_bytes - scale_and_bias_bytes; ++i) {
      const auto weight = static_cast<int8_t>(from[sum_bytes + i]);
      LATIMER_CHECK(weight >= -31 && weight <= 31);
      codes[i] = static_cast<uint8_t>(32 + weight);
    }
    std::byte* chunk = to + sum_bytes;
    for (size_t i = 0; i < count; ++i) {
      const size_t quarter = i / 32 % 4, j = i % 32;
      chunk[quarter / 2 * 32 + j] |=
          std::byte(codes[i] % 16 << quarter % 2 * 4);
      chunk[64 + j] |= std::byte(codes[i] / 16 << quarter * 2);
      if (i % kInt6ChunkWeights == kInt6ChunkWeights - 1) {
        chunk += kInt6ChunkBytes;
      }
    }
    std::memcpy(to + to_bytes - scale_and_bias_bytes,
                from + from_bytes - scale_and_bias_bytes, scale_and_bias_bytes);
  }
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
    std::byte* first =
        out + (channel / nr * k * nr + channel % nr) * sizeof(uint16_t);
    for (size_t i = 0; i < k; ++i) {
      const uint16_t half = FloatToHalf(weights[channel * k + i]);
      std::memcpy(first + i * nr * sizeof(half), &half, sizeof(half));
    }
  }
}

void PackMatrix(WeightType type, Tile tile, size_t n, size_t k,
                const float* weights, const int8_t* integers,
                const float* scale, std::byte* out) {
  switch (type) {
    case WeightType::kF32:
      return PackF32(tile, n, k, weights, out);
    case WeightType::kInt8:
      return PackInt8(tile, n, k, integers, scale, out);
    case WeightType::kInt4:
      return PackInt4(tile, n, k, integers, scale, out);
    case WeightType::kF16:
      return PackF16(n, k, weights, out);
    case WeightType::kInt6:
      return PackInt6(tile, n, k, integers, scale, out);
  }
}

}  // namespace latimer
