// With a profile without f32_fma, the f32 GEMM of every instruction set gives
// the bits of plain C++: one sum per output, in the order of the inputs.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "latimer/profile_config.h"
#include "ops/xnnpack/gemm.h"
#include "ops/xnnpack/kernel_sets.h"
#include "ops/xnnpack/pack.h"
#include "tests/ops/vector_kernels_testing.h"

namespace latimer::f32_without_fma_test {

static_assert(!kProfile.f32_fma && !kProfile.int8_weights);

TEST(F32WithoutFma, EqualsThePlainReferenceToTheBit) {
  int sets = 0;
  for (const GemmKernelSet& set : GemmKernelSets(WeightType::kF32)) {
    if (!(DetectCpuFeatures().*(set.feature))) continue;
    ++sets;
    GemmKernels kernels;
    kernels.gemm = &set;
    for (const auto& [rows, n, k] : std::vector<std::array<uint32_t, 3>>{
             {1, 7, 9}, {2, 8, 64}, {5, 33, 31}, {6, 64, 127}, {13, 71, 300}}) {
      const std::vector<float> weights = Noise(n * k, 1);
      const std::vector<float> x = Noise(rows * k + kActivationPaddingBytes, 2);
      GuardedBytes packed(PackedBytes(WeightType::kF32, set.tile, n, k));
      PackF32(set.tile, n, k, weights.data(), packed.As<std::byte>());
      std::vector<float> y(rows * n), expected(rows * n);
      GemmF32(kernels, rows, {packed.As<std::byte>(), n, k}, 0, n, x.data(), k,
              y.data(), n);
      for (uint32_t i = 0; i < rows * n; ++i) {
        float sum = 0.0f;
        for (uint32_t input = 0; input < k; ++input) {
          const float product =
              x[i / n * k + input] * weights[i % n * k + input];
          sum = sum + product;
        }
        expected[i] = sum;
      }
      EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * 4), 0)
          << KernelName(kernels, 0) << " rows " << rows << " n " << n;
    }
  }
  EXPECT_GE(sets, 1);
}

TEST(F32WithoutFma, AProfileWithoutInt8HasNoInt8Kernels) {
  EXPECT_TRUE(GemmKernelSets(WeightType::kInt8).empty());
  EXPECT_TRUE(ConvertKernelSets().empty());
}

}  // namespace latimer::f32_without_fma_test
