// The power spectrum of 400 real numbers, of four frames at once: each element
// of a vector belongs to a frame of its own. No operation combines elements, so
// vectors of every CPU, and code without any, give the same bits.
#ifndef LATIMER_AUDIO_FFT400_H_
#define LATIMER_AUDIO_FFT400_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "audio/series.h"

namespace latimer::fft400 {

// A number of each of four frames; the compiler has the operators. 16 bytes are
// what every CPU with vectors has, so no instruction set needs its own copy.
typedef float F32x4 __attribute__((vector_size(16)));
typedef int32_t I32x4 __attribute__((vector_size(16)));

struct Complex {
  F32x4 re, im;
};
inline Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
inline Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
inline Complex operator*(float c, Complex a) { return {c * a.re, c * a.im}; }
inline Complex TimesMinusI(Complex a) { return {a.im, -a.re}; }

inline constexpr size_t kSize = 400;
// 400 real numbers are 200 complex ones; 200 = 8 * 25, which have no common
// factor, so that between the two there are no twiddle factors (Good and
// Thomas). 25 = 5 * 5 has them.
inline constexpr size_t kHalf = kSize / 2;
inline constexpr size_t kSpectrum = kHalf + 1;

struct Factor {
  float re, im;
};
// exp(-2 pi i n / N) for n < M.
template <size_t N, size_t M>
constexpr std::array<Factor, M> MakeFactors() {
  std::array<Factor, M> factors{};
  for (size_t n = 0; n < M; ++n) {
    const double turn = 2.0 * static_cast<double>(n) / N;
    factors[n] = {static_cast<float>(CosPi(turn)),
                  static_cast<float>(-SinPi(turn))};
  }
  return factors;
}
inline constexpr auto kFactors25 = MakeFactors<25, 17>();
inline constexpr auto kFactors400 = MakeFactors<kSize, kHalf / 2 + 1>();

inline Complex operator*(Factor f, Complex a) {
  return {f.re * a.re - f.im * a.im, f.re * a.im + f.im * a.re};
}

// out[k * out_step] = sum of x[n * step] exp(-2 pi i n k / 5)
inline void Transform5(const Complex* x, size_t step, Complex* out,
                       size_t out_step) {
  constexpr auto kFactors = MakeFactors<5, 3>();
  const Complex sum1 = x[step] + x[4 * step];
  const Complex sum2 = x[2 * step] + x[3 * step];
  const Complex difference1 = TimesMinusI(x[step] - x[4 * step]);
  const Complex difference2 = TimesMinusI(x[2 * step] - x[3 * step]);
  const Complex even1 = x[0] + (kFactors[1].re * sum1 + kFactors[2].re * sum2);
  const Complex even2 = x[0] + (kFactors[2].re * sum1 + kFactors[1].re * sum2);
  const Complex odd1 =
      -kFactors[1].im * difference1 - kFactors[2].im * difference2;
  const Complex odd2 =
      -kFactors[2].im * difference1 + kFactors[1].im * difference2;
  out[0] = x[0] + (sum1 + sum2);
  out[out_step] = even1 + odd1;
  out[2 * out_step] = even2 + odd2;
  out[3 * out_step] = even2 - odd2;
  out[4 * out_step] = even1 - odd1;
}

// In place, of 25 numbers in a row.
inline void Transform25(Complex* x) {
  Complex columns[25];
  for (size_t b = 0; b < 5; ++b) Transform5(x + b, 5, columns + b, 5);
  for (size_t c = 1; c < 5; ++c) {
    for (size_t b = 1; b < 5; ++b) {
      columns[5 * c + b] = kFactors25[b * c] * columns[5 * c + b];
    }
  }
  for (size_t c = 0; c < 5; ++c) Transform5(columns + 5 * c, 1, x + c, 5);
}

// out[25 * k] = sum of x[n] exp(-2 pi i n k / 8)
inline void Transform8(const Complex (&x)[8], Complex* out) {
  constexpr float kRoot = 0.707106781186547524f;  // of 1/2
  const Complex sum0 = x[0] + x[4], sum1 = x[1] + x[5];
  const Complex sum2 = x[2] + x[6], sum3 = x[3] + x[7];
  const Complex even0 = sum0 + sum2, even1 = sum1 + sum3;
  const Complex even2 = sum0 - sum2, even3 = TimesMinusI(sum1 - sum3);
  out[0 * 25] = even0 + even1;
  out[4 * 25] = even0 - even1;
  out[2 * 25] = even2 + even3;
  out[6 * 25] = even2 - even3;
  const Complex difference0 = x[0] - x[4];
  const Complex difference2 = TimesMinusI(x[2] - x[6]);
  // Times exp(-pi i / 4) and exp(-3 pi i / 4).
  const Complex a = x[1] - x[5], b = x[3] - x[7];
  const Complex turned1 = kRoot * (a + TimesMinusI(a));
  const Complex turned3 = kRoot * (TimesMinusI(b) - b);
  const Complex odd0 = difference0 + difference2, odd1 = turned1 + turned3;
  const Complex odd2 = difference0 - difference2;
  const Complex odd3 = TimesMinusI(turned1 - turned3);
  out[1 * 25] = odd0 + odd1;
  out[5 * 25] = odd0 - odd1;
  out[3 * 25] = odd2 + odd3;
  out[7 * 25] = odd2 - odd3;
}

// power [kSpectrum] of x [kHalf], where x[n] is {real number 2n, number 2n +
// 1}, both halved. Overwrites transformed [kHalf].
inline void PowerSpectrum(const Complex* x, Complex* transformed,
                          F32x4* power) {
  for (size_t n25 = 0; n25 < 25; ++n25) {
    Complex column[8];
    for (size_t n8 = 0; n8 < 8; ++n8) {
      column[n8] = x[(25 * n8 + 8 * n25) % kHalf];
    }
    Transform8(column, transformed + n25);
  }
  for (size_t k8 = 0; k8 < 8; ++k8) Transform25(transformed + 25 * k8);
  const Complex first = transformed[0];
  const F32x4 all = first.re + first.im, alternate = first.re - first.im;
  power[0] = 4.0f * all * all;
  power[kHalf] = 4.0f * alternate * alternate;
  for (size_t k = 1; k <= kHalf / 2; ++k) {
    const size_t m = kHalf - k;
    const Complex a = transformed[k % 8 * 25 + k % 25];
    const Complex b = transformed[m % 8 * 25 + m % 25];
    // The spectra of the even and of the odd numbers.
    const Complex even = {a.re + b.re, a.im - b.im};
    const Complex odd = kFactors400[k] * Complex{a.im + b.im, b.re - a.re};
    const Complex sum = even + odd, difference = even - odd;
    power[k] = sum.re * sum.re + sum.im * sum.im;
    power[m] = difference.re * difference.re + difference.im * difference.im;
  }
}

}  // namespace latimer::fft400

#endif  // LATIMER_AUDIO_FFT400_H_
