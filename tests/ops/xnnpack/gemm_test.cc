// Products of each instruction set that the CPU has, beside sums in plain C++;
// which kernels are chosen for a CPU.
// Tests runtime/ops/xnnpack/gemm.cc, runtime/ops/xnnpack/pack.cc,
// runtime/ops/xnnpack/kernel_sets.cc, runtime/ops/gemm_int8_isa.cc,
// runtime/ops/gemm_int_codes_isa.cc,
// runtime/ops/gemm_int_codes_avx512vnni_isa.cc,
// runtime/ops/gemm_int_codes_avxvnni_isa.cc,
// runtime/ops/gemm_int8_neon_isa.cc, runtime/ops/gemm_int8_dotprod_isa.cc,
// runtime/ops/gemm_int8_rvv256_isa.cc.
#include "ops/xnnpack/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "latimer/internal/memory_plan.h"
#include "ops/xnnpack/kernel_sets.h"
#include "ops/xnnpack/pack.h"
#include "tests/ops/guarded_memory.h"

namespace latimer::gemm_test {

using ::testing::HasSubstr;

struct Problem {
  size_t rows, n, k;
};

// Odd sizes on purpose: below, at and above every nr, kr and mr.
const Problem kProblems[] = {
    {1, 1, 1},    {1, 7, 9},      {1, 16, 64},  {1, 33, 31},  {2, 8, 8},
    {3, 17, 5},   {4, 15, 65},    {5, 24, 40},  {6, 9, 127},  {7, 40, 16},
    {8, 5, 24},   {9, 31, 33},    {10, 64, 63}, {11, 13, 96}, {12, 48, 7},
    {33, 65, 70}, {21, 300, 520}, {67, 9, 16},  {129, 8, 40},
};

constexpr WeightType kIntegerTypes[] = {WeightType::kInt8, WeightType::kInt6,
                                        WeightType::kInt4};

struct IntegerCase {
  IntegerCase(const Problem& problem, Tile tile_of_case,
              WeightType type_of_case = WeightType::kInt8)
      : rows(problem.rows),
        n(problem.n),
        k(problem.k),
        tile(tile_of_case),
        type(type_of_case) {
    std::mt19937 random(static_cast<uint32_t>(rows * 7919 + n * 31 + k));
    const int most = type == WeightType::kInt4   ? 7
                     : type == WeightType::kInt6 ? 31
                                                 : 127;
    const int least = type == WeightType::kInt4 ? -8 : -most;
    std::uniform_int_distribution<int> weight(least, most);
    std::uniform_real_distribution<float> value(-2.0f, 3.0f);
    weights.resize(n * k);
    for (int8_t& w : weights) w = static_cast<int8_t>(weight(random));
    for (size_t i = 0; i < n; ++i) {
      scale.push_back(0.001f + 0.0001f * static_cast<float>(i % 13));
    }
    x.resize(rows * k + kActivationPaddingBytes);
    for (float& v : x) v = value(random);
  }

  size_t packed_bytes() const { return PackedBytes(type, tile, n, k); }

  // `out` has packed_bytes().
  PackedMatrix Pack(std::byte* out) const {
    const auto pack = type == WeightType::kInt4   ? PackInt4
                      : type == WeightType::kInt6 ? PackInt6
                                                  : PackInt8;
    pack(tile, n, k, weights.data(), scale.data(), out);
    return {out, static_cast<uint32_t>(n), static_cast<uint32_t>(k), type};
  }

  size_t rows, n, k;
  Tile tile;
  WeightType type;
  std::vector<int8_t> weights;
  std::vector<float> scale, x;
};

// The kernels' results, in plain C++: exact integer sums, one rounding per
// float operation.
std::vector<float> Reference(const IntegerCase& c, const int8_t* q,
                             size_t q_stride, const RowQuantization* params) {
  std::vector<float> y(c.rows * c.n);
  for (size_t row = 0; row < c.rows; ++row) {
    for (size_t channel = 0; channel < c.n; ++channel) {
      int32_t sum = 0;
      for (size_t i = 0; i < c.k; ++i) {
        sum += (q[row * q_stride + i] - params[row].zero_point) *
               c.weights[channel * c.k + i];
      }
      const float scaled = static_cast<float>(sum) * params[row].scale;
      // The zero of the tile's bias makes -0 a 0.
      y[row * c.n + channel] = scaled * c.scale[channel] + 0.0f;
    }
  }
  return y;
}

// The same floats to the bit; names the first that differs.
template <typename T>
testing::AssertionResult SameBits(const T* a, const T* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (std::memcmp(a + i, b + i, sizeof(T)) == 0) continue;
    return testing::AssertionFailure()
           << "element " << i << ": " << +a[i] << " and " << +b[i];
  }
  return testing::AssertionSuccess();
}

