// A build whose model needs more RAM than its board has stops here.

#include "latimer/board_config.h"
#include "latimer/internal/memory_plan.h"

namespace latimer {
namespace {

// A function, so that the compiler prints its arguments by name.
template <uint64_t bytes_needed, uint64_t bytes_on_board>
constexpr bool ModelFitsBoard() {
  static_assert(
      bytes_needed <= bytes_on_board,
      "Model " LATIMER_PROFILE_NAME
      " needs more RAM than board " LATIMER_BOARD_NAME
      " gives to translation (bytes_needed exceeds "
      "bytes_on_board): convert it with a smaller --max-source-tokens or "
      "--max-target-tokens, take another board, or say with "
      "-DLATIMER_BOARD_RAM_MIB=N what the board has.");
  return true;
}

static_assert(ModelFitsBoard<RamBytes(kProfile), kBoard.ram_bytes>());

}  // namespace
}  // namespace latimer
