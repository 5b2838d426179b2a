// A tensor as the source file stores it; read row by row as f32, or as the
// integers that the file holds.
#ifndef LATIMER_CONVERTER_SOURCE_TENSOR_H_
#define LATIMER_CONVERTER_SOURCE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace latimer {

class MappedFile;

// kInt8 is quantized already: a value is the integer times `scale`.
enum class SourceType { kF32, kF16, kBf16, kF64, kInt8 };

// Bytes of one number.
size_t SizeOf(SourceType type);

// Views the file it came from, little-endian, any alignment.
struct SourceTensor {
  std::string name;
  SourceType type = SourceType::kF32;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
  float scale = 1.0f;
  // The data of a matrix is that of its transpose in C order; false: C order.
  bool transposed = false;
  // Whose mapping `data` is; null: it lies in memory.
  const MappedFile* file = nullptr;

  uint64_t size() const { return data.size() / SizeOf(type); }

  // out[i] = element (begin + i) in C order. Precondition: begin + out.size()
  // <= size().
  void Read(uint64_t begin, std::span<float> out) const;

  // As Read, the integers without the scale. Precondition: type is kInt8.
  void ReadIntegers(uint64_t begin, std::span<int8_t> out) const;

  // What was read of elements [begin, begin + count), as they are stored, need
  // not stay in memory; reading them again reads the file.
  void Forget(uint64_t begin, uint64_t count) const;

  // Whether both hold the same numbers in the same shape, bit for bit and in
  // the same order.
  bool SameAs(const SourceTensor& other) const;

  // The same numbers seen as the other matrix. Precondition: two dimensions.
  SourceTensor Transposed() const;
};

// "[2, 3]".
std::string ShapeText(std::span<const uint64_t> shape);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SOURCE_TENSOR_H_
