// Products with f16 weights have the bits of XNNPACK's f32 kernels with rounded
// weights, on every instruction set; those with f32 weights have theirs too.
// Tests runtime/ops/gemm_float_isa.cc, runtime/ops/xnnpack/gemm.cc,
// runtime/ops/xnnpack/pack.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/cpu_table.h"
#include "base/half.h"
#include "ops/xnnpack/gemm.h"
#include "ops/xnnpack/pack.h"
#include "tests/ops/vector_kernels_testing.h"

namespace latimer::gemm_float_test {

// The kernels for this CPU without anything newer than the instruction set.
struct Level {
  std::string name;
  const VectorKernels* vector;
  GemmKernels f32;
  Tile f32_tile;
};

std::vector<Level> Levels() {
  std::vector<Level> levels;
  for (int i = 0; i < kIsaCount; ++i) {
    const char* const name = kIsas[i].name;
    const Result<CpuFeatures> cpu = LimitCpuFeatures(DetectCpuFeatures(), name);
    if (!cpu.ok()) continue;  // It lacks it, or it is no limit.
    const VectorKernels* tables[kMaxVectorKernels];
    Level level = {.name = name, .vector = nullptr, .f32 = {}, .f32_tile = {}};
    // The build may lack kernels for older instruction sets.
    if (ListVectorKernels(*cpu, tables) == 0) continue;
    level.vector = tables[0];
    EXPECT_TRUE(FastestTile(*cpu, WeightType::kF32, &level.f32_tile));
    EXPECT_TRUE(
        SelectGemmKernels(*cpu, WeightType::kF32, level.f32_tile, &level.f32)
            .ok());
    // Not every instruction set has kernels for floats of its own.
    if (!levels.empty() && levels.back().vector == level.vector &&
        levels.back().f32.gemm == level.f32.gemm) {
      continue;
    }
    levels.push_back(level);
  }
  return levels;
}

// A packed matrix at the end of readable memory, where a file may end too.
class Packed {
 public:
  Packed(size_t n, size_t k, const std::vector<float>& weights)
      : k_(k),
        floats_(PackedBytes(WeightType::kF16, Tile::k16x1, n, k) /
                sizeof(float)) {
    PackF16(n, k, weights.data(), reinterpret_cast<std::byte*>(floats_.data()));
  }

  void Multiply(const VectorKernels& kernels, size_t rows, const float* x,
                size_t begin, size_t end, float* y, size_t y_stride) {
    kernels.gemm_f16({rows, k_, x, k_,
                      reinterpret_cast<const uint16_t*>(floats_.data()), begin,
                      end, y, y_stride});
  }
  PackedMatrix Matrix(uint32_t n) {
    return {reinterpret_cast<const std::byte*>(floats_.data()), n,
            static_cast<uint32_t>(k_)};
  }