// A GemmKernels for each kernel set in this build that this CPU can run. Those
// for int4 and int6 have int8 kernels too; int6 may have nothing else, and is
// unpacked then.
std::vector<GemmKernels> UsableKernels(WeightType type) {
  const CpuFeatures cpu = DetectCpuFeatures();
  std::vector<GemmKernels> all;
  if (type == WeightType::kInt6) {
    all = UsableKernels(WeightType::kInt8);
    for (size_t i = 0, sets = all.size(); i < sets; ++i) {
      GemmKernels with = all[i];
      EXPECT_TRUE(AddGemmKernels(cpu, type, with.gemm->tile, &with).ok());
      if (with.int6 != nullptr) all.push_back(with);
    }
    return all;
  }
  for (const GemmKernelSet& set : GemmKernelSets(type)) {
    if (!(cpu.*(set.feature))) continue;
    GemmKernels kernels;
    EXPECT_TRUE(
        SelectGemmKernels(cpu, WeightTypeOf(set.tile), set.tile, &kernels)
            .ok());
    (type == WeightType::kInt4 ? kernels.int4 : kernels.gemm) = &set;
    all.push_back(kernels);
  }
  return all;
}

const char* FirstName(const GemmKernels& kernels) {
  if (kernels.int6 != nullptr) return kernels.int6->name;
  const GemmKernelSet* set =
      kernels.int4 != nullptr ? kernels.int4 : kernels.gemm;
  return set->variants()[0].name;
}

// Memory to unpack weights in.
class Scratch {
 public:
  explicit Scratch(size_t k) : bytes_(UnpackedBytes(k)) {}
  std::byte* get() { return bytes_.As<std::byte>(); }

 private:
  GuardedBytes bytes_;
};

TEST(XnnpackGemm, ThisCpuHasKernelsForAllWeightTypes) {
  EXPECT_FALSE(UsableKernels(WeightType::kF32).empty());
  EXPECT_FALSE(UsableKernels(WeightType::kInt4).empty());
  EXPECT_FALSE(UsableKernels(WeightType::kInt8).empty());
}

TEST(XnnpackGemm, TheFastestTileIsOneThatRunsHere) {
  for (const WeightType type : {WeightType::kInt8, WeightType::kF32}) {
    Tile tile{};
    ASSERT_TRUE(FastestTile(DetectCpuFeatures(), type, &tile));
    GemmKernels kernels;
    EXPECT_TRUE(
        SelectGemmKernels(DetectCpuFeatures(), type, tile, &kernels).ok());
    EXPECT_FALSE(FastestTile({}, type, &tile));
  }
}

TEST(XnnpackGemm, RowsGoToTheSmallestKernelThatHoldsThem) {
  for (const WeightType type :
       {WeightType::kInt8, WeightType::kInt4, WeightType::kF32}) {
    for (const GemmKernelSet& set : GemmKernelSets(type)) {
      const size_t most = set.variants().back().rows;
      for (size_t rows = 1; rows <= 5 * most; ++rows) {
        const size_t taken = set.VariantFor(rows).rows;
        for (const GemmVariant& variant : set.variants()) {
          if (variant.rows < taken) {
            EXPECT_LT(variant.rows, rows)
                << variant.name << " would hold " << rows << " rows";
          }
        }
      }
    }
  }
}

TEST(XnnpackGemm, CallsForManyRowsAreNearlyFilled) {
  for (const GemmKernelSet& set : GemmKernelSets(WeightType::kInt8)) {
    const size_t most = set.variants().back().rows;
    for (size_t rows = most; rows <= 5 * most; ++rows) {
      size_t computed = 0;
      for (size_t left = rows; left > 0;) {
        const size_t taken = set.VariantFor(left).rows;
        computed += taken;
        left -= std::min(left, taken);
      }
      EXPECT_LE(computed, rows + 1) << set.isa << " " << NameOf(set.tile);
    }
  }
}

