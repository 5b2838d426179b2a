#include "cli/machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace latimer::cli {
namespace {

// The beginning of a file, without zeros and newlines at its end; empty if the
// file cannot be read.
std::string ReadText(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return "";
  std::string text(size_t{1} << 16, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) {
    text.pop_back();
  }
  return text;
}

// The value of the first "name : value" line.
std::string FieldOf(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const size_t after = text.find_first_not_of(" \t", at + name.size());
    if (after == std::string::npos || text[after] != ':') continue;
    const size_t begin = text.find_first_not_of(" \t", after + 1);
    const size_t end = text.find('\n', after);
    if (begin == std::string::npos || begin >= end) return "";
    return text.substr(begin, end == std::string::npos ? end : end - begin);
  }
  return "";
}

// Part numbers (MIDR_EL1) from the technical reference manuals of Arm Limited.
std::string ArmName(const std::string& cpuinfo) {
  const std::string part = FieldOf(cpuinfo, "CPU part");
  if (part.empty()) return "";
  constexpr struct {
    long part;
    const char* name;
  } kParts[] = {
      {0xc05, "Cortex-A5"},   {0xc07, "Cortex-A7"},   {0xc08, "Cortex-A8"},
      {0xc09, "Cortex-A9"},   {0xc0f, "Cortex-A15"},  {0xd03, "Cortex-A53"},
      {0xd04, "Cortex-A35"},  {0xd05, "Cortex-A55"},  {0xd07, "Cortex-A57"},
      {0xd08, "Cortex-A72"},  {0xd09, "Cortex-A73"},  {0xd0a, "Cortex-A75"},
      {0xd0b, "Cortex-A76"},  {0xd0c, "Neoverse N1"}, {0xd0d, "Cortex-A77"},
      {0xd40, "Neoverse V1"}, {0xd41, "Cortex-A78"},  {0xd49, "Neoverse N2"},
  };
  const long number = std::strtol(part.c_str(), nullptr, 16);
  if (FieldOf(cpuinfo, "CPU implementer") == "0x41") {
    for (const auto& known : kParts) {
      if (known.part == number) return known.name;
    }
  }
  return "ARM part " + part;
}

uint64_t KilobytesOf(const std::string& meminfo, const char* name) {
  return std::strtoull(FieldOf(meminfo, name).c_str(), nullptr, 10) * 1024;
}

// The limit of control groups of version 2 or 1; 0 for "max" and the like.
uint64_t ControlGroupLimit() {
  std::string group = ReadText("/proc/self/cgroup");
  const size_t unified = group.find("0::");
  group = unified == std::string::npos ? "" : group.substr(unified + 3);
  group = group.substr(0, group.find('\n'));
  for (const std::string& path :
       {"/sys/fs/cgroup" + group + "/memory.max",
        std::string("/sys/fs/cgroup/memory.max"),
        std::string("/sys/fs/cgroup/memory/memory.limit_in_bytes")}) {
    const uint64_t limit = std::strtoull(ReadText(path).c_str(), nullptr, 10);
    constexpr uint64_t kNoLimit = uint64_t{1} << 60;
    if (limit != 0 && limit < kNoLimit) return limit;
  }
  return 0;
}

}  // namespace

std::string CpuModel() {
  const std::string cpuinfo = ReadText("/proc/cpuinfo");
  std::string cpu = ArmName(cpuinfo);
  if (cpu.empty()) cpu = FieldOf(cpuinfo, "model name");
  const std::string board = ReadText("/proc/device-tree/model");
  if (board.empty() || cpu.empty()) return board + cpu;
  return board + ", " + cpu;
}

std::string CpuGovernor() {
  return ReadText("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

uint32_t OnlineCores() {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? static_cast<uint32_t>(cores) : 1;
}

uint32_t PageBytes() { return static_cast<uint32_t>(sysconf(_SC_PAGESIZE)); }

uint64_t CacheBytes(uint32_t level) {
  for (int i = 0; i < 8; ++i) {
    const std::string cache =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i);
    const std::string size = ReadText(cache + "/size");
    if (size.empty()) break;
    if (ReadText(cache + "/level") != std::to_string(level) ||
        ReadText(cache + "/type") == "Instruction") {
      continue;
    }
    const uint64_t bytes = std::strtoull(size.c_str(), nullptr, 10);
    if (size.back() == 'K') return bytes * 1024;
    if (size.back() == 'M') return bytes * 1024 * 1024;
    return bytes;
  }
  return 0;
}

MemoryBytes ReadMemory() {
  const std::string meminfo = ReadText("/proc/meminfo");
  return {KilobytesOf(meminfo, "MemTotal"),
          KilobytesOf(meminfo, "MemAvailable"), ControlGroupLimit()};
}

uint64_t PeakRssBytes() {
  std::FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return 0;
  unsigned long long kilobytes = 0;
  char line[128];
  while (std::fgets(line, sizeof(line), file) != nullptr &&
         std::sscanf(line, "VmHWM: %llu kB", &kilobytes) != 1) {
  }
  std::fclose(file);
  return kilobytes * 1024;
}

}  // namespace latimer::cli
