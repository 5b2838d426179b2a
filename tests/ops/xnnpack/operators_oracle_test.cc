// XNNPACK's public operators are the judge: for the same input, our direct
// kernel calls must give the same bits.
// Tests runtime/ops/xnnpack/gemm.cc, runtime/ops/xnnpack/pack.cc.
#include <gtest/gtest.h>
#include <xnnpack.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ops/xnnpack/gemm.h"
#include "ops/xnnpack/kernel_sets.h"
#include "ops/xnnpack/pack.h"
#include "tests/ops/guarded_memory.h"

namespace latimer::operators_oracle_test {

struct DeleteOperator {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, DeleteOperator>;

// A weights cache that shows the bytes an operator packs.
struct PackedCapture {
  std::vector<std::byte> reserved;
  std::byte* aligned = nullptr;
  size_t size = 0;

  xnn_weights_cache_provider Provider() {
    xnn_weights_cache_provider provider = {};
    provider.context = this;
    provider.look_up = [](void*, const xnn_weights_cache_look_up_key*) {
      return SIZE_MAX;
    };
    provider.reserve_space = [](void* context, size_t n) -> void* {
      auto* self = static_cast<PackedCapture*>(context);
      self->reserved.assign(n + 2 * kPackedAlignment, std::byte{0});
      const auto address = reinterpret_cast<uintptr_t>(self->reserved.data());
      self->aligned =
          reinterpret_cast<std::byte*>(RoundUp(address, kPackedAlignment));
      return self->aligned;
    };
    provider.look_up_or_insert = [](void* context,
                                    const xnn_weights_cache_look_up_key*, void*,
                                    size_t packed_size) -> size_t {
      static_cast<PackedCapture*>(context)->size = packed_size;
      return 0;
    };
    provider.is_finalized = [](void*) { return true; };
    provider.offset_to_addr = [](void* context, size_t offset) -> void* {
      return static_cast<PackedCapture*>(context)->aligned + offset;
    };
    provider.delete_cache = [](void*) { return xnn_status_success; };
    return provider;
  }
};

struct Sizes {
  size_t rows, n, k;
};

std::vector<Sizes> AllSizes() {
  std::vector<Sizes> sizes;
  const size_t n_and_k[][2] = {{1, 1},    {17, 9},   {33, 64},
                               {64, 127}, {203, 96}, {96, 513}};
  for (size_t i = 0; i < 6; ++i) {
    for (size_t rows = 1; rows <= 12; ++rows) {
      sizes.push_back({rows, n_and_k[i][0], n_and_k[i][1]});
    }
    sizes.push_back({33, n_and_k[i][0], n_and_k[i][1]});
  }
  return sizes;
}

std::string Describe(const Sizes& s) {
  return "rows " + std::to_string(s.rows) + " n " + std::to_string(s.n) +
         " k " + std::to_string(s.k);
}

// The tiles that this CPU can use, best first.
std::vector<Tile> UsableTiles(WeightType type) {
  std::vector<Tile> tiles;
  for (const Tile tile : {Tile::k16x8, Tile::k16x4, Tile::k8x8, Tile::k4x8,
                          Tile::k8x2s4, Tile::k4x4, Tile::k8x1, Tile::k4x1}) {
    GemmKernels kernels;
    if (WeightTypeOf(tile) == type &&
        SelectGemmKernels(DetectCpuFeatures(), type, tile, &kernels).ok()) {
      tiles.push_back(tile);
    }
  }
  return tiles;
}

class XnnpackOracle : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(xnn_initialize(nullptr), xnn_status_success);
  }
};

std::vector<float> RandomFloats(size_t count, float low, float high,
                                uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(low, high);
  std::vector<float> values(count);
  for (float& v : values) v = value(random);
  return values;
}