void ExpectReferencesBits(const GemmKernels& kernels, const IntegerCase& c) {
  GuardedBytes packed(c.packed_bytes());
  const PackedMatrix w = c.Pack(packed.As<std::byte>());
  // Exactly the padding that the header asks for, then no memory.
  GuardedBytes q(c.rows * c.k + kActivationPaddingBytes);
  GuardedBytes params(c.rows * sizeof(RowQuantization));
  std::memset(q.As<char>(), 0x55, q.size());
  std::memset(params.As<char>(), 0x55, params.size());
  QuantizeRows(kernels, c.rows, c.k, c.x.data(), c.k, q.As<int8_t>(), c.k,
               params.As<RowQuantization>());
  const std::vector<float> expected =
      Reference(c, q.As<int8_t>(), c.k, params.As<RowQuantization>());
  GuardedBytes y(c.rows * c.n * sizeof(float));
  GemmInt8(kernels, c.rows, w, 0, w.n, q.As<int8_t>(), c.k,
           params.As<RowQuantization>(), y.As<float>(), c.n,
           Scratch(c.k).get());
  ASSERT_TRUE(SameBits(y.As<float>(), expected.data(), expected.size()));
}

TEST(XnnpackGemm, IntegersGiveThePlainReferencesBitsOnOddShapes) {
  for (const WeightType type : kIntegerTypes) {
    for (const GemmKernels& kernels : UsableKernels(type)) {
      for (const Problem& problem : kProblems) {
        SCOPED_TRACE(std::string(FirstName(kernels)) + " rows " +
                     std::to_string(problem.rows) + " n " +
                     std::to_string(problem.n) + " k " +
                     std::to_string(problem.k));
        ExpectReferencesBits(kernels,
                             IntegerCase(problem, kernels.gemm->tile, type));
      }
    }
  }
}

// Rows and weights of the largest magnitudes, where sums of int16 would
// saturate. Of our own kernels those for NEON and RISC-V's vectors do not
// promise to take -128.
void ExpectReferencesBitsOfTheLargest(WeightType type) {
  const bool int6 = type == WeightType::kInt6;
  const int8_t most = int6 ? 31 : 127;
  for (const GemmKernels& kernels : UsableKernels(type)) {
    SCOPED_TRACE(FirstName(kernels));
    const bool any_byte = !int6 && kernels.gemm->variants()[0].own != nullptr &&
                          kernels.gemm->tile != Tile::k8x2s4 &&
                          std::strcmp(kernels.gemm->isa, "rvv256") != 0;
    for (const Problem& problem : kProblems) {
      IntegerCase c(problem, kernels.gemm->tile, type);
      for (size_t i = 0; i < c.weights.size(); ++i) {
        c.weights[i] = i % 3 == 0 ? most
                       : any_byte && i % c.k % 5 == 0
                           ? int8_t{-128}
                           : static_cast<int8_t>(-most);
      }
      std::vector<int8_t> q(c.rows * c.k + kActivationPaddingBytes, -128);
      for (size_t i = 0; i < c.rows * c.k; ++i) {
        if (i / c.k % 3 == 1 || (i / c.k % 3 == 2 && i % 2 == 0)) q[i] = 127;
      }
      std::vector<RowQuantization> params;
      for (size_t row = 0; row < c.rows; ++row) {
        params.push_back({row % 2 == 0 ? 127 : -128, 0.01f});
      }
      GuardedBytes packed(c.packed_bytes());
      const PackedMatrix w = c.Pack(packed.As<std::byte>());
      std::vector<float> y(c.rows * c.n);
      GemmInt8(kernels, c.rows, w, 0, w.n, q.data(), c.k, params.data(),
               y.data(), c.n, Scratch(c.k).get());
      const std::vector<float> expected =
          Reference(c, q.data(), c.k, params.data());
      ASSERT_TRUE(SameBits(y.data(), expected.data(), expected.size()))
          << "rows " << problem.rows << " n " << problem.n << " k "
          << problem.k;
    }
  }
}

