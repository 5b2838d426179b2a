// The kernels that caches of f16 need, which only a profile with f16_caches
// has; and that its build has no kernels for int8 weights, which it leaves out.
// Tests runtime/ops/attention_isa.cc, runtime/ops/vector_kernels_isa.cc,
// runtime/ops/xnnpack/kernel_sets.cc.
#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "latimer/profile_config.h"
#include "ops/xnnpack/kernel_sets.h"
#include "tests/ops/vector_kernels_testing.h"

namespace latimer::f16_caches_test {

static_assert(kProfile.f16_caches && !kProfile.int8_weights);

// f16 numbers, as bits, in guarded memory.
class GuardedHalves {
 public:
  explicit GuardedHalves(size_t n) : memory_(n * sizeof(uint16_t)) {}
  uint16_t* data() { return memory_.As<uint16_t>(); }

 private:
  GuardedBytes memory_;
};

float Next(float x, float towards) { return std::nextafter(x, towards); }

// Each finite f16, and what lies half a unit beside it, and next to that.
std::vector<float> NumbersThatRoundDifferently() {
  std::vector<float> numbers = {kHalfOverflow, 65519.0f, 1e10f,
                                std::bit_cast<float>(1u), 0x1p-126f};
  for (uint16_t half = 0; half < 0x7bff; ++half) {
    const float here = HalfToFloat(half);
    const float middle =
        (here + HalfToFloat(static_cast<uint16_t>(half + 1))) / 2;
    numbers.insert(numbers.end(),
                   {here, Next(middle, 0.0f), middle, Next(middle, INFINITY)});
  }
  const size_t positive = numbers.size();
  for (size_t i = 0; i < positive; ++i) numbers.push_back(-numbers[i]);
  return numbers;
}

TEST(F16CachesTest, NumbersAreRoundedToTheNearestFiniteF16) {
  const std::vector<float> numbers = NumbersThatRoundDifferently();
  ForEachTable([&](const VectorKernels& table) {
    std::vector<uint16_t> halves(numbers.size());
    table.to_f16(numbers.size(), numbers.data(), halves.data());
    for (size_t i = 0; i < numbers.size(); ++i) {
      uint16_t expected = FloatToHalf(numbers[i]);
      if ((expected & 0x7fff) == 0x7c00) --expected;
      ASSERT_EQ(halves[i], expected) << numbers[i];
    }
  });
}

TEST(F16CachesTest, RoundingWritesNoFurther) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    GuardedFloats x(n, 1, 100.0f);
    GuardedHalves halves(n);
    table.to_f16(n, x.data(), halves.data());
    for (size_t i = 0; i < n; ++i) {
      ASSERT_EQ(halves.data()[i], FloatToHalf(x[i])) << i;
    }
  });
}

struct Shape {
  size_t heads, dim, kv;
};

TEST(F16CachesTest, AttentionIsThatOfTheSameNumbersAsF32) {
  ForEachTable([](const VectorKernels& table) {
    for (const Shape& s : std::vector<Shape>{{8, 64, 128},
                                             {1, 4, 1},
                                             {3, 5, 2},
                                             {2, 17, 9},
                                             {5, 31, 17},
                                             {2, 100, 7},
                                             {16, 80, 131},
                                             {1, 256, 70}}) {
      const size_t width = s.heads * s.dim;
      const size_t stride = 2 * width;
      const size_t numbers = s.kv * stride;
      GuardedFloats queries(width, 1, 2.0f), kv(numbers, 2, 2.0f);
      GuardedFloats scratch(AttentionScratchSize(s.heads, s.kv));
      GuardedFloats expected(width), out(width);
      GuardedHalves halves(numbers);
      table.to_f16(numbers, kv.data(), halves.data());
      // Some subnormal ones.
      for (size_t i = 0; i < numbers; i += 11) halves.data()[i] &= 0x83ff;
      for (size_t i = 0; i < numbers; ++i) {
        kv[i] = HalfToFloat(halves.data()[i]);
      }
      AttentionArgs args = {.query_rows = 1,
                            .heads = s.heads,
                            .head_dim = s.dim,
                            .kv_count = s.kv,
                            .queries = queries.data(),
                            .query_stride = width,
                            .keys = kv.data(),
                            .values = kv.data() + width,
                            .kv_stride = stride,
                            .scale = 0.125f,
                            .scratch = scratch.data(),
                            .out = expected.data(),
                            .out_stride = width};
      table.attend(args);
      args.keys = args.values = nullptr;
      args.f16_keys = halves.data();
      args.f16_values = halves.data() + width;
      args.out = out.data();
      table.attend(args);
      ASSERT_EQ(out.Copy(), expected.Copy())
          << "heads " << s.heads << " dim " << s.dim << " kv " << s.kv;
    }
  });
}

TEST(F16CachesTest, AProfileWithoutInt8HasNoInt8Kernels) {
  EXPECT_FALSE(GemmKernelSets(WeightType::kF32).empty());
  EXPECT_TRUE(GemmKernelSets(WeightType::kInt8).empty());
  EXPECT_TRUE(ConvertKernelSets().empty());
}

}  // namespace latimer::f16_caches_test