TEST_F(XnnpackOracle, QuantizedRowsAreTheConvertOperatorsBits) {
  GemmKernels kernels;
  const Tile tile = UsableTiles(WeightType::kInt8).front();
  ASSERT_TRUE(
      SelectGemmKernels(DetectCpuFeatures(), WeightType::kInt8, tile, &kernels)
          .ok());
  for (const float low : {-3.0f, 0.5f, -7.0f}) {
    for (const size_t k : {1, 5, 64, 100, 512, 2051}) {
      const size_t rows = 9;
      std::vector<float> x = RandomFloats(rows * k + XNN_EXTRA_BYTES, low,
                                          low + 5, static_cast<uint32_t>(k));
      for (size_t i = 0; i < k; ++i) x[i] = 0.0f;  // A row of zeros, too.
      xnn_operator_t op = nullptr;
      ASSERT_EQ(xnn_create_convert_nc_f32_qd8(0, &op), xnn_status_success);
      const Operator owner(op);
      ASSERT_EQ(xnn_reshape_convert_nc_f32_qd8(op, rows, k, k, k, nullptr),
                xnn_status_success);
      std::vector<int8_t> expected(rows * k + XNN_EXTRA_BYTES);
      std::vector<RowQuantization> expected_params(
          rows + XNN_EXTRA_QUANTIZATION_PARAMS);
      ASSERT_EQ(xnn_setup_convert_nc_f32_qd8(
                    op, x.data(), expected.data(),
                    reinterpret_cast<xnn_quantization_params*>(
                        expected_params.data())),
                xnn_status_success);
      ASSERT_EQ(xnn_run_operator(op, nullptr), xnn_status_success);
      std::vector<int8_t> q(rows * k + XNN_EXTRA_BYTES);
      std::vector<RowQuantization> params(rows);
      QuantizeRows(kernels, rows, k, x.data(), k, q.data(), k, params.data());
      EXPECT_EQ(std::memcmp(q.data(), expected.data(), rows * k), 0) << k;
      EXPECT_EQ(std::memcmp(params.data(), expected_params.data(),
                            rows * sizeof(RowQuantization)),
                0)
          << k;
    }
  }
}

struct IntegerWeights {
  std::vector<int8_t> weights;
  std::vector<uint8_t> nibbles;  // The same as the qc4w operator reads them.
  std::vector<float> scale;
};

// XNNPACK's operator for int8 or int4 weights.
struct IntegerOperator {
  WeightType type;
  xnn_status (*create)(const Sizes& s, const IntegerWeights& w,
                       xnn_weights_cache_t cache, xnn_operator_t* op);
  decltype(&xnn_reshape_fully_connected_nc_qd8_f32_qc8w) reshape;
  decltype(&xnn_setup_fully_connected_nc_qd8_f32_qc8w) setup;
  // Whether the operator has the layout of this tile.
  bool (*has_layout)(Tile tile);
};

constexpr IntegerOperator kInt8Operator = {
    WeightType::kInt8,
    [](const Sizes& s, const IntegerWeights& w, xnn_weights_cache_t cache,
       xnn_operator_t* op) {
      return xnn_create_fully_connected_nc_qd8_f32_qc8w(
          s.k, s.n, s.k, s.n, w.scale.data(), w.weights.data(), nullptr,
          -INFINITY, INFINITY, 0, nullptr, cache, op);
    },
    xnn_reshape_fully_connected_nc_qd8_f32_qc8w,
    xnn_setup_fully_connected_nc_qd8_f32_qc8w,
    [](Tile tile) { return tile == UsableTiles(WeightType::kInt8).front(); }};

// For AVX2 and SSE4.1 the operator has kernels of another layout.
constexpr IntegerOperator kInt4Operator = {
    WeightType::kInt4,
    [](const Sizes& s, const IntegerWeights& w, xnn_weights_cache_t cache,
       xnn_operator_t* op) {
      return xnn_create_fully_connected_nc_qd8_f32_qc4w(
          s.k, s.n, s.k, s.n, /*kernel_zero_point=*/8, w.scale.data(),
          w.nibbles.data(), nullptr, -INFINITY, INFINITY, 0, nullptr, cache,
          op);
    },
    xnn_reshape_fully_connected_nc_qd8_f32_qc4w,
    xnn_setup_fully_connected_nc_qd8_f32_qc4w,
    [](Tile tile) { return tile == Tile::k16x8; }};

