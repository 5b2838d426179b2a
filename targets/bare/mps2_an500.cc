// QEMU's mps2-an500: Cortex-M7.
#include <cstdint>

namespace {
constexpr uint32_t kUart = 0x40004000;
constexpr uint32_t kFpga = 0x40028000;
constexpr uint32_t kCounterMhz = 25;
constexpr uint32_t kSysTickMhz = 25;
}  // namespace

#include "mps2.h"
