// Whether the time of a parser grows in proportion to its input.
#ifndef LATIMER_TESTS_BASE_GROWTH_H_
#define LATIMER_TESTS_BASE_GROWTH_H_

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace latimer {

// The CPU time of this thread, and of processes that it has waited for.
inline double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  rusage children = {};
  getrusage(RUSAGE_CHILDREN, &children);
  return static_cast<double>(now.tv_sec + children.ru_utime.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9 +
         static_cast<double>(children.ru_utime.tv_usec) * 1e-6;
}

inline std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// `make(n)` gives an input of a size in proportion to n, and `parse` is what is
// measured. Compares 4 * n with n: linear time is 4 times as much, quadratic
// time 16 times. The limit of 8 lies halfway between (n to the power of 1.5):
// it leaves room for n * log(n) and for an input that no longer fits into a
// cache. It is CPU time, the least of several runs: what else the machine does
// adds to it, and takes nothing away. The runs end as soon as the limit is
// kept.
template <typename Make, typename Parse>
void ExpectLinear(size_t n, const Make& make, const Parse& parse) {
  constexpr double kMost = 8;
  constexpr double kLeastSeconds = 0.002;  // Less is not measured well.
  constexpr int kRuns = 20;
  const auto small = make(n);
  const auto large = make(4 * n);
#ifdef __SANITIZE_ADDRESS__
  parse(small);  // Its allocator slows down with what is held: no measure.
  parse(large);
  return;
#endif
  double small_seconds = 1e9, large_seconds = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const auto seconds = [&](const auto& input) {
      const double begin = CpuSeconds();
      parse(input);
      return CpuSeconds() - begin;
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
