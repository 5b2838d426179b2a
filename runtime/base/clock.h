// The clock for time limits and measurements.
#ifndef LATIMER_BASE_CLOCK_H_
#define LATIMER_BASE_CLOCK_H_

#include <cstdint>

namespace latimer {

// Of a clock that nobody can set.
uint64_t MonotonicNanoseconds();

inline constexpr uint64_t kNanosecondsPerMs = 1'000'000;

}  // namespace latimer

#endif  // LATIMER_BASE_CLOCK_H_