TEST(XnnpackGemm, IntegersOfTheLargestMagnitudesGiveThePlainReferencesBits) {
  ExpectReferencesBitsOfTheLargest(WeightType::kInt8);
  ExpectReferencesBitsOfTheLargest(WeightType::kInt6);
}

TEST(XnnpackGemm, F32EqualsThePlainReferenceOnOddShapes) {
  for (const GemmKernels& kernels : UsableKernels(WeightType::kF32)) {
    for (const Problem& problem : kProblems) {
      SCOPED_TRACE(std::string(KernelName(kernels, 0)) + " rows " +
                   std::to_string(problem.rows) + " n " +
                   std::to_string(problem.n) + " k " +
                   std::to_string(problem.k));
      const auto [rows, n, k] = problem;
      const Tile tile = kernels.gemm->tile;
      std::mt19937 random(1);
      std::uniform_real_distribution<float> value(-1.0f, 1.0f);
      std::vector<float> weights(n * k);
      for (float& v : weights) v = value(random);
      GuardedBytes x(rows * k * sizeof(float) + kActivationPaddingBytes);
      for (size_t i = 0; i < rows * k; ++i) x.As<float>()[i] = value(random);
      GuardedBytes packed(PackedBytes(WeightType::kF32, tile, n, k));
      PackF32(tile, n, k, weights.data(), packed.As<std::byte>());
      const PackedMatrix w = {packed.As<std::byte>(), static_cast<uint32_t>(n),
                              static_cast<uint32_t>(k)};
      GuardedBytes y(rows * n * sizeof(float));
      GemmF32(kernels, rows, w, 0, w.n, x.As<float>(), k, y.As<float>(), n);
      for (size_t row = 0; row < rows; ++row) {
        for (size_t channel = 0; channel < n; ++channel) {
          double expected = 0;
          for (size_t i = 0; i < k; ++i) {
            expected +=
                double{x.As<float>()[row * k + i]} * weights[channel * k + i];
          }
          ASSERT_NEAR(y.As<float>()[row * n + channel], expected,
                      1e-6 * static_cast<double>(k + 2));
        }
      }
    }
  }
}

// Calls test(product) for all integer kernels; product(begin, end, row, rows,
// &y) computes channels [begin, end) of rows [row, row + rows).
template <typename Test>
void ForEachIntegerProduct(const Problem& problem, const Test& test) {
  for (const WeightType type : kIntegerTypes) {
    for (const GemmKernels& kernels : UsableKernels(type)) {
      SCOPED_TRACE(FirstName(kernels));
      const IntegerCase c(problem, kernels.gemm->tile, type);
      GuardedBytes packed(c.packed_bytes());
      const PackedMatrix w = c.Pack(packed.As<std::byte>());
      std::vector<int8_t> q(c.rows * c.k + kActivationPaddingBytes);
      std::vector<RowQuantization> params(c.rows);
      QuantizeRows(kernels, c.rows, c.k, c.x.data(), c.k, q.data(), c.k,
                   params.data());
      test([&](uint32_t begin, uint32_t end, size_t row, size_t rows,
               std::vector<float>* y) {
        GemmInt8(kernels, rows, w, begin, end, q.data() + row * c.k, c.k,
                 params.data() + row, y->data() + row * c.n, c.n,
                 Scratch(c.k).get());
      });
    }
  }
}

TEST(XnnpackGemm, ARangeOfChannelsEqualsThatPartOfTheWhole) {
  constexpr Problem kProblem = {13, 71, 45};
  ForEachIntegerProduct(kProblem, [&](const auto& product) {
    std::vector<float> whole(kProblem.rows * kProblem.n);
    product(0, kProblem.n, 0, kProblem.rows, &whole);
    std::vector<float> ranges(whole.size(), -1e30f);
    product(0, 16, 0, kProblem.rows, &ranges);
    product(16, 48, 0, kProblem.rows, &ranges);
    product(48, kProblem.n, 0, kProblem.rows, &ranges);
    EXPECT_EQ(whole, ranges);
  });
}

