// The machine of WebAssembly: JavaScript gives it input, output and a clock.
// wasm.mjs is that JavaScript for Node.
#include "latimer/machine.h"
#include "machine.h"

#define IMPORT(name) \
  [[clang::import_module("machine"), clang::import_name(name)]]

extern "C" {
IMPORT("read_byte") int MachineReadByte();
IMPORT("write_byte") void MachineWriteByte(int byte);
IMPORT("end") [[noreturn]] void MachineEnd(int code);
IMPORT("milliseconds") double MachineMilliseconds();

[[clang::export_name("main")]] int StartWasm() { return Main(); }

uint64_t latimer_machine_nanoseconds() {
  return static_cast<uint64_t>(MachineMilliseconds() * 1e6);
}

void latimer_machine_failed(const char* message) {
  machine::Write(message);
  machine::End(1);
}
}

namespace machine {

char ReadByte() { return static_cast<char>(MachineReadByte()); }
void WriteByte(char byte) {
  MachineWriteByte(static_cast<unsigned char>(byte));
}
void End(int code) { MachineEnd(code); }

}  // namespace machine
