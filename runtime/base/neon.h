// Products of bytes with NEON, for *_isa.cc: vectors of sixteen times one of
// eight bytes, in int16. On 64-bit ARM the eight are kept twice, because GCC
// would move the high half of a register otherwise. On 32-bit ARM a register
// has halves of its own, and there are too few to keep them twice.
#ifndef LATIMER_BASE_NEON_H_
#define LATIMER_BASE_NEON_H_

#include <arm_neon.h>  // only functions that are always inlined

namespace latimer::LATIMER_ISA {

#define LATIMER_NEON [[gnu::always_inline]] inline

#if defined(__aarch64__)

typedef int8x16_t Eight;
LATIMER_NEON Eight LoadEight(const int8_t* p) {
  typedef int64_t Bytes __attribute__((aligned(1), may_alias));
  return vreinterpretq_s8_s64(vdupq_n_s64(*reinterpret_cast<const Bytes*>(p)));
}
LATIMER_NEON Eight RepeatFour(int32_t four) {
  return vreinterpretq_s8_s32(vdupq_n_s32(four));
}
// Moves all bytes down by two, the first two to the end.
LATIMER_NEON Eight RotateByTwo(Eight x) { return vextq_s8(x, x, 2); }
LATIMER_NEON void MultiplyBytes(int8x16_t w, Eight x,
                                int16x8_t (&products)[2]) {
  products[0] = vmull_s8(vget_low_s8(w), vget_low_s8(x));
  products[1] = vmull_high_s8(w, x);
}
LATIMER_NEON void MultiplyAdd(int8x16_t w, Eight x, int16x8_t (&sums)[2]) {
  sums[0] = vmlal_s8(sums[0], vget_low_s8(w), vget_low_s8(x));
  sums[1] = vmlal_high_s8(sums[1], w, x);
}

#else

typedef int8x8_t Eight;
LATIMER_NEON Eight LoadEight(const int8_t* p) { return vld1_s8(p); }
LATIMER_NEON Eight RepeatFour(int32_t four) {
  return vreinterpret_s8_s32(vdup_n_s32(four));
}
LATIMER_NEON Eight RotateByTwo(Eight x) { return vext_s8(x, x, 2); }
LATIMER_NEON void MultiplyBytes(int8x16_t w, Eight x,
                                int16x8_t (&products)[2]) {
  products[0] = vmull_s8(vget_low_s8(w), x);
  products[1] = vmull_s8(vget_high_s8(w), x);
}
LATIMER_NEON void MultiplyAdd(int8x16_t w, Eight x, int16x8_t (&sums)[2]) {
  sums[0] = vmlal_s8(sums[0], vget_low_s8(w), x);
  sums[1] = vmlal_s8(sums[1], vget_high_s8(w), x);
}

#endif
#undef LATIMER_NEON

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_BASE_NEON_H_
