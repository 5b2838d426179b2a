// QEMU's virt for RISC-V: a 16550 UART, the CLINT's clock of 10 MHz, and
// SiFive's test device, which ends it.
#include "latimer/machine.h"
#include "machine.h"

namespace machine {
namespace {

template <typename T>
volatile T& Register(uintptr_t address) {
  return *reinterpret_cast<volatile T*>(address);
}

constexpr uintptr_t kUart = 0x10000000;
constexpr uintptr_t kUartState = kUart + 5;  // 1: has received, 0x20: sends.
constexpr uintptr_t kTime = 0x0200bff8;
constexpr uintptr_t kTest = 0x00100000;

}  // namespace

void Start() {}

char ReadByte() {
  while ((Register<uint8_t>(kUartState) & 1) == 0) {
  }
  return static_cast<char>(Register<uint8_t>(kUart));
}

void WriteByte(char byte) {
  while ((Register<uint8_t>(kUartState) & 0x20) == 0) {
  }
  Register<uint8_t>(kUart) = static_cast<uint8_t>(byte);
}

void End(int code) {
  Register<uint32_t>(kTest) =
      code == 0 ? 0x5555 : static_cast<uint32_t>(code) << 16 | 0x3333;
  for (;;) {
  }
}

}  // namespace machine

uint64_t latimer_machine_nanoseconds() {
  // In halves, as 32 bits can read it, which belong together.
  uint32_t high, low;
  do {
    high = machine::Register<uint32_t>(machine::kTime + 4);
    low = machine::Register<uint32_t>(machine::kTime);
  } while (high != machine::Register<uint32_t>(machine::kTime + 4));
  return (uint64_t{high} << 32 | low) * 100;
}

void latimer_machine_failed(const char* message) {
  machine::Write(message);
  machine::End(3);
}
