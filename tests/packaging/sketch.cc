// The sketch of packaging/arduino as a program: its serial port is standard
// input and output.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

namespace {

unsigned long micros() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct {
  void begin(unsigned long) {}
  void setTimeout(unsigned long) {}
  void println(const char* text = "") { puts(text); }
  void write(const char* text, size_t count) { fwrite(text, 1, count, stdout); }
  size_t readBytesUntil(char end, char* line, size_t most) {
    size_t count = 0;
    int c;
    while (count < most && (c = getchar()) != end) {
      if (c == EOF) exit(0);
      line[count++] = static_cast<char>(c);
    }
    return count;
  }
} Serial;

}  // namespace

#include "Translate.ino"

int main() {
  setup();
  for (;;) loop();
}
