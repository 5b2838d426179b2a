// RISC-V's vectors of a length that the compiler knows, for *_isa.cc: sixteen
// channels with four bytes of each, and their products with four bytes of a
// row.
#ifndef LATIMER_BASE_RVV_H_
#define LATIMER_BASE_RVV_H_

#include <riscv_vector.h>  // only functions that are always inlined
#include <stddef.h>
#include <stdint.h>

namespace latimer::LATIMER_ISA {

#define LATIMER_RVV [[gnu::always_inline]] inline
// A type of the intrinsics that arrays and structs can hold.
#define LATIMER_RVV_TYPE(Name, intrinsic, registers) \
  typedef intrinsic Name __attribute__((             \
      riscv_rvv_vector_bits(__riscv_v_fixed_vlen * (registers))))

static_assert(__riscv_v_fixed_vlen == 256);
LATIMER_RVV_TYPE(Bytes, vint8m2_t, 2);
LATIMER_RVV_TYPE(UnsignedBytes, vuint8m2_t, 2);
LATIMER_RVV_TYPE(Products, vint16m4_t, 4);
// Four sums of each channel, side by side.
LATIMER_RVV_TYPE(FourSums, vint32m8_t, 8);
LATIMER_RVV_TYPE(ChannelSums, vint32m2_t, 2);
inline constexpr size_t kVectorBytes = 64;
inline constexpr size_t kVectorChannels = 16;

LATIMER_RVV Bytes LoadBytes(const int8_t* p) {
  return __riscv_vle8_v_i8m2(p, kVectorBytes);
}
LATIMER_RVV Bytes RepeatFour(int32_t four) {
  return __riscv_vreinterpret_v_i32m2_i8m2(
      __riscv_vmv_v_x_i32m2(four, kVectorChannels));
}
LATIMER_RVV FourSums ZeroSums() {
  return __riscv_vmv_v_x_i32m8(0, kVectorBytes);
}
LATIMER_RVV FourSums AddWide(FourSums sums, Products products) {
  return __riscv_vwadd_wv_i32m8(sums, products, kVectorBytes);
}
// The four sums of each channel, added.
LATIMER_RVV ChannelSums AddFours(FourSums sums) {
  const vuint64m8_t fours = __riscv_vreinterpret_v_u32m8_u64m8(
      __riscv_vreinterpret_v_i32m8_u32m8(sums));
  const vuint32m4_t pairs = __riscv_vadd_vv_u32m4(
      __riscv_vnsrl_wx_u32m4(fours, 0, 2 * kVectorChannels),
      __riscv_vnsrl_wx_u32m4(fours, 32, 2 * kVectorChannels),
      2 * kVectorChannels);
  const vuint64m4_t twos = __riscv_vreinterpret_v_u32m4_u64m4(pairs);
  return __riscv_vreinterpret_v_u32m2_i32m2(__riscv_vadd_vv_u32m2(
      __riscv_vnsrl_wx_u32m2(twos, 0, kVectorChannels),
      __riscv_vnsrl_wx_u32m2(twos, 32, kVectorChannels), kVectorChannels));
}

#undef LATIMER_RVV_TYPE
#undef LATIMER_RVV

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_BASE_RVV_H_
