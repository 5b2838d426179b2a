// Nibble planes: logits and bounds have the bits of the formula.
// Tests runtime/ops/nibble/planes.cc, runtime/ops/nibble/pack.cc,
// runtime/ops/nibble/dot_isa.cc.
#include "ops/nibble/planes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "base/cpu_table.h"
#include "ops/nibble/pack.h"
#include "ops/xnnpack/gemm.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer::planes_test {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A matrix of integers, of eight bits or of six, and the row that it
// multiplies.
struct Problem {
  // The weight and the scale that the planes have.
  int StoredWeight(size_t i) const { return weights[i] * (bits < 8 ? 4 : 1); }
  float StoredScale(size_t i) const {
    return scale[i] * (bits < 8 ? 0.25f : 1);
  }

  size_t n, k;
  std::vector<int8_t> weights, q;
  std::vector<float> scale, bias;
  int32_t zero_point = 0;
  float activation_scale = 0.0173f;
  uint32_t bits = 8;
};

Problem RandomProblem(size_t n, size_t k, uint32_t seed, uint32_t bits = 8) {
  std::mt19937 random(seed);
  const int most = bits < 8 ? 31 : 127;
  std::uniform_int_distribution<int> weight(-most, most), byte(-128, 127);
  std::normal_distribution<float> bias(0.0f, 3.0f);
  Problem p{.n = n, .k = k, .weights = {}, .q = {}, .scale = {}, .bias = {}};
  for (size_t i = 0; i < n * k; ++i) {
    p.weights.push_back(static_cast<int8_t>(weight(random)));
  }
  for (size_t i = 0; i < k; ++i) {
    p.q.push_back(static_cast<int8_t>(byte(random)));
  }
  for (size_t i = 0; i < n; ++i) {
    p.scale.push_back(0.001f + 0.0001f * static_cast<float>(i % 13));
    p.bias.push_back(bias(random));
  }
  p.zero_point = byte(random);
  p.bits = bits;
  return p;
}

void Fill(std::vector<int8_t>* values, int value) {
  std::fill(values->begin(), values->end(), static_cast<int8_t>(value));
}

// Ordinary problems, and problems whose sums are as large as they can be.
std::vector<Problem> Problems() {
  std::vector<Problem> problems;
  uint32_t seed = 1;
  for (const size_t n : {1u, 15u, 16u, 17u, 100u, 333u}) {
    for (const size_t k : {32u, 96u, 256u, 640u}) {
      problems.push_back(RandomProblem(n, k, seed++));
      problems.push_back(RandomProblem(n, k, seed++, /*bits=*/6));
    }
  }
  for (const int w : {-127, -121, -8, 0, 7, 8, 127}) {
    for (const int q : {-128, 127}) {
      for (const int zero_point : {-128, 0, 127}) {
        Problem p = RandomProblem(20, 512, seed++);
        Fill(&p.weights, w);
        Fill(&p.q, q);
        p.zero_point = zero_point;
        problems.push_back(p);
        if (w < -31 || w > 31) continue;
        p.bits = 6;
        problems.push_back(std::move(p));
      }
    }
  }
  Problem largest = RandomProblem(3, kMaxNibbleInputs, seed++);
  Fill(&largest.weights, 127);
  Fill(&largest.q, 127);
  largest.zero_point = -128;
  problems.push_back(std::move(largest));
  return problems;
}

struct Packed {
  explicit Packed(const Problem& p) {
    const size_t bytes = NibblePlaneBytes(p.n, p.k, p.bits);
    data.resize(bytes + 64);
    void* memory = data.data();
    size_t space = data.size();
    auto* begin = static_cast<std::byte*>(std::align(64, bytes, memory, space));
    // In two calls, as the converter may do.
    const size_t part = std::min<size_t>(p.n, 16);
    PackNibblePlanes(p.n, p.k, 0, part, p.weights.data(), p.scale.data(),
                     p.bits, begin);
    if (part < p.n) {
      PackNibblePlanes(p.n, p.k, part, p.n - part,
                       p.weights.data() + part * p.k, p.scale.data() + part,
                       p.bits, begin);
    }
    matrix = {begin, static_cast<uint32_t>(p.n), static_cast<uint32_t>(p.k),
              p.bits < 8 ? WeightType::kInt6 : WeightType::kInt8};
  }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  std::vector<std::byte> data;
  PackedMatrix matrix;
};

NibbleProduct ProductOf(const NibbleKernels& table, const Problem& p,
                        const Packed& packed, bool with_bias) {
  return MakeNibbleProduct(table, packed.matrix,
                           with_bias ? p.bias.data() : nullptr, p.q.data(),
                           p.zero_point, p.activation_scale);
}

