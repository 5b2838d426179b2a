// Structs of the C API, whose size the caller sets.
#ifndef LATIMER_TESTS_SYSTEM_SIZED_STRUCT_H_
#define LATIMER_TESTS_SYSTEM_SIZED_STRUCT_H_

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

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_SIZED_STRUCT_H_