TEST(XnnpackGemm, ARowsResultDoesNotDependOnTheNumberOfRows) {
  constexpr Problem kProblem = {23, 37, 61};
  ForEachIntegerProduct(kProblem, [&](const auto& product) {
    std::vector<float> together(kProblem.rows * kProblem.n);
    product(0, kProblem.n, 0, kProblem.rows, &together);
    std::vector<float> alone(together.size());
    for (size_t row = 0; row < kProblem.rows; ++row) {
      product(0, kProblem.n, row, 1, &alone);
    }
    EXPECT_EQ(together, alone);
  });
}

// One row as XNNPACK's kernels quantize it, in plain C++. The zero point is
// the one of the two ends of the range that loses less.
RowQuantization ReferenceQuantize(const float* x, size_t cols, int8_t* q) {
  float min = 0.0f, max = 0.0f;
  for (size_t i = 0; i < cols; ++i) {
    min = std::min(min, x[i]);
    max = std::max(max, x[i]);
  }
  const float scale = min == max ? 1.0f : 255.0f / (max - min);
  const float low_error = -128.0f + min * scale;
  const float high_error = 127.0f + max * scale;
  const float zero_point = low_error + high_error > 0.0f ? -128.0f - min * scale
                                                         : 127.0f - max * scale;
  const RowQuantization params = {static_cast<int32_t>(std::nearbyint(
                                      std::clamp(zero_point, -128.0f, 127.0f))),
                                  1.0f / scale};
  const float factor = 1.0f / params.scale;
  for (size_t i = 0; i < cols; ++i) {
    const float rounded = std::nearbyint(x[i] * factor);  // Halves to even.
    q[i] = static_cast<int8_t>(
        std::clamp(static_cast<int>(rounded) + params.zero_point, -128, 127));
  }
  return params;
}

// Rows of noise, of halves between two integers, of one sign, of one value, of
// zeros, and of a range so wide that most becomes zero.
void FillRow(size_t row, size_t cols, float* x) {
  std::mt19937 random(static_cast<uint32_t>(row * 1009 + cols));
  std::normal_distribution<float> value(0.1f, 3.0f);
  for (size_t i = 0; i < cols; ++i) {
    const float v = value(random);
    x[i] = row == 1   ? static_cast<float>(static_cast<int>(i % 511) - 255) / 2
           : row == 2 ? 5.0f + std::fabs(v)
           : row == 3 ? -5.0f - std::fabs(v)
           : row == 4 ? 0.7f
           : row == 5 ? 0.0f
           : row == 6 ? v * (i % 7 == 0 ? 1e6f : 1.0f)
                      : v;
  }
}

TEST(XnnpackGemm, QuantizedRowsAreThePlainReferencesBits) {
  const CpuFeatures cpu = DetectCpuFeatures();
  constexpr size_t kRows = 9;
  for (const ConvertKernelSet& set : ConvertKernelSets()) {
    if (!(cpu.*(set.feature))) continue;
    GemmKernels kernels;
    kernels.convert = &set;
    for (const size_t cols :
         {1, 2, 7, 8, 31, 64, 65, 129, 333, 512, 1000, 2051}) {
      SCOPED_TRACE(std::string(set.convert_name) + " columns " +
                   std::to_string(cols));
      GuardedBytes x(kRows * cols * sizeof(float) + kActivationPaddingBytes);
      for (size_t row = 0; row < kRows; ++row) {
        FillRow(row, cols, x.As<float>() + row * cols);
      }
      GuardedBytes q(kRows * cols);  // Writes nothing past the row.
      std::vector<RowQuantization> params(kRows);
      QuantizeRows(kernels, kRows, cols, x.As<float>(), cols, q.As<int8_t>(),
                   cols, params.data());
      std::vector<int8_t> expected(cols);
      for (size_t row = 0; row < kRows; ++row) {
        const RowQuantization reference = ReferenceQuantize(
            x.As<float>() + row * cols, cols, expected.data());
        EXPECT_EQ(params[row].zero_point, reference.zero_point) << row;
        EXPECT_TRUE(SameBits(&params[row].scale, &reference.scale, 1)) << row;
        ASSERT_TRUE(
            SameBits(q.As<int8_t>() + row * cols, expected.data(), cols))
            << "row " << row;
      }
    }
  }
}

