// Ends the program with one sentence on a CPU that lacks instructions which the
// program may contain, instead of SIGILL somewhere.
//
// The check runs from .preinit_array: after the dynamic linker, before every
// constructor of the program and its libraries. It must not run anything that
// is compiled with the board's flags. This file has flags of its own (see
// cmake/LatimerProgram.cmake) and calls only functions with internal linkage
// and the C library; an inline function of a header could be the copy that
// another file compiled.

#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

#include "cli/cpu_features.h"
#include "latimer/board_config.h"

namespace latimer::cli {
namespace {

struct Cpu {
  unsigned long words[kCpuWordCount];
  unsigned long registers;  // What the operating system saves: XCR0.
};

Cpu cpu;

#if defined(__x86_64__)

void ReadCpu() {
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
}

#else

void ReadCpu() {
  cpu.words[kHwcap] = getauxval(AT_HWCAP);
  cpu.words[kHwcap2] = getauxval(AT_HWCAP2);
}

#endif

bool Has(const CpuFeature& feature) {
  return (cpu.words[feature.word] >> feature.bit & 1) != 0 &&
         (cpu.registers & feature.registers) == feature.registers;
}

consteval bool SameText(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// Without a board, kernels are chosen at Load among those that the CPU has.
constexpr bool kForABoard = !SameText(kBoard.name, "host");

bool Needs(const CpuFeature& feature) {
  return feature.flags || (feature.kernels && kForABoard);
}

// A sentence that grows as far as there is room.
struct Sentence {
  char text[1024];
  size_t length;
};

void Append(Sentence& sentence, const char* text) {
  while (*text != '\0' && sentence.length < sizeof(sentence.text)) {
    sentence.text[sentence.length++] = *text++;
  }
}

void CheckCpu() {
  ReadCpu();
  int missing = 0;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (Needs(kCpuFeatures[i]) && !Has(kCpuFeatures[i])) ++missing;
  }
  if (missing == 0) return;
  Sentence sentence;
  sentence.length = 0;
  Append(sentence, "latimer: this program was built for ");
  Append(sentence, kForABoard ? kBoard.name : "a newer CPU");
  Append(sentence, ", but this CPU lacks ");
  int named = 0;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (!Needs(kCpuFeatures[i]) || Has(kCpuFeatures[i])) continue;
    if (named > 0) Append(sentence, named + 1 < missing ? ", " : " and ");
    Append(sentence, kCpuFeatures[i].name);
    ++named;
  }
  Append(sentence,
         "; build it with the preset of this board (targets/README.md).\n");
  const ssize_t written = write(STDERR_FILENO, sentence.text, sentence.length);
  static_cast<void>(written);  // There is nobody else to tell.
  _exit(1);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*check_cpu)() = CheckCpu;

}  // namespace

bool CpuHas(const CpuFeature& feature) { return Has(feature); }

}  // namespace latimer::cli
