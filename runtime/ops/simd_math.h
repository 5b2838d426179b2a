// exp and related functions of sixteen elements, made of + - * / and integer
// shifts only, so that every CPU gives the same bits. For *_isa.cc only.
#ifndef LATIMER_OPS_SIMD_MATH_H_
#define LATIMER_OPS_SIMD_MATH_H_

#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

// c0 + x * (c1 + x * (c2 + ...))
LATIMER_INLINE F32x16 Polynomial(const F32x16&, float c0) {
  return Broadcast(c0);
}
template <typename... C>
LATIMER_INLINE F32x16 Polynomial(const F32x16& x, float c0, C... higher) {
  return Broadcast(c0) + x * Polynomial(x, higher...);
}

// exp(x) for x <= 0; NaN stays NaN; 0 below -87.33, where the result would be
// subnormal. Relative error at most 1e-7 (8.4e-8, measured for every float).
//
// x = n ln 2 + r (Cody and Waite's two-part ln 2, as in Cephes' expf), and
// exp(r) = 1 + r + r^2 q(r) with a degree 4 minimax fit of q for the relative
// error on |r| <= ln(2) / 2 (Lawson's iteration; 3e-9 before rounding).
LATIMER_INLINE F32x16 ExpNonPositive(const F32x16& x) {
  // Adding 1.5 * 2^23 rounds to an integer and keeps it in the low bits.
  constexpr float kRound = 12582912.0f;
  const F32x16 shifted = x * Broadcast(1.44269504f) + Broadcast(kRound);
  const F32x16 n = shifted - Broadcast(kRound);
  const F32x16 r =
      x - n * Broadcast(0.693359375f) - n * Broadcast(-2.12194440e-4f);
  const F32x16 q = Polynomial(r, 0.4999999403953552f, 0.1666651964187622f,
                              0.04166839271783829f, 0.008368780836462975f,
                              0.0013814467238262296f);
  const F32x16 exp_r = Broadcast(1.0f) + (r + r * r * q);
  const F32x16 two_to_n = MapNative<F32x16>(
      [](I32 bits) { return (F32)((bits + 127) << 23); }, BitsOf(shifted));
  return Select(Broadcast(-87.33f) > x, Broadcast(0.0f), exp_r * two_to_n);
}

// numerator * sigmoid(x), with one division.
LATIMER_INLINE F32x16 TimesSigmoid(const F32x16& numerator, const F32x16& x) {
  const F32x16 zero = Broadcast(0.0f);
  const F32x16 e = ExpNonPositive(zero - Abs(x));
  return Select(zero > x, numerator * e, numerator) / (Broadcast(1.0f) + e);
}

LATIMER_INLINE F32x16 Sigmoid(const F32x16& x) {
  return TimesSigmoid(Broadcast(1.0f), x);
}

LATIMER_INLINE F32x16 Swish(const F32x16& x) { return TimesSigmoid(x, x); }

// Absolute error at most 1e-7.
LATIMER_INLINE F32x16 Tanh(const F32x16& x) {
  const F32x16 one = Broadcast(1.0f);
  const F32x16 e = ExpNonPositive(Broadcast(-2.0f) * Abs(x));
  return CopySign((one - e) / (one + e), x);
}

// 0 for negative x; NaN stays NaN.
LATIMER_INLINE F32x16 Relu(const F32x16& x) { return Max(Broadcast(0.0f), x); }

// x Phi(x) = relu(x) - |x| Phi(-|x|), and Phi(-y) = exp(-y p(y)) / 2 with a
// minimax fit of p for the error of y Phi(-y) on 0 <= y <= 6 (degree 7, by
// Lawson's iteration; 9e-9 before rounding). Above 6 the second term is below
// 6e-9 and is omitted. Needs no division.
LATIMER_INLINE F32x16 Gelu(const F32x16& x) {
  const F32x16 y = Abs(x);
  const F32x16 p = Polynomial(y, 0.7978893518447876f, 0.31826695799827576f,
                              0.0364786796271801f, -0.005022143013775349f,
                              0.0001885883539216593f, 9.113035775953904e-05f,
                              -1.9447601516731083e-05f, 1.318412387263379e-06f);
  const F32x16 zero = Broadcast(0.0f);
  const F32x16 tail = y * Broadcast(0.5f) * ExpNonPositive(zero - y * p);
  return Relu(x) - Select(y > Broadcast(6.0f), zero, tail);
}

// 0.5 x (1 + tanh(u)) = x sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3).
LATIMER_INLINE F32x16 GeluTanh(const F32x16& x) {
  const F32x16 two_u =
      x * Polynomial(x * x, 1.5957691216057308f, 0.07135481282052f);
  return TimesSigmoid(x, two_u);
}

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_SIMD_MATH_H_
