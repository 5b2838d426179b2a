// Checks for our own mistakes, which abort with file and line. Bad models and
// bad input are reported with Status instead.
#ifndef LATIMER_BASE_CHECK_H_
#define LATIMER_BASE_CHECK_H_

namespace latimer {

// Writes `message` to standard error and aborts.
[[noreturn]] void CheckFailed(const char* message);

}  // namespace latimer

// The message is a constant, because fprintf to standard error takes 10 KB of
// stack.
#define LATIMER_CHECK_TEXT(text) #text
#define LATIMER_CHECK_LINE(line) LATIMER_CHECK_TEXT(line)

// Always on; for Load and for code outside the decode loop.
#define LATIMER_CHECK(condition)                              \
  do {                                                        \
    if (!(condition)) [[unlikely]] {                          \
      ::latimer::CheckFailed(__FILE__ ":" LATIMER_CHECK_LINE( \
          __LINE__) ": check "                                \
                    "failed: " #condition "\n");              \
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
