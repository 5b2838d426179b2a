// What Linux says about the machine. All of it may be unknown.
#ifndef LATIMER_CLI_MACHINE_H_
#define LATIMER_CLI_MACHINE_H_

#include <cstdint>
#include <string>

namespace latimer::cli {

// "Raspberry Pi 5 Model B Rev 1.0, Cortex-A76"; empty: unknown.
std::string CpuModel();

// "ondemand"; empty: there is none.
std::string CpuGovernor();

uint32_t OnlineCores();
uint32_t PageBytes();

// Of the first core's cache of that level, for data; 0: there is none, or
// unknown.
uint64_t CacheBytes(uint32_t level);

// Of the largest cache; 0: unknown.
uint64_t LargestCacheBytes();

// 0: unknown, or no limit.
struct MemoryBytes {
  uint64_t total;
  uint64_t available;
  uint64_t limit;  // This control group's.

  // What a program here can have at most.
  uint64_t most() const {
    return limit != 0 && (limit < total || total == 0) ? limit : total;
  }
};
MemoryBytes ReadMemory();

}  // namespace latimer::cli

#endif  // LATIMER_CLI_MACHINE_H_
