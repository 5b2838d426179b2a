// Numbers of tensors of each type and layout.
// Tests converter/source_tensor.cc.
#include "converter/source_tensor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace latimer::source_tensor_test {

template <typename T>
SourceTensor Tensor(SourceType type, const std::vector<T>& values) {
  SourceTensor tensor;
  tensor.type = type;
  tensor.shape = {values.size()};
  tensor.data = std::as_bytes(std::span(values));
  return tensor;
}

float One(SourceType type, uint16_t bits) {
  const std::vector<uint16_t> values = {bits};
  float out = 0;
  Tensor(type, values).Read(0, {&out, 1});
  return out;
}

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(SourceTensorTest, ReadsHalfPrecisionIncludingSubnormals) {
  EXPECT_EQ(One(SourceType::kF16, 0x3c00), 1.0f);
  EXPECT_EQ(One(SourceType::kF16, 0xc000), -2.0f);
  EXPECT_EQ(One(SourceType::kF16, 0x3555), 0.333251953125f);
  EXPECT_EQ(One(SourceType::kF16, 0x7bff), 65504.0f);
  EXPECT_EQ(One(SourceType::kF16, 0x0400), 0x1p-14f);
  EXPECT_EQ(One(SourceType::kF16, 0x03ff), 1023 * 0x1p-24f);
  EXPECT_EQ(One(SourceType::kF16, 0x8001), -0x1p-24f);
}

TEST(SourceTensorTest, KeepsZeroSignsInfinitiesAndNan) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Bits(One(SourceType::kF16, 0x0000)), Bits(0.0f));
  EXPECT_EQ(Bits(One(SourceType::kF16, 0x8000)), Bits(-0.0f));
  EXPECT_EQ(One(SourceType::kF16, 0x7c00), kInfinity);
  EXPECT_EQ(One(SourceType::kF16, 0xfc00), -kInfinity);
  EXPECT_TRUE(std::isnan(One(SourceType::kF16, 0x7e01)));
  EXPECT_EQ(One(SourceType::kBf16, 0xff80), -kInfinity);
  EXPECT_TRUE(std::isnan(One(SourceType::kBf16, 0x7fc0)));
}

// Value of a binary16 by its definition.
float HalfByDefinition(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  const auto mantissa = static_cast<float>(bits & 0x3ff);
  const float magnitude = exponent == 0
                              ? std::ldexp(mantissa, -24)
                              : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(SourceTensorTest, ReadsEveryFiniteHalfAsItsDefinitionSays) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00) continue;
    ASSERT_EQ(Bits(One(SourceType::kF16, static_cast<uint16_t>(bits))),
              Bits(HalfByDefinition(bits)))
        << bits;
  }
}

TEST(SourceTensorTest, ReadsBfloat16AsTheUpperHalfOfAFloat) {
  EXPECT_EQ(One(SourceType::kBf16, 0x3f80), 1.0f);
  EXPECT_EQ(One(SourceType::kBf16, 0xc0a0), -5.0f);
  EXPECT_EQ(Bits(One(SourceType::kBf16, 0x0001)), 0x10000u);
}

TEST(SourceTensorTest, ReadsAPartFromAnyAlignment) {
  const std::vector<float> values = {1.5f, -2.0f, 3.25f};
  std::vector<std::byte> bytes(1 + values.size() * sizeof(float));
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(float));
  SourceTensor tensor;
  tensor.shape = {3};
  tensor.data = std::span(bytes).subspan(1);
  std::vector<float> out(2);
  tensor.Read(1, out);
  EXPECT_EQ(out, (std::vector<float>{-2.0f, 3.25f}));
  EXPECT_EQ(tensor.size(), 3u);
}

TEST(SourceTensorTest, SamenessNeedsTypeShapeAndBits) {
  const std::vector<float> a = {1, 2}, b = {1, 2}, c = {1, 3};
  const std::vector<uint16_t> halves = {1, 2, 3, 4};
  const SourceTensor first = Tensor(SourceType::kF32, a);
  EXPECT_TRUE(first.SameAs(Tensor(SourceType::kF32, b)));
  EXPECT_FALSE(first.SameAs(Tensor(SourceType::kF32, c)));
  SourceTensor row = Tensor(SourceType::kF32, b);
  row.shape = {1, 2};
  EXPECT_FALSE(first.SameAs(row));
  EXPECT_FALSE(Tensor(SourceType::kF16, halves)
                   .SameAs(Tensor(SourceType::kBf16, halves)));
}

TEST(SourceTensorTest, PrintsShapes) {
  EXPECT_EQ(ShapeText({}), "[]");
  const std::vector<uint64_t> shape = {2, 31};
  EXPECT_EQ(ShapeText(shape), "[2, 31]");
}

TEST(SourceTensorTest, ReadsATransposedMatrixFromAnyPlace) {
  const std::vector<float> values = {1, 3, 5,
                                     2, 4, 6};  // [[1, 2], [3, 4], ...]
  SourceTensor tensor = Tensor(SourceType::kF32, values);
  tensor.shape = {3, 2};
  tensor.transposed = true;
  std::vector<float> all(6);
  tensor.Read(0, all);
  EXPECT_EQ(all, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  std::vector<float> some(3);
  tensor.Read(3, some);
  EXPECT_EQ(some, (std::vector<float>{4, 5, 6}));
  tensor.Transposed().Read(0, all);
  EXPECT_EQ(all, values);
  EXPECT_EQ(tensor.Transposed().shape, (std::vector<uint64_t>{2, 3}));
}

TEST(SourceTensorTest, MultipliesIntegersByTheScale) {
  const std::vector<int8_t> values = {-127, 0, 3};
  SourceTensor tensor = Tensor(SourceType::kInt8, values);
  tensor.scale = 0.5f;
  std::vector<float> out(2);
  tensor.Read(1, out);
  EXPECT_EQ(out, (std::vector<float>{0.0f, 1.5f}));
  std::vector<int8_t> integers(3);
  tensor.ReadIntegers(0, integers);
  EXPECT_EQ(integers, values);
}

TEST(SourceTensorTest, ScaleAndOrderAreNumbersToo) {
  const std::vector<int8_t> values = {1, 2, 3, 4};
  SourceTensor a = Tensor(SourceType::kInt8, values);
  a.shape = {2, 2};
  SourceTensor b = a;
  EXPECT_TRUE(a.SameAs(b));
  b.scale = 2.0f;
  EXPECT_FALSE(a.SameAs(b));
  EXPECT_FALSE(a.SameAs(a.Transposed()));
}

}  // namespace latimer::source_tensor_test