 private:
  size_t k_;
  GuardedFloats floats_;
};

std::vector<float> Rounded(std::vector<float> values) {
  for (float& v : values) v = HalfToFloat(FloatToHalf(v));
  return values;
}

std::vector<float> F32Product(const Level& level, size_t rows, uint32_t n,
                              uint32_t k, const std::vector<float>& weights,
                              std::vector<float> x) {
  const size_t bytes = PackedBytes(WeightType::kF32, level.f32_tile, n, k);
  GuardedFloats packed(bytes / sizeof(float));
  auto* data = reinterpret_cast<std::byte*>(packed.data());
  PackF32(level.f32_tile, n, k, weights.data(), data);
  x.resize(x.size() + kActivationPaddingBytes);
  std::vector<float> y(rows * n);
  GemmF32(level.f32, rows, {data, n, k}, 0, n, x.data(), k, y.data(), n);
  return y;
}

struct Problem {
  size_t rows;
  uint32_t n, k;
};

// Below, at and above every number of rows and vectors; the second exceeds the
// weights that stay in the cache.
std::vector<Problem> Problems() {
  std::vector<Problem> problems = {{1, 1, 1}, {9, 300, 1500}};
  for (size_t rows = 1; rows <= 13; ++rows) {
    for (const uint32_t n : {3u, 16u, 24u, 37u, 64u, 135u}) {
      problems.push_back({rows, n, static_cast<uint32_t>(rows * 7 + n % 5)});
    }
  }
  return problems;
}

TEST(GemmFloatTest, F16HasTheBitsOfF32WithRoundedWeights) {
  const std::vector<Level> levels = Levels();
  ASSERT_FALSE(levels.empty());
  for (const Level& level : levels) {
    for (const auto& [rows, n, k] : Problems()) {
      const std::vector<float> weights = Noise(size_t{n} * k, n);
      GuardedFloats x(rows * k), y(rows * n);
      x.Fill(Noise(rows * k, k));
      Packed(n, k, weights)
          .Multiply(*level.vector, rows, x.data(), 0, n, y.data(), n);
      const std::vector<float> expected =
          F32Product(level, rows, n, k, Rounded(weights), x.Copy());
      ASSERT_EQ(
          std::memcmp(y.data(), expected.data(), rows * n * sizeof(float)), 0)
          << level.name << " rows " << rows << " n " << n << " k " << k;
    }
  }
}

TEST(GemmFloatTest, F32HasTheBitsOfXnnpacks) {
  for (const Level& level : Levels()) {
    if (level.vector->gemm_f32 == nullptr) continue;
    ASSERT_EQ(level.f32_tile, Tile::k8x1);
    for (const auto& [rows, n, k] : Problems()) {
      const std::vector<float> weights = Noise(size_t{n} * k, n);
      GuardedFloats packed(PackedBytes(WeightType::kF32, Tile::k8x1, n, k) /
                           sizeof(float));
      PackF32(Tile::k8x1, n, k, weights.data(),
              reinterpret_cast<std::byte*>(packed.data()));
      GuardedFloats x(rows * k), y(rows * n);
      x.Fill(Noise(rows * k, k));
      level.vector->gemm_f32(
          {rows, k, x.data(), k, packed.data(), 0, n, y.data(), n});
      const std::vector<float> expected =
          F32Product(level, rows, n, k, weights, x.Copy());
      ASSERT_EQ(
          std::memcmp(y.data(), expected.data(), rows * n * sizeof(float)), 0)
          << level.name << " rows " << rows << " n " << n << " k " << k;
    }
  }
}

TEST(GemmFloatTest, EveryFiniteWeightIsConverted) {
  std::vector<float> weights;
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const float value = HalfToFloat(static_cast<uint16_t>(half));
    if (std::isfinite(value)) weights.push_back(value);
  }
  ASSERT_EQ(weights.size(), 63488u);
  const float x[] = {1.0f, -1.0f};
  for (const Level& level : Levels()) {
    // Different numbers of rows may use different instructions.
    for (const size_t rows : {1, 2}) {
      std::vector<float> y(rows * weights.size());
      Packed(weights.size(), 1, weights)
          .Multiply(*level.vector, rows, x, 0, weights.size(), y.data(),
                    weights.size());
      for (size_t i = 0; i < y.size(); ++i) {
        const float weight = weights[i % weights.size()];
        ASSERT_EQ(y[i], i < weights.size() ? weight : -weight) << level.name;
      }
    }
  }
}

TEST(GemmFloatTest, OnlyTheRequestedChannelsAreWritten) {
  constexpr size_t kRows = 7, kN = 200, kK = 33;
  const std::vector<float> weights = Noise(kN * kK, 1),
                           x = Noise(kRows * kK, 2);
  Packed packed(kN, kK, weights);
  for (const Level& level : Levels()) {
    std::vector<float> whole(kRows * kN);
    packed.Multiply(*level.vector, kRows, x.data(), 0, kN, whole.data(), kN);
    for (const auto& [begin, end] : std::vector<std::pair<size_t, size_t>>{
             {0, 16}, {16, 30}, {48, 137}, {192, 200}, {64, 64}}) {
      constexpr float kBefore = -5.0f;
      std::vector<float> part(kRows * kN, kBefore);
      packed.Multiply(*level.vector, kRows, x.data(), begin, end, part.data(),
                      kN);
      for (size_t i = 0; i < part.size(); ++i) {
        const bool requested = i % kN >= begin && i % kN < end;
        ASSERT_EQ(part[i], requested ? whole[i] : kBefore)
            << level.name << " " << begin << " to " << end << " at " << i;
      }
    }
  }
}

TEST(GemmFloatTest, AnUnpackedRowIsTheRoundedWeights) {
  constexpr uint32_t kN = 21, kK = 13;
  const std::vector<float> weights = Noise(kN * kK, 3);
  const std::vector<float> rounded = Rounded(weights);
  EXPECT_NE(weights, rounded);
  Packed packed(kN, kK, weights);
  for (uint32_t channel = 0; channel < kN; ++channel) {
    std::vector<float> row(kK);
    UnpackRow(WeightType::kF16, Tile::k16x1, packed.Matrix(kN), channel,
              row.data());
    EXPECT_EQ(row, std::vector<float>(rounded.begin() + channel * kK,
                                      rounded.begin() + (channel + 1) * kK));
  }
}

TEST(GemmFloatTest, PackedBytesAreWhatTheLayoutSays) {
  EXPECT_EQ(PackedBytes(WeightType::kF16, Tile::k16x1, 17, 5),
            2u * 16 * 5 * sizeof(uint16_t));
  EXPECT_EQ(PackedBytes(WeightType::kF16, Tile::k16x1, 1, 1), 64u);
}

}  // namespace latimer::gemm_float_test