IntegerWeights RandomWeights(WeightType type, const Sizes& s) {
  IntegerWeights w = {std::vector<int8_t>(s.n * s.k),
                      std::vector<uint8_t>((s.n * s.k + 1) / 2),
                      RandomFloats(s.n, 0.001f, 0.02f, 4)};
  std::mt19937 random(3);
  for (size_t i = 0; i < w.weights.size(); ++i) {
    if (type == WeightType::kInt8) {
      w.weights[i] =
          static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
      continue;
    }
    const uint32_t nibble = random() % 16;
    w.weights[i] = static_cast<int8_t>(static_cast<int>(nibble) - 8);
    w.nibbles[i / 2] |= static_cast<uint8_t>(nibble << i % 2 * 4);
  }
  return w;
}

// Expects the operator's results for all sizes and all kernels that this CPU
// can run, ours among them. Returns whether packed bytes could be compared too.
bool CompareWithOperator(const IntegerOperator& judge) {
  bool compared_packed = false;
  const CpuFeatures cpu = DetectCpuFeatures();
  for (Sizes s : AllSizes()) {
    // The qc4w operator reads rows of whole bytes.
    if (judge.type == WeightType::kInt4) s.k += s.k % 2;
    SCOPED_TRACE(Describe(s));
    const IntegerWeights weights = RandomWeights(judge.type, s);
    const std::vector<float> x =
        RandomFloats(s.rows * s.k + XNN_EXTRA_BYTES, -2.0f, 3.0f, 6);
    std::vector<int8_t> q(s.rows * s.k + XNN_EXTRA_BYTES);
    std::vector<RowQuantization> params(s.rows + XNN_EXTRA_QUANTIZATION_PARAMS);
    GemmKernels any;
    EXPECT_TRUE(SelectGemmKernels(cpu, WeightType::kInt8,
                                  UsableTiles(WeightType::kInt8).front(), &any)
                    .ok());
    QuantizeRows(any, s.rows, s.k, x.data(), s.k, q.data(), s.k, params.data());
    // The operator, unlike GemmInt8, wants the last entry repeated.
    for (size_t i = s.rows; i < params.size(); ++i) {
      params[i] = params[s.rows - 1];
    }

    PackedCapture capture;
    xnn_weights_cache_provider provider = capture.Provider();
    xnn_operator_t op = nullptr;
    EXPECT_EQ(judge.create(s, weights, &provider, &op), xnn_status_success);
    const Operator owner(op);
    EXPECT_EQ(judge.reshape(op, s.rows, nullptr), xnn_status_success);
    std::vector<float> expected(s.rows * s.n);
    EXPECT_EQ(
        judge.setup(op, q.data(), expected.data(),
                    reinterpret_cast<xnn_quantization_params*>(params.data())),
        xnn_status_success);
    EXPECT_EQ(xnn_run_operator(op, nullptr), xnn_status_success);

    const bool int4 = judge.type == WeightType::kInt4;
    for (const GemmKernelSet& set : GemmKernelSets(judge.type)) {
      if (!(cpu.*(set.feature))) continue;
      SCOPED_TRACE(set.isa);
      const Tile tile = set.tile;
      GemmKernels kernels;
      EXPECT_TRUE(
          SelectGemmKernels(cpu, WeightType::kInt8, tile, &kernels).ok());
      (int4 ? kernels.int4 : kernels.gemm) = &set;
      const uint64_t size = PackedBytes(judge.type, tile, s.n, s.k);
      GuardedBytes packed(size);
      (int4 ? PackInt4 : PackInt8)(tile, s.n, s.k, weights.weights.data(),
                                   weights.scale.data(),
                                   packed.As<std::byte>());
      const PackedMatrix w = {packed.As<std::byte>(),
                              static_cast<uint32_t>(s.n),
                              static_cast<uint32_t>(s.k), int4};
      std::vector<float> y(s.rows * s.n);
      GemmInt8(kernels, s.rows, w, 0, w.n, q.data(), s.k, params.data(),
               y.data(), s.n);
      EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * 4), 0)
          << NameOf(tile);
      // In the same layout, the packed bytes are the same. SIMD packers leave
      // other bytes in the padding channels of the last block.
      if (judge.has_layout(tile) && s.n % ShapeOf(judge.type, tile).nr == 0 &&
          capture.size == size) {
        EXPECT_EQ(std::memcmp(packed.As<std::byte>(), capture.aligned, size), 0)
            << NameOf(tile);
        compared_packed = true;
      }
    }
  }
  return compared_packed;
}

