// Impossible numbers of int4 weights and nibble planes are refused.
// Tests runtime/model/check_numbers.cc.
#include "model/check_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/model_file.h"
#include "ops/nibble/planes.h"
#include "tests/system/demo_model.h"
#include "tests/system/tiny_model.h"

namespace latimer::check_numbers_test {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The demo with int4 feed-forwards and an output matrix of nibbles.
class CheckNumbersTest : public ::testing::Test {
 protected:
  CheckNumbersTest() : image_(Demo().bytes()) {}

  static const ModelBytes& Demo() {
    static const ModelBytes file = ConvertDemoToInt4(UsableTile());
    return file;
  }

  const schema::Tensor& TensorOf(const std::string& name) {
    for (const schema::Tensor* tensor : *image_.root().tensors()) {
      if (tensor->name()->str() == name) return *tensor;
    }
    ADD_FAILURE() << "no tensor " << name;
    return *image_.root().tensors()->Get(0);
  }

  // The error of Load with another number at a place of the tensor.
  template <typename Number>
  Status With(const std::string& name, uint64_t place, Number number) {
    static_assert(sizeof(number) == 4);
    auto* at = const_cast<uint8_t*>(TensorOf(name).data()->data()) + place;
    Number before;
    std::memcpy(&before, at, sizeof(before));
    std::memcpy(at, &number, sizeof(number));
    image_.FixChecksum();
    static Model model;
    const Status status = ReadModelFile(image_.bytes(), true, &model);
    std::memcpy(at, &before, sizeof(before));
    return status;
  }

  template <typename Number>
  void ExpectRefused(const std::string& name, uint64_t place, Number number) {
    const Status status = With(name, place, number);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << place << " " << number;
    EXPECT_THAT(status.message(), HasSubstr("tensor " + name + " has"));
  }

  Image image_;
};

TEST_F(CheckNumbersTest, OfNibblePlanesSumsScalesAndNorms) {
  const schema::Tensor& output = TensorOf("output");
  ASSERT_EQ(output.layout(), schema::Layout::NibblePlanes);
  const uint32_t n = output.shape()->Get(0), k = output.shape()->Get(1);
  const auto most = static_cast<int32_t>(15 * k);
  const uint64_t nibbles = uint64_t{kNibbleBlockRows} * k / 2;
  const uint64_t last = NibbleBlocks(n) - 1;
  for (const uint64_t block : {uint64_t{0}, last}) {
    const uint64_t high = block * NibbleHighBytes(k) + nibbles;
    const uint64_t low =
        NibblePassBytes(n, k) + block * NibbleLowBytes(k, 8) + nibbles;
    for (const uint64_t sum : {high, low}) {
      EXPECT_TRUE(With("output", sum, most).ok());
      ExpectRefused("output", sum, most + 1);
      ExpectRefused("output", sum, -1);
    }
    const uint64_t scale = high + kNibbleBlockRows * sizeof(int32_t);
    for (const uint64_t place :
         {scale, scale + kNibbleBlockRows * sizeof(float)}) {
      EXPECT_TRUE(With("output", place, 1.0f).ok());
      for (const float bad : {0.0f, -1.0f, kInfinity, NAN}) {
        ExpectRefused("output", place, bad);
      }
    }
  }
}

TEST_F(CheckNumbersTest, OfInt4SumsAndScales) {
  const std::string name = "decoder.0.ffn.in";
  const schema::Tensor& tensor = TensorOf(name);
  ASSERT_EQ(tensor.dtype(), schema::DType::Int4);
  const uint32_t k = tensor.shape()->Get(1);
  const uint32_t nr = ShapeOf(WeightType::kInt4, UsableTile()).nr;
  const uint64_t block = PackedBlockBytes(WeightType::kInt4, UsableTile(), k);
  const auto most = static_cast<int32_t>(128 * k);
  EXPECT_TRUE(With(name, block, most).ok());
  ExpectRefused(name, block, most + 1);
  ExpectRefused(name, block, -most - 1);
  const uint64_t scale = 2 * block - 2 * nr * sizeof(float);
  // Their sign is the quantizer's choice.
  EXPECT_TRUE(With(name, scale, -1.0f).ok());
  for (const float bad : {kInfinity, NAN}) ExpectRefused(name, scale, bad);
}

}  // namespace latimer::check_numbers_test