// The formula of GemmInt8 and the bias.
float Logit(const Problem& p, size_t channel, bool with_bias) {
  int32_t sum = 0;
  for (size_t i = 0; i < p.k; ++i) {
    sum += (p.q[i] - p.zero_point) * p.weights[channel * p.k + i];
  }
  const float scaled = static_cast<float>(sum) * p.activation_scale;
  const float logit = scaled * p.scale[channel] + 0.0f;
  return with_bias ? logit + p.bias[channel] : logit;
}

int32_t HighSum(const Problem& p, size_t channel) {
  int32_t sum = 0;
  for (size_t i = 0; i < p.k; ++i) {
    sum += (p.q[i] - p.zero_point) *
           ((p.StoredWeight(channel * p.k + i) + 128) / 16);
  }
  return sum;
}

// The bound of one channel, in plain C++ and the kernels' order.
float Bound(const Problem& p, size_t channel, bool with_bias) {
  int32_t sum = 0;
  uint32_t squares = 0;
  double rest = 0;
  for (size_t i = 0; i < p.k; ++i) {
    const int x = p.q[i] - p.zero_point;
    const int w = p.StoredWeight(channel * p.k + i) + 128;
    sum += x;
    squares += static_cast<uint32_t>(x * x);
    rest += (w % 16 - 7.5) * (w % 16 - 7.5);
  }
  const float norm =
      std::nextafter(static_cast<float>(std::sqrt(rest)), kInfinity);
  const float row_norm =
      std::sqrt(static_cast<float>(squares)) * (1.0f + std::ldexp(1.0f, -20));
  const float slack =
      static_cast<float>(p.k) / 64 - 0.5f * static_cast<float>(sum);
  const float product = norm * row_norm;
  const float most = static_cast<float>(16 * HighSum(p, channel) - 120 * sum) +
                     (product + slack);
  const float scaled = most * p.activation_scale;
  const float bound = scaled * p.StoredScale(channel) + 0.0f;
  return with_bias ? bound + p.bias[channel] : bound;
}

// All tables that this CPU can run: clears its features one by one, the newest
// first.
std::vector<const NibbleKernels*> UsableTables() {
  CpuFeatures features = DetectCpuFeatures();
  std::vector<const NibbleKernels*> tables;
  for (int newest = kIsaCount - 1; newest >= 0; --newest) {
    const NibbleKernels* table = SelectNibbleKernels(features);
    if (table != nullptr &&
        std::find(tables.begin(), tables.end(), table) == tables.end()) {
      tables.push_back(table);
    }
    features.*kIsas[newest].usable = false;
  }
  return tables;
}

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(NibblePlanesTest, EveryCpuHasATable) {
  ASSERT_FALSE(UsableTables().empty());
}

// Calls run() for each table and problem, with bias and without.
template <typename Run>
void ForEachProduct(const Run& run) {
  for (const NibbleKernels* table : UsableTables()) {
    for (const Problem& p : Problems()) {
      const Packed packed(p);
      for (const bool with_bias : {false, true}) {
        SCOPED_TRACE(std::string(table->name) + " " + std::to_string(p.n) +
                     " x " + std::to_string(p.k));
        run(*table, p, ProductOf(*table, p, packed, with_bias), with_bias);
      }
    }
  }
}

TEST(NibblePlanesTest, LogitsHaveTheBitsOfTheFormula) {
  ForEachProduct([](const NibbleKernels& table, const Problem& p,
                    const NibbleProduct& product, bool with_bias) {
    std::vector<float> all(RoundUp(p.n, kNibbleBlockRows)), parts = all;
    const size_t blocks = NibbleBlocks(p.n);
    table.compute(product, 0, blocks, all.data());
    for (size_t i = 0; i < blocks; ++i) {
      table.compute(product, i, i + 1, parts.data() + i * kNibbleBlockRows);
    }
    for (size_t i = 0; i < p.n; ++i) {
      const uint32_t expected = BitsOf(Logit(p, i, with_bias));
      ASSERT_EQ(BitsOf(all[i]), expected) << i;
      ASSERT_EQ(BitsOf(parts[i]), expected) << i;
    }
  });
}

// Expects found[i] to be the largest formula(p, channel, with_bias) of block i.
void ExpectLargest(const std::vector<float>& found, const Problem& p,
                   bool with_bias,
                   float (*formula)(const Problem&, size_t, bool)) {
  for (size_t block = 0; block < found.size(); ++block) {
    float most = -kInfinity;
    const size_t begin = block * kNibbleBlockRows;
    const size_t end = std::min<size_t>(p.n, begin + kNibbleBlockRows);
    for (size_t i = begin; i < end; ++i) {
      most = std::max(most, formula(p, i, with_bias));
    }
    ASSERT_EQ(BitsOf(found[block]), BitsOf(most)) << block;
  }
}

