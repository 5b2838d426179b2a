// The instruction sets of this CPU that our kernels can use.
#ifndef LATIMER_BASE_CPU_H_
#define LATIMER_BASE_CPU_H_

#include "base/isas_in_build.h"
#include "latimer/status.h"

namespace latimer {

// Each flag means usable: the CPU has the instructions and the operating
// system saves their registers. Passed by value, so that a test can clear some.
// Which instructions a flag stands for is in base/cpu_table.cc.
struct CpuFeatures {
  // x86-64. sse41, avx2 and avx512 imply the one before.
  bool sse41 = false;
  bool avx2 = false;        // AVX2, FMA and F16C.
  bool avxvnni = false;     // VNNI in VEX encoding; implies avx2.
  bool avx512 = false;      // AVX-512 F, CD, BW, DQ and VL.
  bool avx512vnni = false;  // Implies avx512.
  // ARM. neon is always set on aarch64; each implies the one before.
  bool neon = false;
  bool dotprod = false;
  bool i8mm = false;
  // riscv64 and Cortex-M: plain C; each implies the ones before.
  bool scalar = false;
  bool rvv256 = false;   // Vectors of exactly 256 bits.
  bool dsp = false;      // Products of pairs of int16: Cortex-M4, M7, M33.
  bool mve = false;      // Helium: Cortex-M55, M85.
  bool simd128 = false;  // WebAssembly's vectors.
};

// The instruction sets that this build has kernels for, separated by spaces:
// LATIMER_ISAS of CMake.
inline constexpr const char kIsasInBuild[] = LATIMER_ISAS_IN_BUILD;

// Asks the CPU, on ARM and RISC-V the kernel. Cheap, but call it only once, at
// Load.
CpuFeatures DetectCpuFeatures();

// `features` without everything newer than `name`: one of sse41, avx2, avxvnni,
// avx512 (with VNNI where the CPU has it) on x86-64; neon, dotprod, i8mm on
// ARM; scalar, rvv256 on RISC-V; simd128 in WebAssembly. For tests and for
// comparing kernels on one machine. kInvalidArgument: this architecture has no
// such name. kUnsupportedCpu: the CPU lacks `name`.
Result<CpuFeatures> LimitCpuFeatures(CpuFeatures features, const char* name);

}  // namespace latimer

#endif  // LATIMER_BASE_CPU_H_
