// What Linux reports about the machine. Anything may be unknown.
#ifndef LATIMER_CLI_MACHINE_H_
#define LATIMER_CLI_MACHINE_H_

#include <cstdint>
#include <string>

namespace latimer::cli {

// "Raspberry Pi 5 Model B Rev 1.0, Cortex-A76"; empty if unknown.
std::string CpuModel();

// "ondemand"; empty if there is none.
std::string CpuGovernor();

uint32_t OnlineCores();
uint32_t PageBytes();

// The size of the first core's data cache of this level; 0 if there is none or
// it is unknown.
uint64_t CacheBytes(uint32_t level);

// The size of the largest cache; 0 if unknown.
uint64_t LargestCacheBytes();

// 0 means unknown or, for `limit`, none.
struct MemoryBytes {
  uint64_t total;
  uint64_t available;
  uint64_t limit;  // Of this control group.

  // The most that a program here can have.
  uint64_t most() const {
    return limit != 0 && (limit < total || total == 0) ? limit : total;
  }
};
MemoryBytes ReadMemory();

}  // namespace latimer::cli

#endif  // LATIMER_CLI_MACHINE_H_
