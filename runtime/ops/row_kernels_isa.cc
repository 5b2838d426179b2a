// Kernels that reduce a row: layer norm, softmax, argmax.
#include "base/check.h"
#include "ops/simd_math.h"
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {
namespace {

constexpr float kInfinity = __builtin_inff();

// out = x [+ residual]; returns the sum, or the sum of squares.
template <bool kSquares>
LATIMER_INLINE float AddAndSum(size_t n, const float* x, const float* residual,
                               float* out) {
  F32x16 sum = Broadcast(0.0f);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    F32x16 v = block.Get(x);
    if (residual != nullptr) v = v + block.Get(residual);
    block.Put(v, out);
    sum = sum + (kSquares ? v * v : v);
  });
  return ReduceAdd(sum);
}

// x -= mean; returns the sum of squares.
LATIMER_INLINE float CenterAndSumSquares(size_t n, float mean, float* x) {
  const F32x16 m = Broadcast(mean);
  F32x16 sum = Broadcast(0.0f);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    const F32x16 v = block.WithoutPadding(block.Get(x) - m);
    block.Put(v, x);
    sum = sum + v * v;
  });
  return ReduceAdd(sum);
}

void Scale(size_t n, float scale, const float* gamma, float* x) {
  const F32x16 s = Broadcast(scale);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    block.Put(block.Get(x) * s * block.Get(gamma), x);
  });
}

LATIMER_INLINE void ScaleAndShift(size_t n, float scale, const float* gamma,
                                  const float* beta, float* x) {
  const F32x16 s = Broadcast(scale);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    block.Put(block.Get(x) * s * block.Get(gamma) + block.Get(beta), x);
  });
}

// The largest number in x, ignoring NaN; -inf if there is none.
float MaxOf(size_t n, const float* x) {
  // Four chains, because one would wait for its own result. With few registers
  // they would wait for memory.
  constexpr size_t kChains = kNativeRegisters < 16 ? 1 : 4;
  F32x16 max[kChains];
#pragma GCC unroll 4
  for (F32x16& chain : max) chain = Broadcast(-kInfinity);
  size_t i = 0;
  for (; i + kChains * kElements <= n; i += kChains * kElements) {
#pragma GCC unroll 4
    for (size_t c = 0; c < kChains; ++c) {
      max[c] = Max(Load(x + i + c * kElements), max[c]);
    }
  }
  for (; i + kElements <= n; i += kElements) max[0] = Max(Load(x + i), max[0]);
  if (i < n) max[0] = Max(LoadFirst(x + i, n - i, -kInfinity), max[0]);
#pragma GCC unroll 4
  for (size_t c = 1; c < kChains; ++c) max[0] = Max(max[0], max[c]);
  return ReduceMax(max[0]);
}

// x[i] = exp(x[i] - max); returns the sum.
LATIMER_INLINE float ExpAndSum(size_t n, float* x) {
  const F32x16 max = Broadcast(MaxOf(n, x));
  F32x16 sum = Broadcast(0.0f);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    const F32x16 e =
        block.WithoutPadding(ExpNonPositive(block.Get(x, -kInfinity) - max));
    block.Put(e, x);
    sum = sum + e;
  });
  return ReduceAdd(sum);
}

// Both norms in one body, which halves the code.
void AddNorm(bool unbiased_std, size_t rows, size_t cols, const float* x,
             const float* residual, const float* gamma, const float* beta,
             float epsilon, float* out) {
  const float count = static_cast<float>(cols);
  for (size_t row = 0; row < rows; ++row) {
    const float mean = AddAndSum<false>(cols, x, residual, out) / count;
    const float squares = CenterAndSumSquares(cols, mean, out);
    const float deviation =
        unbiased_std ? __builtin_sqrtf(squares / (count - 1.0f)) + epsilon
                     : __builtin_sqrtf(squares / count + epsilon);
    ScaleAndShift(cols, 1.0f / deviation, gamma, beta, out);
    x += cols;
    if (residual != nullptr) residual += cols;
    out += cols;
  }
}

}  // namespace

void AddLayerNorm(size_t rows, size_t cols, const float* x,
                  const float* residual, const float* gamma, const float* beta,
                  float epsilon, float* out) {
  LATIMER_DCHECK(cols > 0);
  AddNorm(false, rows, cols, x, residual, gamma, beta, epsilon, out);
}

