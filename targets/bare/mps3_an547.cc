// QEMU's mps3-an547: Cortex-M55, in secure state.
#include <cstdint>

namespace {
constexpr uint32_t kUart = 0x59303000;
constexpr uint32_t kFpga = 0x59302000;
constexpr uint32_t kCounterMhz = 20;  // QEMU's.
constexpr uint32_t kSysTickMhz = 32;
}  // namespace

#include "mps2.h"
