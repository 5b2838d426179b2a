// Structs of the C API, whose size the caller sets.
#ifndef LATIMER_TESTS_SYSTEM_SIZED_STRUCT_H_
#define LATIMER_TESTS_SYSTEM_SIZED_STRUCT_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "latimer/latimer.h"

namespace latimer {

// All zero but the size. Designated initializers would do if GCC did not warn
// of the members that they leave out.
template <typename T>
T Sized() {
  T value = {};
  value.struct_bytes = sizeof(T);
  return value;
}

// Sets an option by name; it must be right.
inline void Set(latimer_options* options, const char* name, const char* value) {
  char message[LATIMER_MESSAGE_BYTES];
  if (latimer_set_option(options, name, value, message, sizeof(message)) !=
      LATIMER_OK) {
    std::fprintf(stderr, "%s\n", message);
    std::abort();
  }
}
inline void Set(latimer_options* options, const char* name, uint32_t value) {
  Set(options, name, std::to_string(value).c_str());
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_SIZED_STRUCT_H_
