// The best token by bounds, without computing all logits.
// Tests runtime/search/pruned_argmax.cc, runtime/ops/nibble/planes.cc.
#include "search/pruned_argmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "latimer/translator.h"
#include "ops/nibble/pack.h"
#include "ops/xnnpack/pack.h"
#include "search/choose.h"

namespace latimer::pruned_argmax_test {

constexpr float kNever = -std::numeric_limits<float>::infinity();

Workspace workspace;

// An int8 output matrix [n, k], its bias and rows of activations.
struct Case {
  std::string name;
  uint32_t n, k;
  std::vector<int8_t> weights;
  std::vector<float> scale;
  std::vector<float> bias;  // Empty: none.
  std::vector<std::vector<float>> rows;
};

Case RandomCase(uint32_t n, uint32_t k, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> weight(-127, 127);
  std::normal_distribution<float> value;
  Case c{.name = "random " + std::to_string(n) + " x " + std::to_string(k),
         .n = n,
         .k = k,
         .weights = std::vector<int8_t>(size_t{n} * k),
         .scale = {},
         .bias = {},
         .rows = {}};
  for (int8_t& w : c.weights) w = static_cast<int8_t>(weight(random));
  for (uint32_t i = 0; i < n; ++i) {
    c.scale.push_back(0.001f + 0.0001f * static_cast<float>(random() % 16));
    if (seed % 2 == 0) c.bias.push_back(value(random));
  }
  for (int i = 0; i < 8; ++i) {
    std::vector<float> row(k);
    for (float& v : row) v = value(random) + static_cast<float>(i % 3);
    c.rows.push_back(row);
  }
  return c;
}

// Like a trained model's: most logits are far below the best.
Case PeakedCase(uint32_t seed) {
  Case c = RandomCase(3000, 256, seed);
  c.name = "peaked";
  for (std::vector<float>& row : c.rows) {
    const size_t like = static_cast<size_t>(&row - c.rows.data()) * 311;
    for (uint32_t i = 0; i < c.k; ++i) {
      row[i] += 0.02f * static_cast<float>(c.weights[like * c.k + i]);
    }
  }
  return c;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const uint32_t n : {1u, 16u, 40u, 255u, 256u, 257u, 1000u}) {
    for (const uint32_t k : {128u, 512u}) {
      cases.push_back(RandomCase(n, k, seed++));
    }
  }
  cases.push_back(PeakedCase(seed++));

  Case equal = RandomCase(700, 128, seed++);
  equal.name = "all rows equal";
  for (uint32_t i = 1; i < equal.n; ++i) {
    std::copy_n(equal.weights.begin(), equal.k,
                equal.weights.begin() + i * equal.k);
  }
  std::fill(equal.scale.begin(), equal.scale.end(), 0.01f);
  equal.bias.clear();
  cases.push_back(equal);

  Case pairs = RandomCase(700, 128, seed++);
  pairs.name = "every row twice, far apart";
  for (uint32_t i = 0; i < 350; ++i) {
    std::copy_n(pairs.weights.begin() + i * pairs.k, pairs.k,
                pairs.weights.begin() + (699 - i) * pairs.k);
    pairs.scale[699 - i] = pairs.scale[i];
  }
  pairs.bias.clear();
  cases.push_back(pairs);

  Case low = RandomCase(600, 256, seed++);
  low.name = "rows differ in their low nibbles only";
  for (size_t i = 0; i < low.weights.size(); ++i) {
    const int high = low.weights[i % low.k] & ~15;
    low.weights[i] =
        static_cast<int8_t>(std::max(high + (low.weights[i] & 15), -127));
  }
  std::fill(low.scale.begin(), low.scale.end(), 0.01f);
  cases.push_back(low);

  Case extreme = RandomCase(300, 512, seed++);
  extreme.name = "extreme values";
  for (int8_t& w : extreme.weights) w = w < 0 ? -127 : 127;
  extreme.rows.assign(4, std::vector<float>(extreme.k, 1e30f));
  std::fill(extreme.rows[1].begin(), extreme.rows[1].end(), -1e30f);
  std::fill(extreme.rows[2].begin(), extreme.rows[2].begin() + 256, -1e-30f);
  std::fill(extreme.rows[3].begin(), extreme.rows[3].begin() + 511, 1e-38f);
  cases.push_back(extreme);

  Case zero = RandomCase(300, 128, 2 * seed++);
  zero.name = "zero activations, with bias";
  zero.rows.assign(1, std::vector<float>(zero.k, 0.0f));
  cases.push_back(zero);
  zero.name = "zero activations";
  zero.bias.clear();
  cases.push_back(zero);
  zero.name = "zero scales";
  std::fill(zero.scale.begin(), zero.scale.end(), 0.0f);
  cases.push_back(zero);
  return cases;
}

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Aligned = std::unique_ptr<std::byte, Free>;