TEST(NibblePlanesTest, BoundsHaveTheBitsOfTheFormula) {
  ForEachProduct([](const NibbleKernels& table, const Problem& p,
                    const NibbleProduct& product, bool with_bias) {
    std::vector<float> bounds(NibbleBlocks(p.n));
    table.bound(&product, 1, 0, bounds.size(), bounds.data(), bounds.size());
    ExpectLargest(bounds, p, with_bias, Bound);
  });
}

TEST(NibblePlanesTest, MaximaAreThoseOfTheLogits) {
  ForEachProduct([](const NibbleKernels& table, const Problem& p,
                    const NibbleProduct& product, bool with_bias) {
    std::vector<float> maxima(NibbleBlocks(p.n));
    table.maximum(&product, 1, 0, maxima.size(), maxima.data(), maxima.size());
    ExpectLargest(maxima, p, with_bias, Logit);
  });
}

// Also for some of the blocks.
void ExpectRowsAreThoseOfEach(const Problem& p) {
  const Packed packed(p);
  std::vector<Problem> inputs;
  for (uint32_t seed = 0; seed < 35; ++seed) {
    inputs.push_back(RandomProblem(1, 96, seed));
  }
  const size_t blocks = NibbleBlocks(p.n);
  for (const NibbleKernels* table : UsableTables()) {
    std::vector<NibbleProduct> products;
    for (const Problem& input : inputs) {
      products.push_back(MakeNibbleProduct(*table, packed.matrix, p.bias.data(),
                                           input.q.data(), input.zero_point,
                                           0.02f));
    }
    for (const auto kernel : {table->bound, table->maximum}) {
      std::vector<float> expected(products.size() * blocks);
      for (size_t i = 0; i < products.size(); ++i) {
        kernel(&products[i], 1, 0, blocks, expected.data() + i * blocks,
               blocks);
      }
      for (size_t count = 1; count <= products.size(); ++count) {
        std::vector<float> found(count * blocks);
        for (const auto& [begin, end] :
             {std::pair<size_t, size_t>{0, 1}, {1, 9}, {9, blocks}}) {
          kernel(products.data(), count, begin, end, found.data() + begin,
                 blocks);
        }
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()))
            << table->name << " " << count;
      }
    }
  }
}

TEST(NibblePlanesTest, BoundsAndMaximaOfManyRowsAreThoseOfEach) {
  ExpectRowsAreThoseOfEach(RandomProblem(333, 96, 7));
  ExpectRowsAreThoseOfEach(RandomProblem(333, 96, 7, /*bits=*/6));
}

TEST(NibblePlanesTest, NoLogitIsAboveItsBound) {
  for (const Problem& p : Problems()) {
    for (size_t i = 0; i < p.n; ++i) {
      ASSERT_LE(Logit(p, i, true), Bound(p, i, true)) << p.n << " x " << p.k;
    }
  }
}

// The low nibbles of these rows point in the direction of the activations, so
// that the Cauchy-Schwarz inequality is an equation and only rounding separates
// the logit from its bound.
TEST(NibblePlanesTest, NoLogitIsAboveItsBoundWhereThatIsTight) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Problem p = RandomProblem(64, 512, seed);
    std::mt19937 random(seed);
    const int amplitude = 1 + static_cast<int>(random() % 8);
    for (size_t i = 0; i < p.k; ++i) {
      const bool up = random() % 2 == 0;
      p.q[i] = static_cast<int8_t>(up ? 16 * amplitude - 1 : -16 * amplitude);
      for (size_t row = 0; row < p.n; ++row) {
        const int high = static_cast<int>(random() % 14) - 7;
        p.weights[row * p.k + i] =
            static_cast<int8_t>(16 * high + (up ? 15 : 0));
      }
    }
    p.zero_point = 0;
    for (size_t i = 0; i < p.n; ++i) {
      const float logit = Logit(p, i, false), bound = Bound(p, i, false);
      ASSERT_LE(logit, bound);
      const float unit = p.activation_scale * p.scale[i];
      EXPECT_LT(bound - logit, 600 * unit) << "not tight: choose other rows";
    }
  }
}

TEST(NibblePlanesTest, UnpackedRowsAreTheWeights) {
  for (const auto& [k, bits] :
       {std::pair(32u, 8u), {384u, 8u}, {32u, 6u}, {384u, 6u}}) {
    const Problem p = RandomProblem(37, k, 3, bits);
    const Packed packed(p);
    for (uint32_t channel = 0; channel < p.n; ++channel) {
      std::vector<float> row(k);
      UnpackNibbleRow(packed.matrix, channel, row.data());
      for (size_t i = 0; i < k; ++i) {
        ASSERT_EQ(row[i], static_cast<float>(p.weights[channel * k + i]) *
                              p.scale[channel]);
      }
    }
  }
}

}  // namespace latimer::planes_test
