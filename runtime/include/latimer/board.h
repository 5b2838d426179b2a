// Board: what one kind of device gives to translation, fixed at compile time.
//
// The boards are the CMake toolchain files targets/boards/NAME.cmake. A build
// has exactly one, `kBoard` of the generated latimer/board_config.h, and knows
// all of them by name, `kBoards` of the generated latimer/board_list.h.
#ifndef LATIMER_BOARD_H_
#define LATIMER_BOARD_H_

#include <cstdint>

namespace latimer {

// ram_bytes of a build for no particular board.
inline constexpr uint64_t kUnlimitedRam = UINT64_MAX;

struct Board {
  const char* name;  // "host" in a build for no particular board.
  // RAM that translation may use: workspace, stacks, and the model file where
  // it is copied to RAM.
  uint64_t ram_bytes;
  // Threads that translation uses unless told otherwise.
  uint32_t threads;
  // Layout of int8 weights that its kernels read, "8x2s4"; "" on the host.
  const char* tile;
  // Instruction sets that the kernels use, "neon dotprod".
  const char* isas;
};

}  // namespace latimer

#endif  // LATIMER_BOARD_H_