Aligned Allocate(uint64_t bytes) {
  return Aligned(
      static_cast<std::byte*>(std::aligned_alloc(64, RoundUp(bytes, 64))));
}

// An engine with an output matrix and nothing else of a model.
class PrunedArgmaxTest : public testing::Test {
 protected:
  void Use(const Case& c) {
    planes_ = Allocate(NibblePlaneBytes(c.n, c.k, 8));
    PackNibblePlanes(c.n, c.k, 0, c.n, c.weights.data(), c.scale.data(), 8,
                     planes_.get());
    packed_ = Allocate(PackedBytes(WeightType::kInt8, tile_, c.n, c.k));
    PackInt8(tile_, c.n, c.k, c.weights.data(), c.scale.data(), packed_.get());
    engine_.model.info.architecture = {};  // Without a cap of logits.
    engine_.model.weight_type = WeightType::kInt8;
    engine_.model.tile = tile_;
    engine_.model.info.has_shortlist = false;
    pruned_ = {{planes_.get(), c.n, c.k}, nullptr, true};
    full_ = {{packed_.get(), c.n, c.k}, nullptr, false};
    if (!c.bias.empty()) pruned_.bias = full_.bias = c.bias.data();
  }

  void SetUp() override {
    const CpuFeatures cpu = DetectCpuFeatures();
    bool found = false;
    for (const Tile tile : {Tile::k8x8, Tile::k4x8, Tile::k8x2s4, Tile::k4x4,
                            Tile::k16x8, Tile::k16x4}) {
      if (!SelectGemmKernels(cpu, WeightType::kInt8, tile, &engine_.gemm)
               .ok()) {
        continue;
      }
      tile_ = tile;
      found = true;
      break;
    }
    ASSERT_TRUE(found);
    const VectorKernels* tables[kMaxVectorKernels];
    ASSERT_GT(ListVectorKernels(cpu, tables), 0u);
    engine_.vector = tables[0];
    engine_.nibble = SelectNibbleKernels(cpu);
    ASSERT_NE(engine_.nibble, nullptr);
  }

  std::vector<float> Logits(const std::vector<float>& row, bool pruned) {
    engine_.model.tensors.output = pruned ? pruned_ : full_;
    ComputeLogits(engine_, Input(row, 1), {}, Buffers(workspace).logits);
    return {Buffers(workspace).logits, Buffers(workspace).logits + pruned_.n};
  }

  // Rows of activations, quantized.
  LinearInput Input(const std::vector<float>& rows, size_t count) {
    Trace trace;
    return MakeLinearInput({engine_, workspace, trace}, rows.data(), count,
                           rows.size() / count);
  }

  // Expects what argmax finds in the logits, without the banned tokens.
  void ExpectTheBest(std::vector<float> logits, const std::vector<float>& row,
                     const std::vector<uint32_t>& banned) {
    engine_.model.tensors.output = pruned_;
    const LinearInput input = Input(row, 1);
    SearchOptions options = {};
    const std::vector<int32_t> suppressed(banned.begin(), banned.end());
    options.suppressed = suppressed;
    options.repetition_penalty = 1.0f;
    for (const uint32_t token : banned) logits[token] = kNever;
    const size_t expected =
        engine_.vector->argmax(logits.size(), logits.data());
    const uint32_t first = 0;
    size_t computed[2];
    for (const Bounds bounds : {Bounds::kHighNibbles, Bounds::kExact}) {
      BoundLogits(engine_, input, {&first, 1}, bounds,
                  Buffers(workspace).logits);
      const BestToken best = FindBestToken(
          engine_, input, options, {0, nullptr, 1}, Buffers(workspace).logits);
      ASSERT_EQ(best.token, expected);
      EXPECT_EQ(std::memcmp(&best.logit, &logits[expected], sizeof(float)), 0)
          << best.logit << " and " << logits[expected];
      EXPECT_LE(best.computed, logits.size());
      computed[static_cast<int>(bounds)] = best.computed;
    }
    EXPECT_LE(computed[static_cast<int>(Bounds::kExact)],
              computed[static_cast<int>(Bounds::kHighNibbles)]);
    computed_ = computed[static_cast<int>(Bounds::kHighNibbles)];
  }

  Engine engine_;
  Tile tile_ = Tile::k8x8;
  Linear pruned_, full_;
  Aligned planes_, packed_;
  size_t computed_ = 0;
};

