// The instruction sets of the build, the CPU and the boards, by their names in
// LATIMER_ISAS. All lists are oldest first.
#ifndef LATIMER_CLI_ISAS_H_
#define LATIMER_CLI_ISAS_H_

#include <string>
#include <vector>

#include "base/board.h"

namespace latimer::cli {

// Those that this build has kernels for.
std::vector<std::string> IsasInBuild();

// Those of IsasInBuild() that the CPU has.
std::vector<std::string> UsableIsas();

// Those that the CPU has and that are newer than all of IsasInBuild().
std::vector<std::string> NewerIsas();

// Of the boards whose kernels use `isa` and nothing that this CPU lacks, the
// one with the most instruction sets; null if there is none.
const Board* BoardFor(const std::string& isa);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ISAS_H_
