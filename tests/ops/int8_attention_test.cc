// What attention in int8 needs besides its products: keys and values become
// matrices as the converter packs them, and the softmax becomes bytes. All
// tables give the same bits.
// Tests runtime/ops/int8_attention_isa.cc, runtime/ops/row_kernels_isa.cc.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/xnnpack/pack.h"
#include "tests/ops/vector_kernels_testing.h"

namespace latimer::int8_attention_test {

constexpr size_t kStride = 97;

// Integers of `x`, of which the largest becomes 127.
float Quantize(const std::vector<float>& x, int8_t* q, size_t step) {
  float most = 0;
  for (const float value : x) most = std::max(most, std::fabs(value));
  for (size_t i = 0; i < x.size(); ++i) {
    q[i * step] = static_cast<int8_t>(
        std::nearbyint(most > 0 ? x[i] * (127 / most) : 0.0f));
  }
  return most / 127;
}

using Bytes = std::vector<std::byte>;

// What PackInt8 makes of keys, or of the columns of values.
Bytes Expected(Tile tile, bool keys, size_t rows, size_t dim, const float* x) {
  const size_t n = keys ? rows : dim, k = keys ? dim : rows;
  std::vector<float> mean(dim, 0.0f);
  if (keys) {
    for (size_t t = 0; t < rows; ++t) {
      for (size_t c = 0; c < dim; ++c) mean[c] += x[t * kStride + c];
    }
    for (float& m : mean) m /= static_cast<float>(rows);
  }
  std::vector<int8_t> q(n * k);
  std::vector<float> scale(n);
  for (size_t channel = 0; channel < n; ++channel) {
    std::vector<float> inputs(k);
    for (size_t i = 0; i < k; ++i) {
      const size_t t = keys ? channel : i, c = keys ? i : channel;
      inputs[i] = x[t * kStride + c] - mean[c];
    }
    scale[channel] = Quantize(inputs, &q[channel * k], 1);
  }
  Bytes packed(PackedBytes(WeightType::kInt8, tile, n, k));
  PackInt8(tile, n, k, q.data(), scale.data(), packed.data());
  return packed;
}

Bytes Packed(const VectorKernels& table, Tile tile, bool keys, size_t rows,
             size_t dim, const float* x) {
  const size_t n = keys ? rows : dim, k = keys ? dim : rows;
  const TileShape shape = ShapeOf(tile);
  Bytes packed(PackedBytes(WeightType::kInt8, tile, n, k));
  GuardedFloats scratch(PackInt8ScratchSize(dim));
  (keys ? table.pack_int8_keys : table.pack_int8_values)(
      {.nr = shape.nr,
       .kr = shape.kr,
       .sr = shape.sr,
       .block_bytes = PackedBlockBytes(WeightType::kInt8, tile, k),
       .out = reinterpret_cast<char*>(packed.data()),
       .rows = rows,
       .dim = dim,
       .x = x,
       .stride = kStride,
       .scratch = scratch.data()});
  return packed;
}

TEST(Int8AttentionTest, KeysAndValuesArePackedAsWeightsAre) {
  ForEachTable([](const VectorKernels& table) {
    if (table.pack_int8_keys == nullptr) GTEST_SKIP() << "no speech";
    for (uint32_t value = 1; value < std::size(kTiles); ++value) {
      const auto tile = static_cast<Tile>(value);
      if (WeightTypeOf(tile) != WeightType::kInt8) continue;
      SCOPED_TRACE(NameOf(tile));
      for (const bool keys : {true, false}) {
        for (const size_t rows : {1, 15, 16, 33}) {
          for (const size_t dim : {1, 8, 24, 64, 77}) {
            GuardedFloats x((rows - 1) * kStride + dim, 3, 5.0f);
            for (size_t t = 0; t < rows; ++t) x[t * kStride] += 100;
            if (dim > 1) x[1] = 0;
            EXPECT_EQ(Packed(table, tile, keys, rows, dim, x.data()),
                      Expected(tile, keys, rows, dim, x.data()))
                << keys << " " << rows << " " << dim;
          }
        }
      }
    }
  });
}

// The scale of a channel of tile 4x4.
float ScaleOf(const Bytes& packed, size_t k, size_t channel) {
  const size_t block = PackedBlockBytes(WeightType::kInt8, Tile::k4x4, k);
  float scale;
  std::memcpy(&scale,
              &packed[channel / 4 * block + block - (8 - channel % 4) * 4], 4);
  return scale;
}

TEST(Int8AttentionTest, WhatIsNotFiniteHasAScaleOfNan) {
  ForEachTable([](const VectorKernels& table) {
    if (table.pack_int8_keys == nullptr) GTEST_SKIP() << "no speech";
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      GuardedFloats x(7 * kStride + 5, 4);
      x[3 * kStride + 2] = bad;
      const Bytes values =
          Packed(table, Tile::k4x4, /*keys=*/false, 8, 5, x.data());
      for (size_t c = 0; c < 5; ++c) {
        EXPECT_EQ(std::isnan(ScaleOf(values, 8, c)), c == 2);
      }
      // The mean is not finite, either.
      const Bytes keys =
          Packed(table, Tile::k4x4, /*keys=*/true, 8, 5, x.data());
      for (size_t t = 0; t < 8; ++t) {
        EXPECT_TRUE(std::isnan(ScaleOf(keys, 5, t)));
      }
    }
    GuardedFloats zeros(7 * kStride + 5);
    const Bytes values =
        Packed(table, Tile::k4x4, /*keys=*/false, 8, 5, zeros.data());
    EXPECT_EQ(values, Bytes(values.size()));
  });
}

TEST(Int8AttentionTest, TheSoftmaxAsBytesEqualsTheFormulaOnEverySize) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    if (table.softmax_bytes == nullptr) GTEST_SKIP() << "no speech";
    const size_t stride = AttentionScoreStride(n);
    GuardedFloats x(stride);
    x.Fill(static_cast<uint32_t>(n), 10.0f);
    const std::vector<float> before = x.Copy();
    const float max = *std::max_element(before.begin(), before.begin() + n);
    const uint32_t sum = table.softmax_bytes(n, x.data());
    const auto* const bytes = reinterpret_cast<const int8_t*>(x.data());
    uint32_t expected_sum = 0;
    for (size_t i = 0; i < stride; ++i) {
      const int p =
          256 * (bytes[2 * stride + i] + 128) + (bytes[3 * stride + i] + 128);
      const double exact = i < n ? 65535 * exp(before[i] - max) : 0;
      ASSERT_NEAR(p, exact, 0.51);
      expected_sum += static_cast<uint32_t>(p);
    }
    EXPECT_EQ(sum, expected_sum);
  });
}

TEST(Int8AttentionTest, TheSoftmaxOfWhatIsNotFiniteHasNoSum) {
  ForEachTable([](const VectorKernels& table) {
    if (table.softmax_bytes == nullptr) GTEST_SKIP() << "no speech";
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      GuardedFloats x(16);
      x.Fill({bad, bad, bad});
      EXPECT_EQ(table.softmax_bytes(3, x.data()), 0u);
    }
    // A key that is none has no weight.
    GuardedFloats x(16);
    x.Fill({1.0f, NAN, 1.0f});
    EXPECT_EQ(table.softmax_bytes(3, x.data()), 2 * 65535u);
  });
}

}  // namespace latimer::int8_attention_test
