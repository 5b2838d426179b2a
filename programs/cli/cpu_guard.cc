// If the CPU lacks instructions that the program may contain, ends the program
// with one sentence and exit code 1 instead of a SIGILL. A board's flags let
// the compiler use new instructions anywhere, even before main. The library has
// no such guard.
//
// The check runs from .preinit_array: after the dynamic linker, before every
// constructor of the program and its libraries. It must not run anything that
// is compiled with the board's flags. This file is therefore compiled for the
// architecture's minimum (see cmake/LatimerProgram.cmake) and calls only
// functions with internal linkage and the C library: of an inline function in a
// header, the linker could pick the copy that another file compiled.

#include <unistd.h>

#include "base/cpu_table.h"
#include "latimer/board_config.h"

namespace latimer::cli {
namespace {

// Without a board, Load chooses among the kernels that the CPU can run.
constexpr bool kForABoard = __builtin_strcmp(kBoard.name, "host") != 0;

bool Needs(const CpuFeature& feature) {
  if (feature.in_flags) return true;
  for (int i = 0; kForABoard && i < kIsaCount; ++i) {
    if (kIsas[i].usable == feature.isa && kIsas[i].in_build) return true;
  }
  return false;
}

// A sentence; what exceeds the buffer is cut off.
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
  const CpuWords cpu = ReadCpuWords();
  int missing = 0;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (Needs(kCpuFeatures[i]) && !HasFeature(cpu, kCpuFeatures[i])) ++missing;
  }
  if (missing == 0) return;
  Sentence sentence;
  sentence.length = 0;
  Append(sentence, "latimer: this program was built for ");
  Append(sentence, kForABoard ? kBoard.name : "a newer CPU");
  Append(sentence, ", but this CPU lacks ");
  int named = 0;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (!Needs(kCpuFeatures[i]) || HasFeature(cpu, kCpuFeatures[i])) continue;
    if (named > 0) Append(sentence, named + 1 < missing ? ", " : " and ");
    Append(sentence, kCpuFeatures[i].name);
    ++named;
  }
  Append(sentence,
         "; build it with the preset for this board (targets/README.md).\n");
  const ssize_t written = write(STDERR_FILENO, sentence.text, sentence.length);
  static_cast<void>(written);  // Nothing can be done about it.
  _exit(1);
}

// Windows calls what is here before the constructors of C++. musl has no
// .preinit_array; what is here comes first of a static program's constructors.
#if defined(_WIN32)
#define LATIMER_FIRST ".CRT$XIB"
#elif !defined(__GLIBC__)
#define LATIMER_FIRST ".init_array.00000"
#else
#define LATIMER_FIRST ".preinit_array"
#endif
[[gnu::section(LATIMER_FIRST), gnu::used]] void (*check_cpu)() = CheckCpu;

}  // namespace

}  // namespace latimer::cli
