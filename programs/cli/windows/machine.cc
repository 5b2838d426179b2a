#include "cli/machine.h"

#include <cpuid.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/windows_api.h"
// After the others.
#include <psapi.h>

namespace latimer::cli {

std::string CpuModel() {
  constexpr unsigned kFirstLeaf = 0x80000002, kLeaves = 3;
  unsigned words[kLeaves][4] = {};
  for (unsigned i = 0; i < kLeaves; ++i) {
    if (__get_cpuid(kFirstLeaf + i, &words[i][0], &words[i][1], &words[i][2],
                    &words[i][3]) == 0) {
      return "";
    }
  }
  char name[sizeof(words) + 1] = {};
  std::memcpy(name, words, sizeof(words));
  std::string text = name;
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string CpuGovernor() { return ""; }

uint32_t OnlineCores() {
  return std::max<uint32_t>(1, GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
}

uint32_t PageBytes() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

uint64_t CacheBytes(uint32_t level) {
  DWORD bytes = 0;
  GetLogicalProcessorInformation(nullptr, &bytes);
  std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> all(
      bytes / sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION));
  if (all.empty() || !GetLogicalProcessorInformation(all.data(), &bytes)) {
    return 0;
  }
  for (const auto& info : all) {
    if (info.Relationship == RelationCache && info.Cache.Level == level &&
        info.Cache.Type != CacheInstruction) {
      return info.Cache.Size;
    }
  }
  return 0;
}

MemoryBytes ReadMemory() {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof(status);
  if (!GlobalMemoryStatusEx(&status)) return {};
  return {status.ullTotalPhys, status.ullAvailPhys, 0};
}

uint64_t PeakRssBytes() {
  PROCESS_MEMORY_COUNTERS counters = {};
  return K32GetProcessMemoryInfo(GetCurrentProcess(), &counters,
                                 sizeof(counters))
             ? counters.PeakWorkingSetSize
             : 0;
}

}  // namespace latimer::cli
