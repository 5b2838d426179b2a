// QEMU's virt for Arm: a PL011 UART, the CPU's clock, and semihosting, which
// ends it.
#include "latimer/machine.h"
#include "machine.h"

namespace machine {
namespace {

// Registers of the UART, by their offset.
volatile uint32_t& Uart(uintptr_t offset) {
  return *reinterpret_cast<volatile uint32_t*>(0x09000000 + offset);
}

constexpr uintptr_t kData = 0;
constexpr uintptr_t kFlags = 0x18;  // 0x10: nothing received, 0x20: full.
constexpr uintptr_t kControl = 0x30;

}  // namespace

void Start() { Uart(kControl) = 0x301; }  // Sends and receives.

char ReadByte() {
  while ((Uart(kFlags) & 0x10) != 0) {
  }
  return static_cast<char>(Uart(kData));
}

void WriteByte(char byte) {
  while ((Uart(kFlags) & 0x20) != 0) {
  }
  Uart(kData) = static_cast<uint8_t>(byte);
}

// Semihosting's SYS_EXIT with ADP_Stopped_ApplicationExit.
void End(int code) {
  const uint64_t block[] = {0x20026, static_cast<uint64_t>(code)};
  register uint64_t operation asm("x0") = 0x18;
  register const uint64_t* argument asm("x1") = block;
  asm volatile("hlt 0xf000" : "+r"(operation) : "r"(argument) : "memory");
  for (;;) {
  }
}

}  // namespace machine

uint64_t latimer_machine_nanoseconds() {
  uint64_t ticks = 0;
  uint64_t frequency = 0;
  asm volatile("isb\n mrs %0, cntvct_el0" : "=r"(ticks));
  asm("mrs %0, cntfrq_el0" : "=r"(frequency));
  return ticks * (1'000'000'000 / frequency);
}

void latimer_machine_failed(const char* message) {
  machine::Write(message);
  machine::End(3);
}
