// A machine without an operating system, as the programs here see it. Its file,
// mps2_an500.cc or another, also defines latimer/machine.h.
#ifndef LATIMER_TARGETS_BARE_MACHINE_H_
#define LATIMER_TARGETS_BARE_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace machine {

// Prepares UART and clock, before main().
void Start();

// A byte of the UART; waits for one.
char ReadByte();
void WriteByte(char byte);

// Ends the emulator with this exit code; a real machine halts.
[[noreturn]] void End(int code);

inline void Write(std::string_view text) {
  for (const char c : text) WriteByte(c);
}

inline void WriteNumber(uint64_t number) {
  char digits[20];
  size_t i = sizeof(digits);
  do {
    digits[--i] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  Write({digits + i, sizeof(digits) - i});
}

// Ends a session, instead of a line: Ctrl-D.
inline constexpr char kEndOfInput = 4;

// Reads a line into `text`, without its end, and sets `*length`; what exceeds
// the size is dropped. Returns false at the end of the input.
inline bool ReadLine(char* text, size_t size, size_t* length) {
  *length = 0;
  for (;;) {
    const char c = ReadByte();
    if (c == kEndOfInput) return false;
    if (c == '\n' || c == '\r') return true;
    if (*length < size) text[(*length)++] = c;
  }
}

}  // namespace machine

// The program's, which the machine's start calls.
int Main();

#endif  // LATIMER_TARGETS_BARE_MACHINE_H_
