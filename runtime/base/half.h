// IEEE 754 binary16, "f16": 1 bit sign, 5 exponent, 10 mantissa, as bits.
// Plain integer code, for numbers that are converted once;
// ops/gemm_float_isa.cc uses the CPU's instructions.
#ifndef LATIMER_BASE_HALF_H_
#define LATIMER_BASE_HALF_H_

#include <bit>
#include <cstdint>

namespace latimer {

// The smallest magnitude that becomes infinite: half a unit above 65,504.
inline constexpr float kHalfOverflow = 65520.0f;

// The same number, which every f32 can hold; also subnormals, infinities and
// NaN.
constexpr float HalfToFloat(uint16_t half) {
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

// The nearest f16, halves to even; infinite from kHalfOverflow on.
// Precondition: `value` is not NaN.
constexpr uint16_t FloatToHalf(float value) {
  constexpr uint32_t kInfinity = 0x7c00;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t half;
  if (magnitude < std::bit_cast<uint32_t>(0x1p-14f)) {
    // A subnormal is a multiple of 2^-24, the unit of floats from 0.5 to 1: the
    // addition rounds.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f);
  } else {
    magnitude += 0xfff + (magnitude >> 13 & 1);
    half = (magnitude >> 13) - (112 << 10);
    half = half < kInfinity ? half : kInfinity;
  }
  return static_cast<uint16_t>(sign | half);
}

}  // namespace latimer

#endif  // LATIMER_BASE_HALF_H_
