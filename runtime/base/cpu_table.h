// The one table of CPU features. It serves the choice of kernels at Load
// (base/cpu.cc), the check when a program starts (cli/cpu_guard.cc) and
// `latimer doctor`.
#ifndef LATIMER_BASE_CPU_TABLE_H_
#define LATIMER_BASE_CPU_TABLE_H_

#include <stdint.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#elif !defined(LATIMER_BARE)
#include <sys/auxv.h>
#endif

namespace latimer {

struct CpuFeatures;

// Words of feature bits, and where they come from.
enum CpuWord : uint8_t {
  // x86-64: registers after CPUID with this leaf and subleaf.
  kLeaf1Ecx,
  kLeaf7Ebx,
  kLeaf7Ecx,
  kLeaf7Edx,
  kLeaf7Subleaf1Eax,
  kExtendedLeaf1Ecx,
  // ARM and RISC-V: the kernel's auxiliary vector. Without an operating system
  // (LATIMER_BARE) and on macOS: what the compiler may use.
  kHwcap,
  kHwcap2,
  // RISC-V: the length of its vectors, a power of two.
  kVectorBits,
  kCpuWordCount,
};

// Registers that the operating system must save too: bits of x86's XCR0.
inline constexpr uint8_t kYmm = 0x06;
inline constexpr uint8_t kZmm = 0xe6;

// An instruction set, as LATIMER_ISAS names it.
struct Isa {
  const char* name;                 // "avx2".
  bool CpuFeatures::*usable;        // Its flag.
  bool in_build;                    // LATIMER_ISAS has it.
  bool CpuFeatures::*implied;       // The flag that must be set too; or null.
  bool goes_with_previous = false;  // No limit of its own: the previous one's.
};

struct CpuFeature {
  const char* name;  // For people: "FMA".
  CpuWord word;
  uint8_t bit;
  uint8_t registers;  // kYmm, kZmm or 0.
  bool in_flags;      // The compiler may use it in all code.
  // The instruction set that needs it. Null: it matters only where in_flags.
  bool CpuFeatures::*isa = nullptr;
};

// Those of this architecture, oldest first.
extern const Isa kIsas[];
extern const int kIsaCount;
extern const CpuFeature kCpuFeatures[];
extern const int kCpuFeatureCount;

// What this CPU has. These functions are static on purpose: cli/cpu_guard.cc is
// compiled for the least CPU, and the linker must not give it the copy of
// another file.
struct CpuWords {
  unsigned long words[kCpuWordCount];
  unsigned long registers;  // That the operating system saves: XCR0.
};

static inline CpuWords ReadCpuWords() {
  CpuWords cpu = {};
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    cpu.words[kLeaf1Ecx] = ecx;
    constexpr unsigned kOsxsave = 1u << 27;
    if ((ecx & kOsxsave) != 0) {
      __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
      cpu.registers = eax;
    }
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    cpu.words[kLeaf7Ebx] = ebx;
    cpu.words[kLeaf7Ecx] = ecx;
    cpu.words[kLeaf7Edx] = edx;
    if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) {
      cpu.words[kLeaf7Subleaf1Eax] = eax;
    }
  }
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0) {
    cpu.words[kExtendedLeaf1Ecx] = ecx;
  }
#elif defined(LATIMER_BARE) || defined(__APPLE__)
  // Nobody to ask: it has what the compiler was told.
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (!kCpuFeatures[i].in_flags) continue;
    cpu.words[kCpuFeatures[i].word] |= 1ul << kCpuFeatures[i].bit;
  }
#if defined(__APPLE__)
  // What has kernels of its own; macOS 12 and iOS 15 know it.
  constexpr struct {
    const char* name;
    CpuWord word;
    uint8_t bit;
  } kAsked[] = {{"hw.optional.arm.FEAT_DotProd", kHwcap, 20},
                {"hw.optional.arm.FEAT_I8MM", kHwcap2, 13}};
  for (const auto& asked : kAsked) {
    int has = 0;
    size_t bytes = sizeof(has);
    if (sysctlbyname(asked.name, &has, &bytes, nullptr, 0) == 0 && has == 1) {
      cpu.words[asked.word] |= 1ul << asked.bit;
    }
  }
#endif
#else
  cpu.words[kHwcap] = getauxval(AT_HWCAP);
  cpu.words[kHwcap2] = getauxval(AT_HWCAP2);
#if defined(__riscv)
  if ((cpu.words[kHwcap] >> ('v' - 'a') & 1) != 0) {
    unsigned long bytes;
    __asm__("csrr %0, 0xc22" : "=r"(bytes));  // vlenb
    cpu.words[kVectorBits] = 8 * bytes;
  }
#endif
#endif
  return cpu;
}

static inline bool HasFeature(const CpuWords& cpu, const CpuFeature& feature) {
  return (cpu.words[feature.word] >> feature.bit & 1) != 0 &&
         (cpu.registers & feature.registers) == feature.registers;
}

}  // namespace latimer

#endif  // LATIMER_BASE_CPU_TABLE_H_
