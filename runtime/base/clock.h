// The clock for time limits and measurements.
#ifndef LATIMER_BASE_CLOCK_H_
#define LATIMER_BASE_CLOCK_H_

#include <cstdint>
#include <optional>

namespace latimer {

// Nanoseconds of a clock that nobody can set.
uint64_t MonotonicNanoseconds();

// Deadlines are times of this clock; 0: none.
inline uint64_t DeadlineAfter(std::optional<uint32_t> milliseconds) {
  return milliseconds
             ? MonotonicNanoseconds() + uint64_t{*milliseconds} * 1'000'000
             : 0;
}
inline bool HasPassed(uint64_t deadline) {
  return deadline != 0 && MonotonicNanoseconds() >= deadline;
}

}  // namespace latimer

#endif  // LATIMER_BASE_CLOCK_H_