TEST(XnnpackGemm, ARowThatIsNotFiniteHasNoFiniteProducts) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr Problem kProblem = {1, 24, 31};
  for (const WeightType type : kIntegerTypes) {
    for (const GemmKernels& kernels : UsableKernels(type)) {
      SCOPED_TRACE(FirstName(kernels));
      const IntegerCase c(kProblem, kernels.gemm->tile, type);
      GuardedBytes packed(c.packed_bytes());
      const PackedMatrix w = c.Pack(packed.As<std::byte>());
      for (const auto& [value, count] : {std::pair<float, size_t>{kNan, c.k},
                                         {kInfinity, 1},
                                         {-kInfinity, 1},
                                         {kInfinity, c.k}}) {
        std::vector<float> x(c.k + kActivationPaddingBytes, 1.0f);
        std::fill_n(x.begin(), count, value);
        std::vector<int8_t> q(c.k + kActivationPaddingBytes);
        RowQuantization params;
        QuantizeRows(kernels, 1, c.k, x.data(), c.k, q.data(), c.k, &params);
        std::vector<float> y(c.n);
        GemmInt8(kernels, 1, w, 0, c.n, q.data(), c.k, &params, y.data(), c.n,
                 Scratch(c.k).get());
        for (const float product : y) {
          EXPECT_FALSE(std::isfinite(product)) << value << " " << count;
        }
      }
    }
  }
}

TEST(XnnpackGemm, AnUnpackedRowIsTheWeightsThatWerePacked) {
  for (const Tile tile : {Tile::k8x8, Tile::k16x8, Tile::k16x4, Tile::k4x8,
                          Tile::k8x2s4, Tile::k4x4, Tile::k8x16}) {
    for (const Problem& problem : kProblems) {
      const IntegerCase c(problem, tile);
      GuardedBytes packed(c.packed_bytes());
      const PackedMatrix w = c.Pack(packed.As<std::byte>());
      for (uint32_t channel = 0; channel < c.n; ++channel) {
        GuardedBytes row(c.k * sizeof(float));
        UnpackRow(WeightType::kInt8, tile, w, channel, row.As<float>());
        for (size_t i = 0; i < c.k; ++i) {
          ASSERT_EQ(row.As<float>()[i],
                    static_cast<float>(c.weights[channel * c.k + i]) *
                        c.scale[channel])
              << NameOf(tile) << " channel " << channel << " input " << i;
        }
      }
    }
  }
}

TEST(XnnpackGemm, AnUnpackedF32RowIsTheWeightsThatWerePacked) {
  const size_t n = 21;
  const size_t k = 13;
  std::vector<float> weights(n * k);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(i) * 0.25f;
  }
  for (const Tile tile : {Tile::k8x1, Tile::k4x1}) {
    GuardedBytes packed(PackedBytes(WeightType::kF32, tile, n, k));
    PackF32(tile, n, k, weights.data(), packed.As<std::byte>());
    const PackedMatrix w = {packed.As<std::byte>(), n, k};
    for (uint32_t channel = 0; channel < n; ++channel) {
      std::vector<float> row(k);
      UnpackRow(WeightType::kF32, tile, w, channel, row.data());
      EXPECT_EQ(row, std::vector<float>(weights.begin() + channel * k,
                                        weights.begin() + (channel + 1) * k));
    }
  }
}

TEST(XnnpackGemm, PackedBytesAreWhatTheLayoutSays) {
  // ceil(10 / 8) blocks of 8 channels with 16 inputs + 12 bytes.
  EXPECT_EQ(PackedBytes(WeightType::kInt8, Tile::k8x8, 10, 9), 448u);
  EXPECT_EQ(PackedBytes(WeightType::kInt8, Tile::k16x8, 512, 2048),
            512u * (2048 + 12));
  EXPECT_EQ(PackedBytes(WeightType::kInt8, Tile::k4x8, 1, 1), 128u);
  EXPECT_EQ(PackedBytes(WeightType::kF32, Tile::k8x1, 3, 5), 192u);
  EXPECT_EQ(PackedBytes(WeightType::kInt4, Tile::k16x8, 512, 2048),
            512u * (1024 + 12));
  // 17 inputs become 32, two a byte; with plain NEON 18, and 16 channels.
  EXPECT_EQ(PackedBytes(WeightType::kInt4, Tile::k8x8, 16, 17),
            16u * (16 + 12));
  EXPECT_EQ(PackedBytes(WeightType::kInt4, Tile::k8x2s4, 16, 17),
            RoundUp(16 * (9 + 12), 64));
  // Beyond 32 bits.
  EXPECT_EQ(PackedBytes(WeightType::kF32, Tile::k8x1, 1u << 20, 1u << 12),
            (uint64_t{1} << 20) * 4 * ((1 << 12) + 1));
}

