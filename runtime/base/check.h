// Checks against our own mistakes: they abort with file and line. Bad models
// and bad input are reported with Status instead.
#ifndef LATIMER_BASE_CHECK_H_
#define LATIMER_BASE_CHECK_H_

namespace latimer {

// Writes `FILE:LINE: check failed: CONDITION` to standard error and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file,
                              int line);

}  // namespace latimer

// Always on; for Load and for code outside the decode loop.
#define LATIMER_CHECK(condition)                              \
  do {                                                        \
    if (!(condition)) [[unlikely]] {                          \
      ::latimer::CheckFailed(#condition, __FILE__, __LINE__); \
    }                                                         \
  } while (false)

// Compiled out when NDEBUG is defined; for the decode loop.
#ifdef NDEBUG
#define LATIMER_DCHECK(condition) \
  do {                            \
  } while (false && (condition))
#else
#define LATIMER_DCHECK(condition) LATIMER_CHECK(condition)
#endif

#endif  // LATIMER_BASE_CHECK_H_
