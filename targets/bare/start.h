// What the start of every CPU does before main().
#ifndef LATIMER_TARGETS_BARE_START_H_
#define LATIMER_TARGETS_BARE_START_H_

#include <cstring>

#include "machine.h"

extern "C" {
// Of sections.ld.
extern char data_begin[], data_end[], data_load[], bss_begin[], bss_end[];
extern char stack_end[];
extern void (*init_begin[])();
extern void (*init_end[])();
}

[[noreturn]] inline void StartProgram() {
  std::memcpy(data_begin, data_load,
              static_cast<size_t>(data_end - data_begin));
  std::memset(bss_begin, 0, static_cast<size_t>(bss_end - bss_begin));
  machine::Start();
  for (auto* init = init_begin; init < init_end; ++init) (*init)();
  machine::End(Main());
}

#endif  // LATIMER_TARGETS_BARE_START_H_
