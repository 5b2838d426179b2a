// Reset and exceptions of a 64-bit Arm at EL1. The MMU is on, because without
// it all memory is a device's, which refuses unaligned addresses.
#include "latimer/machine.h"
#include "start.h"

extern "C" {

[[noreturn, gnu::used]] void Begin() { StartProgram(); }

[[noreturn, gnu::used]] void Fault() { latimer_machine_failed("Fault\n"); }

// Level 1 of the translation table, blocks of 1 GB at their own addresses. The
// first has the devices; the second is memory, cached.
alignas(4096) extern const uint64_t address_map[512];
const uint64_t address_map[512] = {0x00000401, 0x40000705};
}

// CPACR: floating point and SIMD are on. MAIR: attributes 0 of devices, 1 of
// memory. TCR: addresses of 39 bits, cached tables. SCTLR: MMU and caches.
asm(R"(
  .section .vectors, "ax"
  .globl Reset
Reset:
  mov x0, #0x300000
  msr cpacr_el1, x0
  adrp x0, exceptions
  add x0, x0, :lo12:exceptions
  msr vbar_el1, x0
  mov x0, #0xff00
  msr mair_el1, x0
  ldr x0, =0x803519
  msr tcr_el1, x0
  adrp x0, address_map
  msr ttbr0_el1, x0
  dsb sy
  isb
  mrs x0, sctlr_el1
  ldr x1, =0x1005
  orr x0, x0, x1
  msr sctlr_el1, x0
  isb
  ldr x0, =stack_end
  mov sp, x0
  b Begin
  .balign 2048
exceptions:
  .rept 16
  .balign 128
  b Fault
  .endr
  .text
)");