TEST(XnnpackGemm, SelectionRefusesATileOfTheOtherWeightType) {
  GemmKernels kernels;
  const CpuFeatures cpu = DetectCpuFeatures();
  EXPECT_EQ(
      SelectGemmKernels(cpu, WeightType::kF32, Tile::k8x8, &kernels).code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(
      SelectGemmKernels(cpu, WeightType::kInt8, Tile::k8x1, &kernels).code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(
      SelectGemmKernels(cpu, WeightType::kInt8, static_cast<Tile>(77), &kernels)
          .code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(kernels.gemm, nullptr);
}

TEST(XnnpackGemm, SelectionRefusesACpuWithNothingUsable) {
  GemmKernels kernels;
  const Status status =
      SelectGemmKernels(CpuFeatures{}, WeightType::kF32, Tile::k8x1, &kernels);
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedCpu);
  EXPECT_THAT(status.message(), HasSubstr(kIsasInBuild));
  for (const GemmKernelSet& set : GemmKernelSets(WeightType::kInt8)) {
    EXPECT_EQ(
        SelectGemmKernels(CpuFeatures{}, WeightType::kInt8, set.tile, &kernels)
            .code(),
        StatusCode::kUnsupportedCpu);
  }
}

// Whether this build has int8 kernels for all of these sets.
bool HasSets(std::initializer_list<std::pair<const char*, Tile>> sets) {
  return std::ranges::all_of(sets, [](const auto& wanted) {
    return std::ranges::any_of(GemmKernelSets(WeightType::kInt8),
                               [&](const GemmKernelSet& set) {
                                 return set.tile == wanted.second &&
                                        std::strcmp(set.isa, wanted.first) == 0;
                               });
  });
}

TEST(XnnpackGemm, SelectionNamesTheTileThatWouldWork) {
  if (!HasSets({{"sse41", Tile::k4x8}, {"avx2", Tile::k8x8}})) GTEST_SKIP();
  GemmKernels kernels;
  CpuFeatures cpu;
  cpu.sse41 = true;
  Status status =
      SelectGemmKernels(cpu, WeightType::kInt8, Tile::k8x8, &kernels);
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedCpu);
  EXPECT_THAT(status.message(), HasSubstr("lacks avx2"));
  EXPECT_THAT(status.message(), HasSubstr("--tile 4x8"));
  status = SelectGemmKernels(cpu, WeightType::kInt8, Tile::k8x2s4, &kernels);
  EXPECT_EQ(status.code(), StatusCode::kTileNotInBuild);
  EXPECT_THAT(status.message(), HasSubstr("--tile 4x8"));
}

TEST(XnnpackGemm, SelectionPicksTheBestThatTheCpuHas) {
  if (!HasSets({{"avx2", Tile::k8x8},
                {"avxvnni", Tile::k8x8},
                {"avx512vnni", Tile::k16x8}})) {
    GTEST_SKIP();
  }
  GemmKernels kernels;
  CpuFeatures cpu;
  cpu.sse41 = cpu.avx2 = true;
  ASSERT_TRUE(
      SelectGemmKernels(cpu, WeightType::kInt8, Tile::k8x8, &kernels).ok());
  EXPECT_THAT(KernelName(kernels, 0), HasSubstr("avx2"));
  cpu.avxvnni = true;
  ASSERT_TRUE(
      SelectGemmKernels(cpu, WeightType::kInt8, Tile::k8x8, &kernels).ok());
  EXPECT_THAT(KernelName(kernels, 0), HasSubstr("vnni"));
  cpu.avx512 = cpu.avx512vnni = true;
  ASSERT_TRUE(
      SelectGemmKernels(cpu, WeightType::kInt8, Tile::k16x8, &kernels).ok());
  EXPECT_THAT(KernelName(kernels, 0), HasSubstr("avx512vnni"));
  EXPECT_EQ(KernelName(kernels, 100), nullptr);
}

}  // namespace latimer::gemm_test
