// What the CPU can do, as far as our kernels ask.
#ifndef LATIMER_BASE_CPU_H_
#define LATIMER_BASE_CPU_H_

#include "latimer/status.h"

namespace latimer {

// Each flag means usable: the CPU has the instructions and the operating
// system saves their registers. Passed by value, so that a test can mask some.
struct CpuFeatures {
  // x86-64. Each of the first, second and fourth implies the one before.
  bool sse41 = false;
  bool avx2 = false;        // AVX2, FMA and F16C.
  bool avxvnni = false;     // VNNI in VEX encoding; implies avx2.
  bool avx512 = false;      // AVX-512 F, CD, BW, DQ and VL.
  bool avx512vnni = false;  // Implies avx512.
  // ARM; always neon on aarch64.
  bool neon = false;
  bool dotprod = false;
  bool i8mm = false;
  // Where plain C is all that we have: riscv64.
  bool scalar = false;
};

// The instruction sets that this build was made for, LATIMER_ISAS of CMake.
inline constexpr const char kIsasInBuild[] = LATIMER_ISAS_IN_BUILD;

// Asks the CPU, on ARM the kernel. Cheap, yet call it once, at Load.
CpuFeatures DetectCpuFeatures();

// `features` without all that is newer than `name`: one of sse41, avx2,
// avxvnni, avx512 (with VNNI where there is) on x86-64; neon, dotprod, i8mm on
// ARM; scalar elsewhere. For tests and for comparing kernels on one machine.
// kInvalidArgument: no such name on this architecture.
// kUnsupportedCpu: the CPU has no `name`.
Result<CpuFeatures> LimitCpuFeatures(CpuFeatures features, const char* name);

}  // namespace latimer

#endif  // LATIMER_BASE_CPU_H_
