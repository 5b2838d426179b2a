#include "cli/machine.h"

#include <mach/mach.h>
#include <sys/sysctl.h>
#include <unistd.h>

namespace latimer::cli {
namespace {

// What the system knows by that name; empty or 0 if it does not.
std::string TextOf(const char* name) {
  char text[256] = {};
  size_t bytes = sizeof(text) - 1;
  return sysctlbyname(name, text, &bytes, nullptr, 0) == 0 ? text : "";
}

uint64_t NumberOf(const char* name) {
  uint64_t number = 0;  // Some have 4 bytes, in little endian.
  size_t bytes = sizeof(number);
  return sysctlbyname(name, &number, &bytes, nullptr, 0) == 0 ? number : 0;
}

}  // namespace

std::string CpuModel() {
  const std::string cpu = TextOf("machdep.cpu.brand_string");
  const std::string model = TextOf("hw.model");
  if (model.empty() || cpu.empty()) return model + cpu;
  return model + ", " + cpu;
}

std::string CpuGovernor() { return ""; }

uint32_t OnlineCores() {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? static_cast<uint32_t>(cores) : 1;
}

uint32_t PageBytes() { return static_cast<uint32_t>(sysconf(_SC_PAGESIZE)); }

// Of the fast cores: "hw.l2cachesize" is that of the efficient ones.
uint64_t CacheBytes(uint32_t level) {
  switch (level) {
    case 1:
      return NumberOf("hw.perflevel0.l1dcachesize");
    case 2:
      return NumberOf("hw.perflevel0.l2cachesize");
    default:
      return 0;
  }
}

MemoryBytes ReadMemory() {
  const uint64_t total = NumberOf("hw.memsize");
  vm_statistics64 pages = {};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const mach_port_t host = mach_host_self();
  const bool known = host_statistics64(host, HOST_VM_INFO64,
                                       reinterpret_cast<host_info64_t>(&pages),
                                       &count) == KERN_SUCCESS;
  mach_port_deallocate(mach_task_self(), host);
  if (!known) return {total, 0, 0};
  const uint64_t available = uint64_t{pages.free_count} + pages.inactive_count;
  return {total, available * PageBytes(), 0};
}

uint64_t PeakRssBytes() {
  mach_task_basic_info info = {};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  return task_info(mach_task_self(), MACH_TASK_BASIC_INFO,
                   reinterpret_cast<task_info_t>(&info), &count) == KERN_SUCCESS
             ? info.resident_size_max
             : 0;
}

}  // namespace latimer::cli
