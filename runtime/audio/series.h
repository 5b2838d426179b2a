// Functions that tables of the audio front end are made of, in double, by
// series of + - * / only: the same bits from every compiler and C library.
#ifndef LATIMER_AUDIO_SERIES_H_
#define LATIMER_AUDIO_SERIES_H_

#include <cstdint>

namespace latimer {

// sin(pi x), |x| < 2^31. Absolute error below 1e-15 for |x| < 2.
constexpr double SinPi(double x) {
  const auto nearest = static_cast<int64_t>(x + (x < 0 ? -0.5 : 0.5));
  const double y = 3.14159265358979323846 * (x - static_cast<double>(nearest));
  // Taylor's series; |y| <= pi / 2.
  double sum = 1.0;
  for (int i = 23; i > 1; i -= 2) sum = 1.0 - y * y / (i * (i - 1)) * sum;
  return nearest % 2 == 0 ? y * sum : -y * sum;
}
constexpr double CosPi(double x) { return SinPi(x + 0.5); }

// exp(x), 0 <= x <= 4. Relative error below 1e-15.
constexpr double ExpOf(double x) {
  double sum = 1.0;
  for (int i = 40; i > 0; --i) sum = 1.0 + x / i * sum;
  return sum;
}

// The modified Bessel function I0 of the square root of 4 x, 0 <= x <= 25.
constexpr double BesselI0(double x) {
  double sum = 1.0;
  for (int i = 32; i > 0; --i) sum = 1.0 + x / (i * i) * sum;
  return sum;
}

}  // namespace latimer

#endif  // LATIMER_AUDIO_SERIES_H_
