// Shared by the tests of the vector kernels: the tables that this CPU can run,
// noise, and arrays in guarded memory.
#ifndef LATIMER_TESTS_OPS_VECTOR_KERNELS_TESTING_H_
#define LATIMER_TESTS_OPS_VECTOR_KERNELS_TESTING_H_

#include <gtest/gtest.h>
#include <stddef.h>
#include <stdint.h>

#include <random>
#include <vector>

#include "base/cpu.h"
#include "ops/vector_kernels.h"
#include "tests/ops/guarded_memory.h"

namespace latimer {

inline std::vector<const VectorKernels*> AllTables() {
  const VectorKernels* tables[kMaxVectorKernels] = {};
  const size_t count = ListVectorKernels(DetectCpuFeatures(), tables);
  return {tables, tables + count};
}

// 1..70 and a few larger: all remainders of all vector and block sizes.
inline std::vector<size_t> OddSizes() {
  std::vector<size_t> sizes;
  for (size_t n = 1; n <= 70; ++n) sizes.push_back(n);
  for (size_t n : {255, 256, 257, 1000, 1023, 1024, 1025, 2500}) {
    sizes.push_back(n);
  }
  return sizes;
}

// Floats in guarded memory.
class GuardedFloats {
 public:
  explicit GuardedFloats(size_t n) : n_(n), memory_(n * sizeof(float)) {}
  // Of noise; see Fill.
  GuardedFloats(size_t n, uint32_t seed, float range = 1.0f)
      : GuardedFloats(n) {
    Fill(seed, range);
  }

  // The same uniform noise in (-range, range) on every machine.
  void Fill(uint32_t seed, float range = 1.0f) {
    uint32_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < n_; ++i) {
      state = state * 1664525u + 1013904223u;
      const float unit = static_cast<float>(state >> 8) * (1.0f / 8388608.0f);
      data()[i] = (unit - 1.0f) * range;
    }
  }
  void Fill(const std::vector<float>& values) {
    for (size_t i = 0; i < n_; ++i) data()[i] = values[i];
  }

  float* data() { return memory_.As<float>(); }
  size_t size() const { return n_; }
  float& operator[](size_t i) { return data()[i]; }
  std::vector<float> Copy() { return {data(), data() + n_}; }

 private:
  size_t n_;
  GuardedBytes memory_;
};

// Calls test(table) for each table, and test(table, n) for each size too.
template <typename Test>
void ForEachTable(const Test& test) {
  for (const VectorKernels* table : AllTables()) {
    SCOPED_TRACE(table->name);
    test(*table);
  }
}
template <typename Test>
void ForEachSize(const Test& test) {
  ForEachTable([&](const VectorKernels& table) {
    for (const size_t n : OddSizes()) {
      SCOPED_TRACE(n);
      test(table, n);
    }
  });
}

inline std::vector<float> Noise(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  std::vector<float> values(count);
  for (float& v : values) v = value(random);
  return values;
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
