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

}  // namespace

size_t SizeOf(SourceType type) { return type == SourceType::kF32 ? 4 : 2; }

void SourceTensor::Read(uint64_t begin, std::span<float> out) const {
  LATIMER_CHECK(begin <= size() && out.size() <= size() - begin);
  const std::byte* from = data.data() + begin * SizeOf(type);
  if (type == SourceType::kF32) {
    std::memcpy(out.data(), from, out.size_bytes());
    return;
  }
  for (float& value : out) {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof(bits));
    from += sizeof(bits);
    value =
        type == SourceType::kF16 ? HalfToFloat(bits) : Bfloat16ToFloat(bits);
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
