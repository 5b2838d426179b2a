#include "cli/bandwidth.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "cli/timing.h"

namespace latimer::cli {
namespace {

// The compiler makes of it what the CPU has.
typedef uint64_t Wide __attribute__((vector_size(64), may_alias));

// Sums that do not wait for each other.
constexpr size_t kSums = 2;
constexpr size_t kStep = kSums * sizeof(Wide);

// Reads `bytes` so many times.
void Read(std::span<const std::byte> bytes, uint64_t times) {
  Wide sums[kSums] = {};
  const auto* in = reinterpret_cast<const Wide*>(bytes.data());
  const auto* const end = in + bytes.size() / kStep * kSums;
  for (uint64_t i = 0; i < times; ++i) {
    for (const Wide* at = in; at < end; at += kSums) {
      for (size_t sum = 0; sum < kSums; ++sum) sums[sum] += at[sum];
    }
    // Each time anew, and for the result.
    __asm__ volatile("" : : "r"(&sums) : "memory");
  }
}

double MillisecondsFor(std::span<const std::byte> buffer, uint32_t threads,
                       uint64_t times) {
  const size_t share = buffer.size() / threads / kStep * kStep;
  const auto start = Clock::now();
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < threads; ++i) {
    others.emplace_back(Read, buffer.subspan(i * share, share), times);
  }
  Read(buffer.first(share), times);
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
  MillisecondsFor(buffer, threads, 1);  // For the caches and the page tables.
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

FilledBuffer::FilledBuffer(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  std::memset(memory, 1, bytes);
  bytes_ = {static_cast<const std::byte*>(memory), bytes};
}

FilledBuffer::~FilledBuffer() {
  if (!bytes_.empty()) {
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

}  // namespace latimer::cli
