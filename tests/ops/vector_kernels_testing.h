// What the tests of the vector kernels share: every table that this CPU can
// run, noise, and arrays that notice when a kernel leaves them.
#ifndef LATIMER_TESTS_OPS_VECTOR_KERNELS_TESTING_H_
#define LATIMER_TESTS_OPS_VECTOR_KERNELS_TESTING_H_

#include <gtest/gtest.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>
#include <vector>

#include "base/cpu.h"
#include "ops/vector_kernels.h"

namespace latimer {

inline std::vector<const VectorKernels*> AllTables() {
  const VectorKernels* tables[kMaxVectorKernels] = {};
  const size_t count = ListVectorKernels(DetectCpuFeatures(), tables);
  return {tables, tables + count};
}

// 1..70 and a few larger: every tail of every vector and block size.
inline std::vector<size_t> OddSizes() {
  std::vector<size_t> sizes;
  for (size_t n = 1; n <= 70; ++n) sizes.push_back(n);
  for (size_t n : {255, 256, 257, 1000, 1023, 1024, 1025, 2500}) {
    sizes.push_back(n);
  }
  return sizes;
}

// n floats that end where an unreadable page begins and start after canaries.
class GuardedFloats {
 public:
  explicit GuardedFloats(size_t n) : n_(n) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = (n + kCanaries) * sizeof(float);
    const size_t readable = (bytes + page - 1) / page * page;
    mapped_ = readable + page;
    base_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) abort();
    char* end = static_cast<char*>(base_) + readable;
    if (mprotect(end, page, PROT_NONE) != 0) abort();
    data_ = reinterpret_cast<float*>(end) - n;
    for (size_t i = 1; i <= kCanaries; ++i) *(data_ - i) = kCanary;
  }
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;
  ~GuardedFloats() {
    for (size_t i = 1; i <= kCanaries; ++i) EXPECT_EQ(*(data_ - i), kCanary);
    munmap(base_, mapped_);
  }

  float* data() { return data_; }
  size_t size() const { return n_; }
  float& operator[](size_t i) { return data_[i]; }
  std::vector<float> Copy() const { return {data_, data_ + n_}; }

  static constexpr float kCanary = -1234567.0f;

 private:
  static constexpr size_t kCanaries = 64;
  size_t n_;
  size_t mapped_;
  void* base_;
  float* data_;
};

// The same uniform noise in (-range, range) on every machine.
inline void FillNoise(GuardedFloats& v, uint32_t seed, float range = 1.0f) {
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < v.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    const float unit = static_cast<float>(state >> 8) * (1.0f / 8388608.0f);
    v[i] = (unit - 1.0f) * range;
  }
}

inline std::vector<float> Noise(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  std::vector<float> values(count);
  for (float& v : values) v = value(random);
  return values;
}

inline void FillFrom(GuardedFloats& v, const std::vector<float>& values) {
  for (size_t i = 0; i < v.size(); ++i) v[i] = values[i];
}

// FNV-1a of the bits.
inline uint64_t HashBits(uint64_t hash, const float* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x[i], sizeof(bits));
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_OPS_VECTOR_KERNELS_TESTING_H_
