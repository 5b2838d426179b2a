// Packing in parts, on all cores, gives the bytes of packing at once.
// Tests converter/tensor_packer.cc, converter/all_cores.cc.
#include "converter/tensor_packer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <list>
#include <memory>
#include <random>
#include <vector>

#include "converter/quantize.h"
#include "ops/xnnpack/pack.h"
#include "tests/converter/model_folder.h"

namespace latimer::tensor_packer_test {

using ::testing::HasSubstr;

constexpr Tile kTiles[] = {Tile::k8x8,   Tile::k16x8, Tile::k16x4, Tile::k4x8,
                           Tile::k8x2s4, Tile::k4x4,  Tile::k8x1,  Tile::k4x1,
                           Tile::k16x1,  Tile::k8x16};

// Random matrices and what they are packed into.
class Matrices {
 public:
  const SourceTensor* Add(const std::string& name, uint64_t rows,
                          uint64_t columns) {
    std::vector<float>& values = values_.emplace_back(rows * columns);
    for (float& value : values) value = normal_(random_);
    return &tensors_.emplace_back(
        SourceTensor{.name = name,
                     .shape = {rows, columns},
                     .data = std::as_bytes(std::span(values))});
  }
  // The numbers of what was added last.
  std::vector<float>& values() { return values_.back(); }