TEST_F(XnnpackOracle, Int8GemmIsTheFullyConnectedOperatorsBits) {
  const bool compared_packed = CompareWithOperator(kInt8Operator);
#if defined(__x86_64__)
  EXPECT_TRUE(compared_packed);
#else
  static_cast<void>(compared_packed);
#endif
}

TEST_F(XnnpackOracle, Int4GemmIsTheFullyConnectedOperatorsBits) {
  const CpuFeatures cpu = DetectCpuFeatures();
  EXPECT_TRUE(CompareWithOperator(kInt4Operator) ||
              !(cpu.avx512vnni || cpu.i8mm));
}

TEST_F(XnnpackOracle, F32GemmIsTheFullyConnectedOperatorsBits) {
  GemmKernels kernels;
  ASSERT_TRUE(SelectGemmKernels(DetectCpuFeatures(), WeightType::kF32,
                                Tile::k8x1, &kernels)
                  .ok());
  for (const Sizes& s : AllSizes()) {
    SCOPED_TRACE(Describe(s));
    const std::vector<float> weights = RandomFloats(s.n * s.k, -1, 1, 7);
    const std::vector<float> x =
        RandomFloats(s.rows * s.k + XNN_EXTRA_BYTES, -2.0f, 3.0f, 9);
    xnn_operator_t op = nullptr;
    ASSERT_EQ(xnn_create_fully_connected_nc_f32(
                  s.k, s.n, s.k, s.n, weights.data(), nullptr, -INFINITY,
                  INFINITY, 0, nullptr, nullptr, &op),
              xnn_status_success);
    const Operator owner(op);
    ASSERT_EQ(xnn_reshape_fully_connected_nc_f32(op, s.rows, nullptr),
              xnn_status_success);
    std::vector<float> expected(s.rows * s.n);
    ASSERT_EQ(xnn_setup_fully_connected_nc_f32(op, x.data(), expected.data()),
              xnn_status_success);
    ASSERT_EQ(xnn_run_operator(op, nullptr), xnn_status_success);

    GuardedBytes packed(PackedBytes(WeightType::kF32, Tile::k8x1, s.n, s.k));
    PackF32(Tile::k8x1, s.n, s.k, weights.data(), packed.As<std::byte>());
    const PackedMatrix w = {packed.As<std::byte>(), static_cast<uint32_t>(s.n),
                            static_cast<uint32_t>(s.k)};
    std::vector<float> y(s.rows * s.n);
    GemmF32(kernels, s.rows, w, 0, w.n, x.data(), s.k, y.data(), s.n);
    // For fewer channels than its tile has, the operator takes a kernel
    // without FMA.
    if (s.n >= 32) {
      EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * 4), 0);
    }
    for (size_t i = 0; i < y.size(); ++i) {
      ASSERT_NEAR(y[i], expected[i], 1e-6 * static_cast<double>(s.k + 2));
    }
  }
}

}  // namespace latimer::operators_oracle_test
