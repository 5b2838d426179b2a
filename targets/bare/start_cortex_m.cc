// Reset and faults of a Cortex-M.
#include "latimer/machine.h"
#include "start.h"

namespace {

// Where exceptions are, and who may use the FPU and its vectors.
constexpr uint32_t kVectorTableOffset = 0xe000ed08;
constexpr uint32_t kCoprocessorAccess = 0xe000ed88;

volatile uint32_t& Register(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(address);
}

[[noreturn]] void Fault() { latimer_machine_failed("Fault\n"); }

}  // namespace

extern "C" {

extern const void* const vectors[16];

// Those of a program with tasks replace them.
[[gnu::weak]] void PendSv() { Fault(); }
[[gnu::weak]] void SysTick() { Fault(); }

[[noreturn]] void Reset() {
  Register(kVectorTableOffset) = reinterpret_cast<uint32_t>(vectors);
  Register(kCoprocessorAccess) = 0xfu << 20;
  asm volatile("dsb\n isb");
  StartProgram();
}

[[gnu::section(".vectors"), gnu::used]] const void* const vectors[16] = {
    stack_end,
    reinterpret_cast<const void*>(&Reset),
    reinterpret_cast<const void*>(&Fault),  // NMI
    reinterpret_cast<const void*>(&Fault),  // HardFault
    reinterpret_cast<const void*>(&Fault),  // MemManage
    reinterpret_cast<const void*>(&Fault),  // BusFault
    reinterpret_cast<const void*>(&Fault),  // UsageFault
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    reinterpret_cast<const void*>(&PendSv),
    reinterpret_cast<const void*>(&SysTick)};

}  // extern "C"
