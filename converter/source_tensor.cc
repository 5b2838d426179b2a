#include "converter/source_tensor.h"

#include <bit>
#include <cstring>

#include "base/check.h"

namespace latimer {
namespace {

static_assert(std::endian::native == std::endian::little);

// IEEE 754 binary16, subnormals and infinities included.
float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

float Bfloat16ToFloat(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

// To nearest, as torch's and NumPy's; beyond f32 it is infinite.
float DoubleToFloat(double value) { return static_cast<float>(value); }

// out[i] = convert(the i-th T, at any alignment).
template <typename T>
void ReadAs(const std::byte* from, float (*convert)(T), std::span<float> out) {
  for (float& value : out) {
    T stored;
    std::memcpy(&stored, from, sizeof(stored));
    from += sizeof(stored);
    value = convert(stored);
  }
}

}  // namespace

size_t SizeOf(SourceType type) {
  switch (type) {
    case SourceType::kF32:
      return 4;
    case SourceType::kF16:
    case SourceType::kBf16:
      return 2;
    case SourceType::kF64:
      return 8;
  }
  return 0;
}

void SourceTensor::Read(uint64_t begin, std::span<float> out) const {
  LATIMER_CHECK(begin <= size() && out.size() <= size() - begin);
  const std::byte* from = data.data() + begin * SizeOf(type);
  switch (type) {
    case SourceType::kF32:
      if (!out.empty()) std::memcpy(out.data(), from, out.size_bytes());
      return;
    case SourceType::kF16:
      return ReadAs<uint16_t>(from, HalfToFloat, out);
    case SourceType::kBf16:
      return ReadAs<uint16_t>(from, Bfloat16ToFloat, out);
    case SourceType::kF64:
      return ReadAs<double>(from, DoubleToFloat, out);
  }
}

bool SourceTensor::SameAs(const SourceTensor& other) const {
  return type == other.type && shape == other.shape &&
         data.size() == other.data.size() &&
         (data.data() == other.data.data() ||
          std::memcmp(data.data(), other.data.data(), data.size()) == 0);
}

std::string ShapeText(std::span<const uint64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace latimer
