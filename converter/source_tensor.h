// A tensor as the source file stores it. Its values are read as f32, or as the
// file's integers.
#ifndef LATIMER_CONVERTER_SOURCE_TENSOR_H_
#define LATIMER_CONVERTER_SOURCE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace latimer {

class InputFile;

// kInt8 and kInt16 are already quantized: a value is the integer times a scale.
enum class SourceType { kF32, kF16, kBf16, kF64, kInt8, kInt16 };

// Bytes of one number.
size_t SizeOf(SourceType type);

// A view of the source file: little-endian, at any alignment.
struct SourceTensor {
  std::string name;
  SourceType type = SourceType::kF32;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
  float scale = 1.0f;
  // A scale for each row of a matrix that is not transposed; null: `scale`.
  std::shared_ptr<const std::vector<float>> row_scales = nullptr;
  // The data has the transposed matrix in C order; false: C order.
  bool transposed = false;
  // The file whose mapping has `data`; null: `data` is in memory.
  const InputFile* file = nullptr;

  uint64_t size() const { return data.size() / SizeOf(type); }

  // out[i] = element (begin + i) in C order. Precondition: begin + out.size()
  // <= size().
  void Read(uint64_t begin, std::span<float> out) const;

  // All elements, in C order.
  std::vector<float> Values() const;

  // The factor of a row's integers.
  float ScaleOf(uint64_t row) const {
    return row_scales == nullptr ? scale : row_scales->at(row);
  }

  // Like Read, but reads integers without the scale. Precondition: type is
  // kInt8.
  void ReadIntegers(uint64_t begin, std::span<int8_t> out) const;

  // Drops elements [begin, begin + count), in storage order, from memory.
  // Reading them again reads the file.
  void Forget(uint64_t begin, uint64_t count) const;

  // Whether both have the same shape and the same values, bit for bit.
  bool SameAs(const SourceTensor& other) const;

  // The transposed matrix, as a view. Precondition: two dimensions, and no
  // row_scales.
  SourceTensor Transposed() const;
};

// Throws ConversionError if tensor `name` contains an infinity or a NaN.
void CheckFinite(std::span<const float> values, const std::string& name);

// "[2, 3]".
std::string ShapeText(std::span<const uint64_t> shape);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SOURCE_TENSOR_H_
