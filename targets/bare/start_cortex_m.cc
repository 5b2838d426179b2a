// Reset and faults of a Cortex-M.
#include "latimer/machine.h"
#include "start.h"

namespace {

// The address of the Coprocessor Access Control Register: who may use the FPU.
constexpr uint32_t kCpacr = 0xe000ed88;

[[noreturn]] void Fault() { latimer_machine_failed("Fault\n"); }

}  // namespace

extern "C" [[noreturn]] void Reset() {
  auto* const access = reinterpret_cast<volatile uint32_t*>(kCpacr);
  *access = *access | 0xfu << 20;
  asm volatile("dsb\n isb");
  StartProgram();
}

[[gnu::section(".vectors"), gnu::used]] const void* const vectors[16] = {
    stack_end,
    reinterpret_cast<const void*>(&Reset),
    reinterpret_cast<const void*>(&Fault),   // NMI
    reinterpret_cast<const void*>(&Fault),   // HardFault
    reinterpret_cast<const void*>(&Fault),   // MemManage
    reinterpret_cast<const void*>(&Fault),   // BusFault
    reinterpret_cast<const void*>(&Fault)};  // UsageFault
