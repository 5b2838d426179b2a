// What the system reports about the machine. Anything may be unknown.
#ifndef LATIMER_CLI_MACHINE_H_
#define LATIMER_CLI_MACHINE_H_

#include <algorithm>
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
inline uint64_t LargestCacheBytes() {
  uint64_t largest = 0;
  for (uint32_t level = 1; level <= 4; ++level) {
    largest = std::max(largest, CacheBytes(level));
  }
  return largest;
}

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

// The peak of this program alone: getrusage may report the parent's, from
// before this program was started. 0 if the system does not say.
uint64_t PeakRssBytes();

}  // namespace latimer::cli

#endif  // LATIMER_CLI_MACHINE_H_
