// Instruction sets, as LATIMER_ISAS names them: of the build, the CPU and the
// boards.
#ifndef LATIMER_CLI_ISAS_H_
#define LATIMER_CLI_ISAS_H_

#include <string>
#include <vector>

#include "latimer/board.h"

namespace latimer::cli {

// Those of the kernels that are compiled in; all of these lists are oldest
// first.
std::vector<std::string> IsasInBuild();

// Compiled in, and the CPU has them.
std::vector<std::string> UsableIsas();

// The CPU has them, and they are newer than all that are compiled in.
std::vector<std::string> NewerIsas();

// The board whose kernels use `isa` and nothing that this CPU lacks, the one
// with most; null if there is none.
const Board* BoardFor(const std::string& isa);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ISAS_H_
