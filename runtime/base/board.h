// Board: the resources of one kind of device, fixed at compile time.
//
// The boards are the CMake toolchain files targets/boards/NAME.cmake. A build
// is for exactly one, `kBoard` in the generated latimer/board_config.h, and
// knows all of them, `kBoards` in the generated latimer/board_list.h.
#ifndef LATIMER_BASE_BOARD_H_
#define LATIMER_BASE_BOARD_H_

#include <cstdint>

namespace latimer {

// ram_bytes in a build for no particular board.
inline constexpr uint64_t kUnlimitedRam = UINT64_MAX;

struct Board {
  const char* name;  // "host" in a build for no particular board.
  // RAM that translation may use: workspace, stacks, and the model file if it
  // is copied to RAM.
  uint64_t ram_bytes;
  // The default number of threads.
  uint32_t threads;
  // The tile of int8 weights that its kernels read, such as "8x2s4"; "" on the
  // host.
  const char* tile;
  // The instruction sets that its kernels use, such as "neon dotprod".
  const char* isas;
  // Room for code and model on a machine without an operating system; 0: there
  // is one, and the program is a file.
  uint64_t flash_bytes = 0;
  // Whether a pruned argmax is faster than a full one.
  bool pruned_argmax = true;
  // Published figures, from which `latimer plan` predicts the speed; 0: none.
  uint32_t clock_mhz = 0;
  uint32_t read_mb_s = 0;      // Reading memory, in MB (1e6 bytes) per second.
  uint32_t cycles_per_kb = 0;  // Of a core, for 1,000 bytes of weights.
  // Of a core, for 1,000 multiplications of a window of speech.
  uint32_t cycles_per_1000 = 0;
};

}  // namespace latimer

#endif  // LATIMER_BASE_BOARD_H_
