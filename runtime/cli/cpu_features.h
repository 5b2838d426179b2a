// The instructions that this program may contain, and those that the CPU has.
#ifndef LATIMER_CLI_CPU_FEATURES_H_
#define LATIMER_CLI_CPU_FEATURES_H_

#include <cstdint>

namespace latimer::cli {

// Words of bits in which the machine says what it can do.
enum CpuWord : uint8_t {
  // x86-64: registers after CPUID with that leaf, and subleaf.
  kLeaf1Ecx,
  kLeaf7Ebx,
  kLeaf7Ecx,
  kLeaf7Edx,
  kLeaf7Subleaf1Eax,
  kExtendedLeaf1Ecx,
  // Elsewhere: from the kernel.
  kHwcap,
  kHwcap2,
  kCpuWordCount,
};

// Registers that the operating system must save besides: bits of x86's XCR0.
inline constexpr uint8_t kYmm = 0x06;
inline constexpr uint8_t kZmm = 0xe6;

struct CpuFeature {
  const char* name;  // For people: "dotprod".
  CpuWord word;
  uint8_t bit;
  uint8_t registers;  // kYmm, kZmm or 0.
  bool flags;         // The compiler's flags allow it in all code.
  // The instruction set among LATIMER_ISAS that needs it, "" for none, and
  // whether kernels for that are compiled in.
  const char* isa = "";
  bool kernels = false;
};

// Of this architecture, oldest first.
extern const CpuFeature kCpuFeatures[];
extern const int kCpuFeatureCount;

bool CpuHas(const CpuFeature& feature);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_CPU_FEATURES_H_
