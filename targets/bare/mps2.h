// UART, clock and the end of the program on Arm's MPS boards, a part of
// mps2_an500.cc and mps3_an547.cc, which give its addresses and clocks.
// Registers: of the UART in Arm's Cortex-M System Design Kit, Technical
// Reference Manual; of the FPGA in Application Note 500.
#include <cstdint>

#include "latimer/machine.h"
#include "machine.h"
#include "tasks.h"

namespace machine {

const uint32_t kTimerMhz = kSysTickMhz;

namespace {

struct Uart {
  volatile uint32_t data;
  volatile uint32_t state;  // 1: still sends, 2: has received.
  volatile uint32_t control;
  volatile uint32_t interrupt;
  volatile uint32_t divisor;
};

Uart& TheUart() { return *reinterpret_cast<Uart*>(kUart); }
// Counts up by itself.
uint32_t Counter() {
  return *reinterpret_cast<volatile uint32_t*>(kFpga + 0x18);
}

}  // namespace

void Start() {
  TheUart().divisor = 16;
  TheUart().control = 3;  // Sends and receives.
}

char ReadByte() {
  while ((TheUart().state & 2) == 0) {
  }
  return static_cast<char>(TheUart().data);
}

void WriteByte(char byte) {
  while ((TheUart().state & 1) != 0) {
  }
  TheUart().data = static_cast<uint8_t>(byte);
}

// Semihosting's SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit.
void End(int code) {
  const uint32_t block[] = {0x20026, static_cast<uint32_t>(code)};
  register uint32_t operation asm("r0") = 0x20;
  register const uint32_t* argument asm("r1") = block;
  asm volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
  for (;;) {
  }
}

}  // namespace machine

// For one task, at least every 171 seconds.
uint64_t latimer_machine_nanoseconds() {
  static uint32_t last = 0;
  static uint64_t ticks = 0;
  const uint32_t now = machine::Counter();
  ticks += now - last;
  last = now;
  return ticks * 1000 / kCounterMhz;
}

void latimer_machine_failed(const char* message) {
  machine::Write(message);
  machine::End(3);
}
