// A build whose model needs more RAM than its board has stops here.

#include "latimer/board_config.h"
#include "latimer/internal/any_profile.h"
#include "latimer/internal/memory_plan.h"

namespace latimer {
namespace {

// A function, so that the compiler prints its arguments by name.
template <uint64_t bytes_needed, uint64_t bytes_on_board, bool any_model>
constexpr bool ModelFitsBoard() {
  if constexpr (any_model) {
    static_assert(
        bytes_needed <= bytes_on_board,
        "Profile " LATIMER_PROFILE_NAME
        " holds any model and needs more RAM than board " LATIMER_BOARD_NAME
        " gives to translation (bytes_needed exceeds "
        "bytes_on_board): build for your model. Write its profile "
        "with latimer-convert MODEL -o FILE --board BOARD --profile "
        "targets/models/NAME.h, and configure with "
        "-DLATIMER_MODEL=NAME.");
  } else {
    static_assert(bytes_needed <= bytes_on_board,
                  "Model " LATIMER_PROFILE_NAME
                  " needs more RAM than board " LATIMER_BOARD_NAME
                  " gives to translation (bytes_needed exceeds "
                  "bytes_on_board): convert it with a smaller "
                  "--max-source-tokens or --max-target-tokens, take another "
                  "board, or say with -DLATIMER_BOARD_RAM_MIB=N what the board "
                  "has.");
  }
  return true;
}

static_assert(ModelFitsBoard<RamBytes(kProfile), kBoard.ram_bytes,
                             IsAnyProfile(kProfile)>());

}  // namespace
}  // namespace latimer
