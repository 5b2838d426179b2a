#include "base/cpu.h"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__) && (defined(__aarch64__) || defined(__arm__))
#include <sys/auxv.h>
#endif

namespace latimer {

#if defined(__x86_64__)
namespace {

constexpr bool HasBits(uint64_t value, uint64_t bits) {
  return (value & bits) == bits;
}

constexpr uint64_t Bit(int position) { return uint64_t{1} << position; }

// XCR0: which registers the operating system saves.
uint64_t EnabledRegisters() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

}  // namespace

// Bit numbers: Intel 64 and IA-32 Architectures Software Developer's Manual,
// volume 2A, CPUID.
CpuFeatures DetectCpuFeatures() {
  CpuFeatures features;
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return features;
  features.sse41 = HasBits(ecx, Bit(19) | Bit(9));  // SSE4.1 and SSSE3.
  const bool fma_f16c_avx = HasBits(ecx, Bit(12) | Bit(29) | Bit(28));
  const uint64_t enabled = HasBits(ecx, Bit(27)) ? EnabledRegisters() : 0;
  const bool ymm_saved = HasBits(enabled, Bit(1) | Bit(2));
  const bool zmm_saved = ymm_saved && HasBits(enabled, 0xe0);
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return features;
  const uint32_t leaf7_subleaves = eax;
  features.avx2 =
      features.sse41 && fma_f16c_avx && ymm_saved && HasBits(ebx, Bit(5));
  features.avx512 =
      features.avx2 && zmm_saved &&
      HasBits(ebx, Bit(16) | Bit(17) | Bit(28) | Bit(30) | Bit(31));
  features.avx512vnni = features.avx512 && HasBits(ecx, Bit(11));
  if (leaf7_subleaves >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) {
    features.avxvnni = features.avx2 && HasBits(eax, Bit(4));
  }
  return features;
}

Result<CpuFeatures> LimitCpuFeatures(CpuFeatures features, const char* name) {
  constexpr const char* kNames[] = {"sse41", "avx2", "avxvnni", "avx512"};
  const bool present[] = {features.sse41, features.avx2, features.avxvnni,
                          features.avx512};
  for (int level = 0; level < 4; ++level) {
    if (std::strcmp(name, kNames[level]) != 0) continue;
    if (!present[level]) {
      return Status::Error(StatusCode::kUnsupportedCpu,
                           "This CPU has no %s; leave out the limit.", name);
    }
    if (level < 1) features.avx2 = false;
    if (level < 2) features.avxvnni = false;
    if (level < 3) features.avx512 = features.avx512vnni = false;
    return features;
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "Unknown CPU level '%s'; use sse41, avx2, avxvnni or "
                       "avx512.",
                       name);
}

#elif defined(__aarch64__) || defined(__arm__)

CpuFeatures DetectCpuFeatures() {
  CpuFeatures features;
  // Bit numbers: Linux, arch/arm64/include/uapi/asm/hwcap.h and
  // arch/arm/include/uapi/asm/hwcap.h.
#if defined(__aarch64__)
  features.neon = true;
#if defined(__linux__)
  features.dotprod = (getauxval(AT_HWCAP) >> 20 & 1) != 0;
  features.i8mm = features.dotprod && (getauxval(AT_HWCAP2) >> 13 & 1) != 0;
#endif
#elif defined(__arm__) && defined(__linux__)
  features.neon = (getauxval(AT_HWCAP) >> 12 & 1) != 0;
#endif
  return features;
}

Result<CpuFeatures> LimitCpuFeatures(CpuFeatures features, const char* name) {
  constexpr const char* kNames[] = {"neon", "dotprod", "i8mm"};
  const bool present[] = {features.neon, features.dotprod, features.i8mm};
  for (int level = 0; level < 3; ++level) {
    if (std::strcmp(name, kNames[level]) != 0) continue;
    if (!present[level]) {
      return Status::Error(StatusCode::kUnsupportedCpu,
                           "This CPU has no %s; leave out the limit.", name);
    }
    if (level < 1) features.dotprod = false;
    if (level < 2) features.i8mm = false;
    return features;
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "Unknown CPU level '%s'; use neon, dotprod or i8mm.",
                       name);
}

#else

CpuFeatures DetectCpuFeatures() {
  CpuFeatures features;
  features.scalar = true;
  return features;
}

Result<CpuFeatures> LimitCpuFeatures(CpuFeatures features, const char* name) {
  if (std::strcmp(name, "scalar") == 0) return features;
  return Status::Error(StatusCode::kInvalidArgument,
                       "Unknown CPU level '%s'; use scalar.", name);
}

#endif

}  // namespace latimer
