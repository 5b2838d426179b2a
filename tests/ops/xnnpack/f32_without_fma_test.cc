// With a profile without f32_fma, the f32 GEMM of every instruction set gives
// the bits of plain C++: one sum per output, in the order of the inputs.
// Tests runtime/ops/gemm_float_isa.cc, runtime/ops/xnnpack/gemm.cc,
// runtime/ops/xnnpack/kernel_sets.cc.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "latimer/profile_config.h"
#include "ops/xnnpack/gemm.h"
#include "ops/xnnpack/kernel_sets.h"
#include "ops/xnnpack/pack.h"
#include "tests/ops/vector_kernels_testing.h"

namespace latimer::f32_without_fma_test {

static_assert(!kProfile.f32_fma && !kProfile.int8_weights);

// Calls multiply(packed weights, n, k, rows, x, y) for several shapes and
// expects y to be that of plain C++.
template <typename Multiply>
void ExpectThePlainReference(Tile tile, const std::string& name,
                             const Multiply& multiply) {
  for (const auto& [rows, n, k] : std::vector<std::array<uint32_t, 3>>{
           {1, 7, 9}, {2, 8, 64}, {5, 33, 31}, {6, 64, 127}, {13, 71, 300}}) {
    const std::vector<float> weights = Noise(n * k, 1);
    const std::vector<float> x = Noise(rows * k + kActivationPaddingBytes, 2);
    GuardedBytes packed(PackedBytes(WeightType::kF32, tile, n, k));
    PackF32(tile, n, k, weights.data(), packed.As<std::byte>());
    std::vector<float> y(rows * n), expected(rows * n);
    multiply(PackedMatrix{packed.As<std::byte>(), n, k}, rows, x.data(),
             y.data());
    for (uint32_t i = 0; i < rows * n; ++i) {
      float sum = 0.0f;
      for (uint32_t input = 0; input < k; ++input) {
        const float product = x[i / n * k + input] * weights[i % n * k + input];
        sum = sum + product;
      }
      expected[i] = sum;
    }
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * 4), 0)
        << name << " rows " << rows << " n " << n;
  }
}

TEST(F32WithoutFma, EqualsThePlainReferenceToTheBit) {
  int sets = 0;
  for (const GemmKernelSet& set : GemmKernelSets(WeightType::kF32)) {
    if (!(DetectCpuFeatures().*(set.feature))) continue;
    ++sets;
    GemmKernels kernels;
    kernels.gemm = &set;
    ExpectThePlainReference(
        set.tile, KernelName(kernels, 0),
        [&](const PackedMatrix& w, size_t rows, const float* x, float* y) {
          GemmF32(kernels, rows, w, 0, w.n, x, w.k, y, w.n);
        });
  }
  EXPECT_GE(sets, 1);
}

TEST(F32WithoutFma, OurOwnKernelEqualsThePlainReferenceToTheBit) {
  ForEachTable([](const VectorKernels& table) {
    if (table.gemm_f32 == nullptr) return;
    ExpectThePlainReference(
        Tile::k8x1, table.name,
        [&](const PackedMatrix& w, size_t rows, const float* x, float* y) {
          table.gemm_f32({rows, w.k, x, w.k,
                          reinterpret_cast<const float*>(w.data), 0, w.n, y,
                          w.n});
        });
  });
}

TEST(F32WithoutFma, AProfileWithoutInt8HasNoInt8Kernels) {
  EXPECT_TRUE(GemmKernelSets(WeightType::kInt8).empty());
  EXPECT_TRUE(ConvertKernelSets().empty());
}

}  // namespace latimer::f32_without_fma_test
