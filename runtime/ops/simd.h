// Sixteen floats on any instruction set: F32x16 is made of 1, 2 or 4 native
// vectors (64, 32 or 16 bytes) of the compiler's vector extension. The compiler
// would split wider generic vectors too, but GCC 12 then compares and selects
// element by element.
//
// The same source gives the same bits everywhere. All elements are independent,
// except in ReduceAdd, whose tree is fixed; the end of a row that has fewer
// than 16 elements is padded.
//
// For *_isa.cc only. Those files are compiled once per instruction set, and all
// of this lives in a namespace of that name. They may include no header with
// inline functions: the linker might give the AVX copy of one to everybody.
#ifndef LATIMER_OPS_SIMD_H_
#define LATIMER_OPS_SIMD_H_

#ifndef LATIMER_ISA
#error "compile *_isa.cc with -DLATIMER_ISA=<instruction set>"
#endif

#include <stddef.h>
#include <stdint.h>
#if defined(__ARM_NEON) && !defined(__aarch64__)
#include <arm_neon.h>  // only functions that are always inlined
#define LATIMER_SIMD_ARMV7 1
#endif

#define LATIMER_INLINE [[gnu::always_inline]] inline
#define LATIMER_INLINED __attribute__((always_inline))  // For lambdas.

namespace latimer::LATIMER_ISA {

#if defined(__AVX512F__)
inline constexpr size_t kNativeElements = 16;
#elif defined(__AVX2__)
inline constexpr size_t kNativeElements = 8;
#else
inline constexpr size_t kNativeElements = 4;
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr size_t kNativeRegisters = 32;
#else
inline constexpr size_t kNativeRegisters = 16;
#endif
inline constexpr size_t kElements = 16;
inline constexpr size_t kNatives = kElements / kNativeElements;

// Native vectors. The compiler has the operators + - * / and, for integers,
// & | ^ << >>; see Add(), Sub() and Mul() for 32-bit ARM.
typedef float F32 __attribute__((vector_size(kNativeElements * 4)));
typedef int32_t I32 __attribute__((vector_size(kNativeElements * 4)));
typedef float F32x4 __attribute__((vector_size(16)));
typedef float F32x8 __attribute__((vector_size(32)));

struct F32x16 {
  F32 native[kNatives];
};
struct I32x16 {
  I32 native[kNatives];
};
// All ones or all zeros in each element.
struct Mask16 {
  I32 native[kNatives];
};

// R{f(a.native[0]...), f(a.native[1]...), ...}
template <typename R, typename F, typename... A>
LATIMER_INLINE R MapNative(F f, const A&... a) {
  R r;
  r.native[0] = f(a.native[0]...);
  if constexpr (kNatives > 1) r.native[1] = f(a.native[1]...);
  if constexpr (kNatives > 2) {
    r.native[2] = f(a.native[2]...);
    r.native[3] = f(a.native[3]...);
  }
  return r;
}

// ---- Native vectors

LATIMER_INLINE F32 LoadNative(const float* p) {
  F32 v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
LATIMER_INLINE void StoreNative(F32 v, float* p) {
  __builtin_memcpy(p, &v, sizeof(v));
}
LATIMER_INLINE F32 BroadcastNative(float x) { return x - F32{}; }

#ifdef LATIMER_SIMD_ARMV7
// GCC does not use NEON for the plain operators, because NEON flushes subnormal
// numbers to zero.
LATIMER_INLINE F32 Add(F32 a, F32 b) {
  return (F32)vaddq_f32((float32x4_t)a, (float32x4_t)b);
}
LATIMER_INLINE F32 Sub(F32 a, F32 b) {
  return (F32)vsubq_f32((float32x4_t)a, (float32x4_t)b);
}
LATIMER_INLINE F32 Mul(F32 a, F32 b) {
  return (F32)vmulq_f32((float32x4_t)a, (float32x4_t)b);
}
LATIMER_INLINE I32 Greater(F32 a, F32 b) {
  // GCC 12 compiles vcgtq_f32 to four scalar comparisons.
  I32 mask;
  asm("vcgt.f32 %q0, %q1, %q2" : "=w"(mask) : "w"(a), "w"(b));
  return mask;
}
LATIMER_INLINE F32 Select(I32 mask, F32 a, F32 b) {
  return (F32)vbslq_f32((uint32x4_t)mask, (float32x4_t)a, (float32x4_t)b);
}
#else
LATIMER_INLINE F32 Add(F32 a, F32 b) { return a + b; }
LATIMER_INLINE F32 Sub(F32 a, F32 b) { return a - b; }
LATIMER_INLINE F32 Mul(F32 a, F32 b) { return a * b; }
LATIMER_INLINE I32 Greater(F32 a, F32 b) { return a > b; }
LATIMER_INLINE F32 Select(I32 mask, F32 a, F32 b) { return mask ? a : b; }
#endif
// a > b ? a : b, which is b where either is NaN, like x86's maxps.
LATIMER_INLINE F32 Max(F32 a, F32 b) { return Select(Greater(a, b), a, b); }

// ---- Sixteen elements

LATIMER_INLINE F32x16 Load(const float* p) {
  F32x16 r;
  r.native[0] = LoadNative(p);
  if constexpr (kNatives > 1) r.native[1] = LoadNative(p + kNativeElements);
  if constexpr (kNatives > 2) {
    r.native[2] = LoadNative(p + 2 * kNativeElements);
    r.native[3] = LoadNative(p + 3 * kNativeElements);
  }
  return r;
}
LATIMER_INLINE void Store(const F32x16& v, float* p) {
  StoreNative(v.native[0], p);
  if constexpr (kNatives > 1) StoreNative(v.native[1], p + kNativeElements);
  if constexpr (kNatives > 2) {
    StoreNative(v.native[2], p + 2 * kNativeElements);
    StoreNative(v.native[3], p + 3 * kNativeElements);
  }
}
// The first n <= 16 elements; LoadFirst fills the others with `padding`.
LATIMER_INLINE F32x16 LoadFirst(const float* p, size_t n,
                                float padding = 0.0f) {
  float elements[kElements];
  for (float& element : elements) element = padding;
  __builtin_memcpy(elements, p, n * sizeof(float));
  return Load(elements);
}
LATIMER_INLINE void StoreFirst(const F32x16& v, float* p, size_t n) {
  float elements[kElements];
  Store(v, elements);
  __builtin_memcpy(p, elements, n * sizeof(float));
}

LATIMER_INLINE F32x16 Broadcast(float x) {
  const F32 v = BroadcastNative(x);
  return MapNative<F32x16>([v](F32) { return v; }, F32x16{});
}

LATIMER_INLINE F32x16 operator+(const F32x16& a, const F32x16& b) {
  return MapNative<F32x16>([](F32 x, F32 y) { return Add(x, y); }, a, b);
}
LATIMER_INLINE F32x16 operator-(const F32x16& a, const F32x16& b) {
  return MapNative<F32x16>([](F32 x, F32 y) { return Sub(x, y); }, a, b);
}
LATIMER_INLINE F32x16 operator*(const F32x16& a, const F32x16& b) {
  return MapNative<F32x16>([](F32 x, F32 y) { return Mul(x, y); }, a, b);
}
// Correctly rounded everywhere; slow on 32-bit ARM, which divides the elements
// one by one.
LATIMER_INLINE F32x16 operator/(const F32x16& a, const F32x16& b) {
  return MapNative<F32x16>([](F32 x, F32 y) { return x / y; }, a, b);
}
LATIMER_INLINE Mask16 operator>(const F32x16& a, const F32x16& b) {
  return MapNative<Mask16>([](F32 x, F32 y) { return Greater(x, y); }, a, b);
}
LATIMER_INLINE F32x16 Select(const Mask16& m, const F32x16& a,
                             const F32x16& b) {
  return MapNative<F32x16>([](I32 k, F32 x, F32 y) { return Select(k, x, y); },
                           m, a, b);
}
LATIMER_INLINE F32x16 Max(const F32x16& a, const F32x16& b) {
  return MapNative<F32x16>([](F32 x, F32 y) { return Max(x, y); }, a, b);
}
LATIMER_INLINE F32x16 Abs(const F32x16& a) {
  return MapNative<F32x16>([](F32 x) { return (F32)((I32)x & 0x7fffffff); }, a);
}
// `magnitude`, which must not be negative, with the sign of `sign`.
LATIMER_INLINE F32x16 CopySign(const F32x16& magnitude, const F32x16& sign) {
  return MapNative<F32x16>(
      [](F32 m, F32 s) {
        return (F32)((I32)m | ((I32)s & static_cast<int32_t>(0x80000000u)));
      },
      magnitude, sign);
}
LATIMER_INLINE I32x16 BitsOf(const F32x16& a) {
  return MapNative<I32x16>([](F32 x) { return (I32)x; }, a);
}

// ---- Reductions

// The fixed order: elements 8 apart, then elements 4 apart ...
LATIMER_INLINE F32x4 FoldToFour(const F32x16& v) {
#if defined(__AVX512F__)
  const F32x8 lo =
      __builtin_shufflevector(v.native[0], v.native[0], 0, 1, 2, 3, 4, 5, 6, 7);
  const F32x8 hi = __builtin_shufflevector(v.native[0], v.native[0], 8, 9, 10,
                                           11, 12, 13, 14, 15);
  const F32x8 sum = lo + hi;
#elif defined(__AVX2__)
  const F32x8 sum = v.native[0] + v.native[1];
#else
  return Add(Add(v.native[0], v.native[2]), Add(v.native[1], v.native[3]));
#endif
#if defined(__AVX2__)
  return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
         __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
#endif
}
// a + b and a * b where native vectors may be wider.
#ifdef LATIMER_SIMD_ARMV7
LATIMER_INLINE F32x4 AddFours(F32x4 a, F32x4 b) { return Add(a, b); }
LATIMER_INLINE F32x4 MulFours(F32x4 a, F32x4 b) { return Mul(a, b); }
#else
LATIMER_INLINE F32x4 AddFours(F32x4 a, F32x4 b) { return a + b; }
LATIMER_INLINE F32x4 MulFours(F32x4 a, F32x4 b) { return a * b; }
#endif
// ... then neighbours: {a0 + a1, a2 + a3, b0 + b1, b2 + b3}.
LATIMER_INLINE F32x4 AddNeighbours(F32x4 a, F32x4 b) {
  const F32x4 even = __builtin_shufflevector(a, b, 0, 2, 4, 6);
  const F32x4 odd = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  return AddFours(even, odd);
}
LATIMER_INLINE float ReduceAdd(const F32x16& v) {
  const F32x4 s = FoldToFour(v);
  return AddNeighbours(AddNeighbours(s, s), s)[0];
}
// {ReduceAdd(a), ReduceAdd(b), ReduceAdd(c), ReduceAdd(d)} for vectors that
// FoldToFour folded.
LATIMER_INLINE F32x4 ReduceAdd4(F32x4 a, F32x4 b, F32x4 c, F32x4 d) {
  return AddNeighbours(AddNeighbours(a, b), AddNeighbours(c, d));
}

// NaN is ignored unless the first element is NaN.
LATIMER_INLINE float ReduceMax(const F32x16& v) {
  float elements[kElements];
  Store(v, elements);
  float max = elements[0];
  for (const float element : elements) max = element > max ? element : max;
  return max;
}

// ---- Rows

// Elements [at, at + 16) of rows.
struct WholeBlock {
  size_t at;
  LATIMER_INLINE F32x16 Get(const float* row, float = 0.0f) const {
    return Load(row + at);
  }
  LATIMER_INLINE void Put(const F32x16& v, float* row) const {
    Store(v, row + at);
  }
  LATIMER_INLINE F32x16 WithoutPadding(const F32x16& v) const { return v; }
};

// The last elements of rows, [at, at + count), count < 16. Get() pads them.
struct LastBlock {
  size_t at;
  size_t count;
  LATIMER_INLINE F32x16 Get(const float* row, float padding = 0.0f) const {
    return LoadFirst(row + at, count, padding);
  }
  LATIMER_INLINE void Put(const F32x16& v, float* row) const {
    StoreFirst(v, row + at, count);
  }
  // v with zeros after the end of the row.
  LATIMER_INLINE F32x16 WithoutPadding(const F32x16& v) const {
    float elements[kElements];
    Store(v, elements);
    return LoadFirst(elements, count);
  }
};

// Calls f(block) for all blocks of rows of n elements.
template <typename F>
LATIMER_INLINE void ForEachBlock(size_t n, const F& f) {
  size_t at = 0;
  for (; at + kElements <= n; at += kElements) f(WholeBlock{at});
  if (at < n) f(LastBlock{at, n - at});
}

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_SIMD_H_
