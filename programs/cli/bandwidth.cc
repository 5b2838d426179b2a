#include "cli/bandwidth.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "base/cpu.h"
#include "cli/machine.h"
#include "cli/timing.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

// Independent sums, in as many registers.
constexpr size_t kSums = 8;
// The share of a thread is a multiple of this: all sums of the widest vectors.
constexpr size_t kStep = kSums * 64;

using ReadFunction = void (*)(std::span<const std::byte> bytes, uint64_t times);

// Defines a function that adds up `bytes`, `times` times. A macro, because an
// inlined function would keep the vectors of its own target.
#define LATIMER_DEFINE_READ(name, vector_bytes, attribute)                 \
  attribute void name(std::span<const std::byte> bytes, uint64_t times) {  \
    typedef uint64_t Wide                                                  \
        __attribute__((vector_size(vector_bytes), may_alias));             \
    const auto* const begin = reinterpret_cast<const Wide*>(bytes.data()); \
    const auto* const end = begin + bytes.size() / sizeof(Wide);           \
    for (uint64_t i = 0; i < times; ++i) {                                 \
      Wide sums[kSums] = {};                                               \
      for (const Wide* at = begin; at < end; at += kSums) {                \
        for (size_t sum = 0; sum < kSums; ++sum) sums[sum] += at[sum];     \
      }                                                                    \
      for (size_t sum = 1; sum < kSums; ++sum) sums[0] += sums[sum];       \
      /* Keeps the compiler from leaving out a pass. */                    \
      __asm__ volatile(""                                                  \
                       :                                                   \
                       : "r"(static_cast<size_t>(sums[0][0]))              \
                       : "memory");                                        \
    }                                                                      \
  }

LATIMER_DEFINE_READ(Read, 16, )
#ifdef __x86_64__
LATIMER_DEFINE_READ(ReadAvx2, 32, __attribute__((target("avx2"))))
LATIMER_DEFINE_READ(ReadAvx512, 64, __attribute__((target("avx512f"))))
#endif

// The function with the widest loads that this CPU has.
ReadFunction FastestRead() {
#ifdef __x86_64__
  const CpuFeatures cpu = DetectCpuFeatures();
  if (cpu.avx512) return ReadAvx512;
  if (cpu.avx2) return ReadAvx2;
#endif
  return Read;
}

double MillisecondsFor(std::span<const std::byte> buffer, uint32_t threads,
                       uint64_t times) {
  const size_t share = buffer.size() / threads / kStep * kStep;
  const ReadFunction read = FastestRead();
  const auto start = Clock::now();
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < threads; ++i) {
    others.emplace_back(read, buffer.subspan(i * share, share), times);
  }
  read(buffer.first(share), times);
  for (std::thread& other : others) other.join();
  return MillisecondsSince(start);
}

}  // namespace

double ReadBandwidth(std::span<const std::byte> buffer, uint32_t threads) {
  constexpr double kPassMilliseconds = 50;
  constexpr double kAllMilliseconds = 500;
  const size_t share = buffer.size() / threads / kStep * kStep;
  if (share == 0) return 0;
  const auto start = Clock::now();
  MillisecondsFor(buffer, threads, 1);  // Fills caches and page tables.
  const double once = std::max(MillisecondsFor(buffer, threads, 1), 1e-4);
  const auto times =
      std::max<uint64_t>(1, static_cast<uint64_t>(kPassMilliseconds / once));
  double best = 0;
  do {
    const double milliseconds = MillisecondsFor(buffer, threads, times);
    const double bytes = static_cast<double>(share * threads * times);
    best = std::max(best, bytes / (milliseconds * 1e6));
  } while (MillisecondsSince(start) < kAllMilliseconds);
  return best;
}

size_t LargeBufferBytes() {
  constexpr uint64_t kSmallest = uint64_t{16} << 20;
  constexpr uint64_t kLargest = uint64_t{256} << 20;
  uint64_t bytes = std::max(4 * LargestCacheBytes(), uint64_t{64} << 20);
  if (const uint64_t free = ReadMemory().available; free != 0) {
    bytes = std::min(bytes, free / 4);
  }
  return static_cast<size_t>(std::clamp(bytes, kSmallest, kLargest));
}

FilledBuffer::FilledBuffer(size_t bytes) {
  void* const memory = AllocatePages(bytes, /*all=*/false);
  if (memory == nullptr) return;
  std::memset(memory, 1, bytes);
  bytes_ = {static_cast<const std::byte*>(memory), bytes};
}

FilledBuffer::~FilledBuffer() {
  if (!bytes_.empty()) {
    FreePages(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

}  // namespace latimer::cli
