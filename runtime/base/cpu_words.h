// Reads which features the CPU has.
//
// The functions are static on purpose: cli/cpu_guard.cc is compiled for the
// least CPU, and the linker must not give it the copy of another file.
#ifndef LATIMER_BASE_CPU_WORDS_H_
#define LATIMER_BASE_CPU_WORDS_H_

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

#include "base/cpu_table.h"

namespace latimer {

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
#else
  cpu.words[kHwcap] = getauxval(AT_HWCAP);
  cpu.words[kHwcap2] = getauxval(AT_HWCAP2);
#endif
  return cpu;
}

static inline bool HasFeature(const CpuWords& cpu, const CpuFeature& feature) {
  return (cpu.words[feature.word] >> feature.bit & 1) != 0 &&
         (cpu.registers & feature.registers) == feature.registers;
}

}  // namespace latimer

#endif  // LATIMER_BASE_CPU_WORDS_H_