TEST_F(PrunedArgmaxTest, AllLogitsHaveTheBitsOfThePackedMatrix) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    Use(c);
    for (const std::vector<float>& row : c.rows) {
      const std::vector<float> full = Logits(row, false);
      const std::vector<float> both = Logits(row, true);
      EXPECT_EQ(
          std::memcmp(full.data(), both.data(), full.size() * sizeof(float)),
          0);
    }
  }
}

TEST_F(PrunedArgmaxTest, FindsWhatArgmaxFinds) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    Use(c);
    for (const std::vector<float>& row : c.rows) {
      ExpectTheBest(Logits(row, false), row, {});
    }
  }
}

TEST_F(PrunedArgmaxTest, FindsTheBestThatIsNotBanned) {
  std::mt19937 random(5);
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    Use(c);
    for (const std::vector<float>& row : c.rows) {
      std::vector<float> logits = Logits(row, false);
      // The best ten, one after another; then any.
      std::vector<uint32_t> banned;
      for (int i = 0; i < 10; ++i) {
        std::vector<float> left = logits;
        for (const uint32_t token : banned) left[token] = kNever;
        banned.push_back(static_cast<uint32_t>(
            engine_.vector->argmax(left.size(), left.data())));
        ExpectTheBest(logits, row, banned);
      }
      for (uint32_t i = 0; i < c.n / 2; ++i) {
        banned.push_back(static_cast<uint32_t>(random() % c.n));
      }
      ExpectTheBest(logits, row, banned);
    }
  }
}

TEST_F(PrunedArgmaxTest, FindsTheOnlyTokenThatIsLeft) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    Use(c);
    const std::vector<float>& row = c.rows[0];
    for (const uint32_t left : {0u, c.n / 2, c.n - 1}) {
      std::vector<uint32_t> banned;
      for (uint32_t i = 0; i < c.n; ++i) {
        if (i != left) banned.push_back(i);
      }
      ExpectTheBest(Logits(row, false), row, banned);
    }
  }
}

TEST_F(PrunedArgmaxTest, FindsTheFirstWhereAllAreBanned) {
  const Case c = RandomCase(600, 128, 3);
  Use(c);
  std::vector<uint32_t> banned(c.n);
  for (uint32_t i = 0; i < c.n; ++i) banned[i] = i;
  ExpectTheBest(Logits(c.rows[0], false), c.rows[0], banned);
}

// As many as there can be, some of them left out.
TEST_F(PrunedArgmaxTest, RowsSideBySideHaveWhatEachHasAlone) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    Use(c);
    std::vector<float> values;
    std::vector<size_t> expected;
    std::vector<uint32_t> rows;
    engine_.model.tensors.output = pruned_;
    const size_t most = MostBoundedRows(pruned_);
    uint32_t i = 0;
    for (; rows.size() < most; ++i) {
      const std::vector<float>& row = c.rows[i % c.rows.size()];
      values.insert(values.end(), row.begin(), row.end());
      const std::vector<float> logits = Logits(row, false);
      expected.push_back(engine_.vector->argmax(logits.size(), logits.data()));
      if (i % 7 != 2) rows.push_back(i);
    }
    engine_.model.tensors.output = pruned_;
    const LinearInput input = Input(values, i);
    SearchOptions options = {};
    options.repetition_penalty = 1.0f;
    for (const Bounds bounds : {Bounds::kHighNibbles, Bounds::kExact}) {
      BoundLogits(engine_, input, rows, bounds, Buffers(workspace).logits);
      for (size_t j = 0; j < rows.size(); ++j) {
        const BestToken best =
            FindBestToken(engine_, input.Row(rows[j]), options, {0, nullptr, 1},
                          Buffers(workspace).logits + j * NibbleBlocks(c.n));
        EXPECT_EQ(best.token, expected[rows[j]]);
      }
    }
  }
}

TEST_F(PrunedArgmaxTest, ThreadsFindTheSame) {
  const uint32_t most = std::min(kProfile.threads, 4u);
  for (uint32_t threads = 2; threads <= most; ++threads) {
    ASSERT_TRUE(engine_.threads.Start(threads, false).ok());
    for (const Case& c : Cases()) {
      SCOPED_TRACE(c.name);
      Use(c);
      for (const std::vector<float>& row : c.rows) {
        const std::vector<float> logits = Logits(row, false);
        EXPECT_EQ(Logits(row, true), logits);
        ExpectTheBest(logits, row, {});
      }
    }
    engine_.threads.Stop();
  }
}

TEST_F(PrunedArgmaxTest, ComputesFewLogitsWhereOneStandsOut) {
  const Case c = PeakedCase(9);
  Use(c);
  for (const std::vector<float>& row : c.rows) {
    ExpectTheBest(Logits(row, false), row, {});
    EXPECT_LT(computed_, c.n / 20);
  }
}

}  // namespace latimer::pruned_argmax_test
