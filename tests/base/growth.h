// Whether the time of a parser grows in proportion to its input.
#ifndef LATIMER_TESTS_BASE_GROWTH_H_
#define LATIMER_TESTS_BASE_GROWTH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>

namespace latimer {

inline double ThreadSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

// Twice the input may take 2.5 times the time: `make(n)` gives an input of a
// size in proportion to n, and `parse` is what is measured. Compares 4 * n with
// n, where quadratic time is 16 times as much. It is CPU time, the least of
// several runs: what else the machine does adds to it, and takes nothing away.
template <typename Make, typename Parse>
void ExpectLinear(size_t n, const Make& make, const Parse& parse) {
  constexpr double kMost = 2.5 * 2.5;
  constexpr double kLeastSeconds = 0.002;  // Less is not measured well.
  constexpr int kRuns = 6;
  const auto small = make(n);
  const auto large = make(4 * n);
  double small_seconds = 1e9, large_seconds = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const auto seconds = [&](const auto& input) {
      const double begin = ThreadSeconds();
      parse(input);
      return ThreadSeconds() - begin;
    };
    small_seconds = std::min(small_seconds, seconds(small));
    large_seconds = std::min(large_seconds, seconds(large));
    if (large_seconds <= kMost * std::max(small_seconds, kLeastSeconds)) return;
  }
  ADD_FAILURE() << n << ": " << small_seconds << " s, " << 4 * n << ": "
                << large_seconds << " s";
}

}  // namespace latimer

#endif  // LATIMER_TESTS_BASE_GROWTH_H_
