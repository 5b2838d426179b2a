// A tensor as the source file stores it; read row by row as f32.
#ifndef LATIMER_CONVERTER_SOURCE_TENSOR_H_
#define LATIMER_CONVERTER_SOURCE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace latimer {

enum class SourceType { kF32, kF16, kBf16, kF64 };

// Bytes of one number.
size_t SizeOf(SourceType type);

// Views the file it came from, in C order, little-endian, any alignment.
struct SourceTensor {
  std::string name;
  SourceType type = SourceType::kF32;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;

  uint64_t size() const { return data.size() / SizeOf(type); }

  // out[i] = element (begin + i). Precondition: begin + out.size() <= size().
  void Read(uint64_t begin, std::span<float> out) const;

  // Whether both hold the same numbers in the same shape, bit for bit.
  bool SameAs(const SourceTensor& other) const;
};

// "[2, 3]".
std::string ShapeText(std::span<const uint64_t> shape);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SOURCE_TENSOR_H_