 private:
  std::mt19937 random_{1};
  std::normal_distribution<float> normal_;
  std::list<std::vector<float>> values_;
  std::list<SourceTensor> tensors_;
};

std::vector<std::byte> PackedInParts(const CanonicalLinear& linear,
                                     uint32_t rows, uint32_t columns,
                                     Tile tile) {
  const WeightType type = WeightTypeOf(tile);
  std::vector<std::byte> out(PackedBytes(type, tile, rows, columns),
                             std::byte{0xAA});
  const PackJob job{&linear, rows, columns, out, type};
  uint64_t written = 0;
  PackMatrices({&job, 1}, tile, [&](uint64_t bytes) { written += bytes; });
  EXPECT_EQ(written, out.size());
  return out;
}

// The rows one after another, packed in one go.
std::vector<std::byte> PackedAtOnce(const std::vector<float>& rows,
                                    uint32_t columns, Tile tile) {
  const auto n = static_cast<uint32_t>(rows.size() / columns);
  std::vector<std::byte> out(PackedBytes(WeightTypeOf(tile), tile, n, columns));
  if (WeightTypeOf(tile) == WeightType::kF32) {
    PackF32(tile, n, columns, rows.data(), out.data());
    return out;
  }
  if (WeightTypeOf(tile) == WeightType::kF16) {
    PackF16(n, columns, rows.data(), out.data());
    return out;
  }
  std::vector<int8_t> quantized(rows.size());
  std::vector<float> scales;
  for (size_t i = 0; i < n; ++i) {
    scales.push_back(
        QuantizeChannel(std::span(rows).subspan(i * columns, columns),
                        std::span(quantized).subspan(i * columns, columns)));
  }
  PackInt8(tile, n, columns, quantized.data(), scales.data(), out.data());
  return out;
}

TEST(TensorPackerTest, PackingInPartsGivesTheBytesOfPackingAtOnce) {
  Matrices matrices;
  // Odd, and many times as much as is packed in one go; three tensors form one
  // matrix.
  constexpr uint32_t kColumns = 203;
  CanonicalLinear linear;
  std::vector<float> rows;
  for (const uint32_t n : {9001u, 3u, 8300u}) {
    linear.weights.push_back(matrices.Add("weight", n, kColumns));
    linear.biases.push_back(nullptr);
    rows.insert(rows.end(), matrices.values().begin(), matrices.values().end());
  }
  for (const Tile tile : kTiles) {
    EXPECT_TRUE(PackedInParts(linear, 17304, kColumns, tile) ==
                PackedAtOnce(rows, kColumns, tile))
        << NameOf(tile);
  }
}

TEST(TensorPackerTest, Int4InPartsGivesTheBytesOfPackingAtOnce) {
  constexpr uint32_t kRows = 17003, kColumns = 203;
  QuantizedMatrix matrix;
  for (uint32_t i = 0; i < kRows * kColumns; ++i) {
    matrix.integers.push_back(
        static_cast<int8_t>(static_cast<int>(i * 7 / 5 % 16) - 8));
  }
  for (uint32_t i = 0; i < kRows; ++i) {
    matrix.scales.push_back(static_cast<float>(i) - 5.0f);
  }
  for (const Tile tile : kTiles) {
    if (WeightTypeOf(tile) != WeightType::kInt8) continue;
    const uint64_t bytes =
        PackedBytes(WeightType::kInt4, tile, kRows, kColumns);
    std::vector<std::byte> parts(bytes, std::byte{0xAA}), whole(bytes);
    const PackJob job{.linear = nullptr,
                      .rows = kRows,
                      .columns = kColumns,
                      .out = parts,
                      .type = WeightType::kInt4,
                      .quantized = &matrix};
    PackMatrices({&job, 1}, tile, [](uint64_t) {});
    PackInt4(tile, kRows, kColumns, matrix.integers.data(),
             matrix.scales.data(), whole.data());
    EXPECT_TRUE(parts == whole) << NameOf(tile);
  }
}

TEST(TensorPackerTest, OnlySelectedRowsArePacked) {
  Matrices matrices;
  constexpr uint32_t kColumns = 64;
  CanonicalLinear linear;
  linear.weights = {matrices.Add("weight", 60000, kColumns)};
  linear.biases = {nullptr};
  std::vector<uint32_t> selected;
  std::vector<float> rows;
  for (uint32_t row = 5; row < 60000; row += 1 + row % 3) {
    selected.push_back(row);
    const auto begin = matrices.values().begin() + row * kColumns;
    rows.insert(rows.end(), begin, begin + kColumns);
  }
  linear.rows = std::make_shared<const std::vector<uint32_t>>(selected);
  for (const Tile tile : kTiles) {
    EXPECT_TRUE(PackedInParts(linear, static_cast<uint32_t>(selected.size()),
                              kColumns,
                              tile) == PackedAtOnce(rows, kColumns, tile))
        << NameOf(tile);
  }
}

TEST(TensorPackerTest, WhatF16CannotHoldIsRefused) {
  constexpr uint32_t kColumns = 3, kRows = 2;
  Matrices matrices;
  CanonicalLinear linear;
  linear.weights = {matrices.Add("huge", kRows, kColumns)};
  linear.biases = {nullptr};
  std::vector<std::byte> out(
      PackedBytes(WeightType::kF16, Tile::k16x1, kRows, kColumns));
  const PackJob job{&linear, kRows, kColumns, out, WeightType::kF16};
  const auto pack = [&] {
    PackMatrices({&job, 1}, Tile::k16x1, [](uint64_t) {});
  };
  matrices.values()[4] = -65519.0f;  // Rounded to what is largest.
  EXPECT_NO_THROW(pack());
  matrices.values()[4] = -65520.0f;
  EXPECT_THAT(ErrorOf(pack), HasSubstr("Tensor huge has the weight -65520"));
}

TEST(TensorPackerTest, TheFirstErrorInFileOrderIsTheOneReported) {
  constexpr uint32_t kColumns = 1024, kRows = 1100;
  Matrices matrices;
  std::vector<CanonicalLinear> linears(20);
  // Each has its own place, because threads write to them.
  std::vector<std::vector<std::byte>> places(
      linears.size(), std::vector<std::byte>(PackedBytes(
                          WeightType::kInt8, Tile::k8x8, kRows, kColumns)));
  std::vector<PackJob> jobs;
  for (size_t i = 0; i < linears.size(); ++i) {
    linears[i].weights = {
        matrices.Add("tensor_" + std::to_string(i), kRows, kColumns)};
    linears[i].biases = {nullptr};
    // In the last row of tensor 7, in the first of all later ones.
    if (i == 7)
      matrices.values().back() = std::numeric_limits<float>::infinity();
    if (i > 7) matrices.values()[0] = std::numeric_limits<float>::quiet_NaN();
    jobs.push_back({&linears[i], kRows, kColumns, places[i]});
  }
  for (int repeat = 0; repeat < 5; ++repeat) {
    EXPECT_THAT(
        ErrorOf([&] { PackMatrices(jobs, Tile::k8x8, [](uint64_t) {}); }),
        HasSubstr("tensor_7 "));
  }
}

}  // namespace latimer::tensor_packer_test
