// Reduces what a test does under an emulator, which takes a hundred times as
// long, and with sanitizers.
#ifndef LATIMER_TESTS_SYSTEM_EMULATOR_H_
#define LATIMER_TESTS_SYSTEM_EMULATOR_H_

#include <cstddef>

namespace latimer {

// Whether this is another machine's program, run by QEMU.
inline constexpr bool kEmulated = sizeof(LATIMER_EMULATOR) > 1;

// Whether it is built with sanitizers, which take ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Returns one of the two numbers, for example of sentences.
constexpr size_t FewerIfSlow(size_t usually, size_t where_slow) {
  return kEmulated || kSanitized ? where_slow : usually;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_EMULATOR_H_