void AddStdNorm(size_t rows, size_t cols, const float* x, const float* residual,
                const float* gamma, const float* beta, float epsilon,
                float* out) {
  LATIMER_DCHECK(cols > 1);
  AddNorm(true, rows, cols, x, residual, gamma, beta, epsilon, out);
}

void AddRmsNorm(size_t rows, size_t cols, const float* x, const float* residual,
                const float* gamma, float epsilon, float* out) {
  LATIMER_DCHECK(cols > 0);
  for (size_t row = 0; row < rows; ++row) {
    const float squares = AddAndSum<true>(cols, x, residual, out);
    const float mean = squares / static_cast<float>(cols);
    Scale(cols, 1.0f / __builtin_sqrtf(mean + epsilon), gamma, out);
    x += cols;
    if (residual != nullptr) residual += cols;
    out += cols;
  }
}

float SumExp(size_t n, const float* x, float max) {
  F32x16 sum = Broadcast(0.0f);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    sum = sum + block.WithoutPadding(
                    ExpNonPositive(block.Get(x, -kInfinity) - Broadcast(max)));
  });
  return ReduceAdd(sum);
}

void Softmax(size_t n, float* x) {
  LATIMER_DCHECK(n > 0);
  const F32x16 scale = Broadcast(1.0f / ExpAndSum(n, x));
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    const F32x16 v = block.Get(x);
    block.Put(v * scale, x);
  });
}

void SoftmaxPadded(size_t n, float* x) {
  while (n % kElements != 0) x[n++] = -kInfinity;
  Softmax(n, x);
}

uint32_t SoftmaxBytes(size_t n, float* x) {
  LATIMER_DCHECK(n > 0);
  while (n % kElements != 0) x[n++] = -kInfinity;
  const float most = MaxOf(n, x);
  if (!(most > -kInfinity && most < kInfinity)) return 0;
  const F32x16 max = Broadcast(most);
  // Adding it rounds to an integer and keeps that in the low bits.
  constexpr float kRound = 12582912.0f;
  char* const bytes = reinterpret_cast<char*>(x);
  I32x16 sum = {};
  for (size_t i = 0; i < n; i += kElements) {
    const F32x16 e = ExpNonPositive(Load(x + i) - max);
    const I32x16 bits = BitsOf(e * Broadcast(65535.0f) + Broadcast(kRound));
    // No integer is written behind the number that it is made of.
#pragma GCC unroll 4
    for (size_t v = 0; v < kNatives; ++v) {
      typedef uint16_t U16 __attribute__((vector_size(kNativeElements * 2)));
      const I32 p = bits.native[v] & 0xffff;
      sum.native[v] += p;
      const U16 half = __builtin_convertvector(p, U16);
      __builtin_memcpy(bytes + 2 * (i + v * kNativeElements), &half,
                       sizeof(half));
    }
  }
  // The lower byte of an integer is the first one.
  for (size_t i = 0; i < n; i += kElements) {
    typedef uint8_t U8x16 __attribute__((vector_size(16)));
    U8x16 a, b;
    __builtin_memcpy(&a, bytes + 2 * i, sizeof(a));
    __builtin_memcpy(&b, bytes + 2 * i + sizeof(a), sizeof(b));
    const U8x16 low = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14,
                                              16, 18, 20, 22, 24, 26, 28, 30) ^
                      0x80;
    const U8x16 high = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15,
                                               17, 19, 21, 23, 25, 27, 29, 31) ^
                       0x80;
    __builtin_memcpy(bytes + 2 * n + i, &high, sizeof(high));
    __builtin_memcpy(bytes + 3 * n + i, &low, sizeof(low));
  }
  int32_t sums[kElements];
  __builtin_memcpy(sums, &sum, sizeof(sums));
  uint32_t all = 0;
  for (const int32_t each : sums) all += static_cast<uint32_t>(each);
  return all;
}

size_t Argmax(size_t n, const float* x) {
  // Find the first block with the maximum, then the element in that block; this
  // is cheaper than carrying sixteen indices along.
  constexpr size_t kChunk = 1024;
  float best = -kInfinity;
  size_t start = 0;
  for (size_t i = 0; i < n; i += kChunk) {
    const float max = MaxOf(n - i < kChunk ? n - i : kChunk, x + i);
    if (max > best) {
      best = max;
      start = i;
    }
  }
  for (size_t i = start; i < n; ++i) {
    if (x[i] == best) return i;
  }
  return 0;
}

}  // namespace latimer::LATIMER_ISA
