// Every type of weights of the table, in every tile that may hold it: rows that
// are packed are read again as they were.
// Tests runtime/ops/xnnpack/pack.cc, runtime/ops/xnnpack/gemm.cc.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ops/xnnpack/gemm.h"
#include "ops/xnnpack/pack.h"

namespace latimer::weight_types_test {

template <typename Visit>
void ForEachTile(const Visit& visit) {
  for (size_t value = 1; value < std::size(kTiles); ++value) {
    visit(static_cast<Tile>(value));
  }
}

TEST(WeightTypesTest, HaveNamesOfTheirOwnAndFewBits) {
  std::set<std::string> names;
  ForEachWeightType([&](WeightType type) {
    const WeightTypeInfo& info = InfoOf(type);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.weights, std::string(info.name) + " weights");
    if (!IsInteger(type)) return;
    EXPECT_LT(info.most, 1 << (info.bits - 1)) << info.name;
    EXPECT_GE(info.least, -(1 << (info.bits - 1))) << info.name;
    EXPECT_EQ(info.signed_scales, info.least != -info.most) << info.name;
  });
}

TEST(WeightTypesTest, EachFitsATile) {
  ForEachWeightType([](WeightType type) {
    bool fits = false;
    ForEachTile(
        [&](Tile tile) { fits = fits || MayBeIn(WeightTypeOf(tile), type); });
    EXPECT_TRUE(fits) << NameOf(type);
  });
}

struct Matrix {
  static constexpr uint32_t kRows = 37, kColumns = 100;

  std::vector<float> values;  // Exact in every type of floats.
  std::vector<int8_t> integers;
  std::vector<float> scales;
};

Matrix RandomMatrix(WeightType type) {
  Matrix m{std::vector<float>(Matrix::kRows * Matrix::kColumns),
           std::vector<int8_t>(Matrix::kRows * Matrix::kColumns),
           std::vector<float>(Matrix::kRows)};
  std::mt19937 random(7);
  std::uniform_int_distribution<int> number(
      IsInteger(type) ? InfoOf(type).least : -127,
      IsInteger(type) ? InfoOf(type).most : 127);
  for (size_t i = 0; i < m.integers.size(); ++i) {
    m.integers[i] = static_cast<int8_t>(number(random));
    m.values[i] = static_cast<float>(m.integers[i]) / 16;
  }
  for (size_t i = 0; i < Matrix::kRows; ++i) {
    m.scales[i] = 0.01f * static_cast<float>(i + 1);
  }
  return m;
}

void ExpectSameRows(WeightType type, Tile tile) {
  const Matrix m = RandomMatrix(type);
  const size_t bytes = PackedBytes(type, tile, Matrix::kRows, Matrix::kColumns);
  std::vector<std::byte> memory(bytes + kPackedAlignment);
  void* begin = memory.data();
  size_t space = memory.size();
  auto* packed = static_cast<std::byte*>(
      std::align(kPackedAlignment, bytes, begin, space));
  PackMatrix(type, tile, Matrix::kRows, Matrix::kColumns, m.values.data(),
             m.integers.data(), m.scales.data(), packed);
  const PackedMatrix w = {packed, Matrix::kRows, Matrix::kColumns, type};
  std::vector<float> row(Matrix::kColumns);
  for (uint32_t i = 0; i < Matrix::kRows; ++i) {
    UnpackRow(type, tile, w, i, row.data());
    for (uint32_t j = 0; j < Matrix::kColumns; ++j) {
      const size_t at = i * Matrix::kColumns + j;
      const float expected =
          IsInteger(type) ? static_cast<float>(m.integers[at]) * m.scales[i]
                          : m.values[at];
      ASSERT_EQ(row[j], expected)
          << NameOf(type) << " in " << NameOf(tile) << ", row " << i;
    }
  }
}

TEST(WeightTypesTest, RowsAreReadAsTheyWerePacked) {
  ForEachWeightType([](WeightType type) {
    if (!InfoOf(type).has_rows) return;
    ForEachTile([type](Tile tile) {
      if (MayBeIn(WeightTypeOf(tile), type)) ExpectSameRows(type, tile);
    });
  });
}

}  // namespace latimer::weight_types_test
