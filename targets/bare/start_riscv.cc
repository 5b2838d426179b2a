// Reset and traps of a RISC-V in machine mode, of 32 bits or 64.
#include "latimer/machine.h"
#include "start.h"

extern "C" [[noreturn, gnu::used]] void Begin() { StartProgram(); }

extern "C" [[noreturn, gnu::used]] void Fault() {
  latimer_machine_failed("Fault\n");
}

// mstatus.FS: the FPU is on, if there is one. A -march with zicsr would miss
// the compiler's libraries for rv32imac.
asm(R"(
  .option arch, +zicsr
  .section .vectors, "ax"
  .globl Reset
Reset:
  li t0, 0x2000
  csrs mstatus, t0
  la t0, trap
  csrw mtvec, t0
  la sp, stack_end
  tail Begin
  .balign 4
trap:
  tail Fault
  .text
)");
