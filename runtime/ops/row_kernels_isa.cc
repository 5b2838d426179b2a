// Kernels that reduce a row: layer norm, softmax, argmax.
#include "base/check.h"
#include "ops/simd_math.h"
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {
namespace {

constexpr float kInfinity = __builtin_inff();

// The first n <= 16 lanes of v, zero in the others.
LATIMER_INLINE F32x16 KeepFirst(const F32x16& v, size_t n) {
  float lanes[kLanes];
  Store(v, lanes);
  return LoadFirst(lanes, n);
}

// out = x [+ residual]; returns the sum.
LATIMER_INLINE float AddAndSum(size_t n, const float* x, const float* residual,
                               float* out) {
  F32x16 sum = Broadcast(0.0f);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    F32x16 v = Load(x + i);
    if (residual != nullptr) v = v + Load(residual + i);
    Store(v, out + i);
    sum = sum + v;
  }
  if (i < n) {
    const size_t rest = n - i;
    F32x16 v = LoadFirst(x + i, rest);
    if (residual != nullptr) v = v + LoadFirst(residual + i, rest);
    StoreFirst(v, out + i, rest);
    sum = sum + v;
  }
  return ReduceAdd(sum);
}

// x -= mean; returns the sum of squares.
LATIMER_INLINE float CenterAndSumSquares(size_t n, float mean, float* x) {
  const F32x16 m = Broadcast(mean);
  F32x16 sum = Broadcast(0.0f);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F32x16 v = Load(x + i) - m;
    Store(v, x + i);
    sum = sum + v * v;
  }
  if (i < n) {
    const size_t rest = n - i;
    const F32x16 v = KeepFirst(LoadFirst(x + i, rest) - m, rest);
    StoreFirst(v, x + i, rest);
    sum = sum + v * v;
  }
  return ReduceAdd(sum);
}

// out = x [+ residual]; returns the sum of squares.
float AddAndSumSquares(size_t n, const float* x, const float* residual,
                       float* out) {
  F32x16 sum = Broadcast(0.0f);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    F32x16 v = Load(x + i);
    if (residual != nullptr) v = v + Load(residual + i);
    Store(v, out + i);
    sum = sum + v * v;
  }
  if (i < n) {
    const size_t rest = n - i;
    F32x16 v = LoadFirst(x + i, rest);
    if (residual != nullptr) v = v + LoadFirst(residual + i, rest);
    StoreFirst(v, out + i, rest);
    sum = sum + v * v;
  }
  return ReduceAdd(sum);
}

void Scale(size_t n, float scale, const float* gamma, float* x) {
  const F32x16 s = Broadcast(scale);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Store(Load(x + i) * s * Load(gamma + i), x + i);
  }
  if (i < n) {
    const size_t rest = n - i;
    StoreFirst(LoadFirst(x + i, rest) * s * LoadFirst(gamma + i, rest), x + i,
               rest);
  }
}

LATIMER_INLINE void ScaleAndShift(size_t n, float scale, const float* gamma,
                                  const float* beta, float* x) {
  const F32x16 s = Broadcast(scale);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Store(Load(x + i) * s * Load(gamma + i) + Load(beta + i), x + i);
  }
  if (i < n) {
    const size_t rest = n - i;
    const F32x16 g = LoadFirst(gamma + i, rest);
    const F32x16 b = LoadFirst(beta + i, rest);
    StoreFirst(LoadFirst(x + i, rest) * s * g + b, x + i, rest);
  }
}

// The largest number in x, NaN ignored; -inf where there is none.
float MaxOf(size_t n, const float* x) {
  // Four chains, because one would wait for its own result.
  F32x16 max0 = Broadcast(-kInfinity);
  F32x16 max1 = max0;
  F32x16 max2 = max0;
  F32x16 max3 = max0;
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    max0 = Max(Load(x + i), max0);
    max1 = Max(Load(x + i + kLanes), max1);
    max2 = Max(Load(x + i + 2 * kLanes), max2);
    max3 = Max(Load(x + i + 3 * kLanes), max3);
  }
  for (; i + kLanes <= n; i += kLanes) max0 = Max(Load(x + i), max0);
  if (i < n) max0 = Max(LoadFirst(x + i, n - i, -kInfinity), max0);
  return ReduceMax(Max(Max(max0, max1), Max(max2, max3)));
}

// x[i] = exp(x[i] - max); returns the sum.
LATIMER_INLINE float ExpAndSum(size_t n, float* x) {
  const F32x16 max = Broadcast(MaxOf(n, x));
  F32x16 sum = Broadcast(0.0f);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F32x16 e = ExpNonPositive(Load(x + i) - max);
    Store(e, x + i);
    sum = sum + e;
  }
  if (i < n) {
    const size_t rest = n - i;
    const F32x16 v = LoadFirst(x + i, rest, -kInfinity);
    const F32x16 e = KeepFirst(ExpNonPositive(v - max), rest);
    StoreFirst(e, x + i, rest);
    sum = sum + e;
  }
  return ReduceAdd(sum);
}

// Both norms in one body, which halves the code.
void AddNorm(bool unbiased_std, size_t rows, size_t cols, const float* x,
             const float* residual, const float* gamma, const float* beta,
             float epsilon, float* out) {
  const float count = static_cast<float>(cols);
  for (size_t row = 0; row < rows; ++row) {
    const float mean = AddAndSum(cols, x, residual, out) / count;
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
    const float squares = AddAndSumSquares(cols, x, residual, out);
    const float mean = squares / static_cast<float>(cols);
    Scale(cols, 1.0f / __builtin_sqrtf(mean + epsilon), gamma, out);
    x += cols;
    if (residual != nullptr) residual += cols;
    out += cols;
  }
}

void Softmax(size_t n, float* x) {
  LATIMER_DCHECK(n > 0);
  const F32x16 scale = Broadcast(1.0f / ExpAndSum(n, x));
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Store(Load(x + i) * scale, x + i);
  if (i < n) StoreFirst(LoadFirst(x + i, n - i) * scale, x + i, n - i);
}

void SoftmaxPadded(size_t n, float* x) {
  while (n % kLanes != 0) x[n++] = -kInfinity;
  Softmax(n, x);
}

size_t Argmax(size_t n, const float* x) {
  // Find the first block with the maximum, then the element in that block:
  // cheaper than to carry sixteen indices along.
  constexpr size_t kBlock = 1024;
  float best = -kInfinity;
  size_t start = 0;
  for (size_t i = 0; i < n; i += kBlock) {
    const float max = MaxOf(n - i < kBlock ? n - i : kBlock, x + i);
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
