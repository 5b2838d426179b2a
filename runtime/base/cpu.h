// The instruction sets of this CPU that our kernels can use.
#ifndef LATIMER_BASE_CPU_H_
#define LATIMER_BASE_CPU_H_

#include "base/isas_in_build.h"
#include "latimer/status.h"

namespace latimer {

// A flag for each instruction set of base/isas.txt, of all architectures. It
// means usable: the CPU has the instructions and the operating system saves
// their registers. Passed by value, so that a test can clear some. Which
// instructions a flag stands for is in base/cpu_table.cc.
struct CpuFeatures {
#define LATIMER_FLAG(name) bool name = false;
  LATIMER_EVERY_ISA(LATIMER_FLAG)
#undef LATIMER_FLAG
};

// The instruction sets that this build has kernels for, separated by spaces:
// LATIMER_ISAS of CMake.
inline constexpr const char kIsasInBuild[] = LATIMER_ISAS_IN_BUILD;

// Asks the CPU, on ARM and RISC-V the kernel. Cheap, but call it only once, at
// Load.
CpuFeatures DetectCpuFeatures();

// `features` without everything newer than `name`, an instruction set of this
// architecture that base/isas.txt calls a limit. For tests and for comparing
// kernels on one machine. kInvalidArgument: this architecture has no such name.
// kUnsupportedCpu: the CPU lacks `name`.
Result<CpuFeatures> LimitCpuFeatures(CpuFeatures features, const char* name);

}  // namespace latimer

#endif  // LATIMER_BASE_CPU_H_
