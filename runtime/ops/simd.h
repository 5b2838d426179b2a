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
#if defined(__AVX2__)
#include <immintrin.h>  // only functions that are always inlined
#elif defined(__ARM_NEON)
#include <arm_neon.h>  // likewise
#elif defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>  // likewise
#endif
#if defined(__ARM_NEON) && !defined(__aarch64__)
#define LATIMER_SIMD_ARMV7 1
#endif
// The compiler splits vectors into numbers.
#if !defined(__SSE2__) && !defined(__ARM_NEON) &&              \
    !defined(__ARM_FEATURE_MVE) && !defined(__riscv_vector) && \
    !defined(__wasm_simd128__)
#define LATIMER_SIMD_NONE 1
#endif

#define LATIMER_INLINE [[gnu::always_inline]] inline
#define LATIMER_INLINED __attribute__((always_inline))  // For lambdas.

namespace latimer::LATIMER_ISA {

#if defined(__AVX512F__)
inline constexpr size_t kNativeElements = 16;
#elif defined(__AVX2__) || defined(__riscv_v_fixed_vlen)
inline constexpr size_t kNativeElements = 8;
#else
inline constexpr size_t kNativeElements = 4;
#endif
#if defined(__AVX512F__) || defined(__aarch64__) || \
    defined(__riscv_v_fixed_vlen)
inline constexpr size_t kNativeRegisters = 32;
#elif defined(__ARM_FEATURE_MVE) || defined(LATIMER_SIMD_NONE)
inline constexpr size_t kNativeRegisters = 8;  // Or 32 of one number.
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
#if defined(__ARM_FEATURE_MVE)
// GCC 12 compares and selects the elements one by one.
LATIMER_INLINE I32 Greater(F32 a, F32 b) {
  I32 mask;
  asm("vcmp.f32 gt, %q1, %q2\n vpsel %q0, %q3, %q4"
      : "=w"(mask)
      : "w"(a), "w"(b), "w"(~I32{}), "w"(I32{})
      : "p0");
  return mask;
}
LATIMER_INLINE F32 Select(I32 mask, F32 a, F32 b) {
  return (F32)((mask & (I32)a) | (~mask & (I32)b));
}
#else
LATIMER_INLINE I32 Greater(F32 a, F32 b) { return a > b; }
LATIMER_INLINE F32 Select(I32 mask, F32 a, F32 b) { return mask ? a : b; }
#endif
#endif
// a > b ? a : b, which is b where either is NaN, like x86's maxps.
LATIMER_INLINE F32 Max(F32 a, F32 b) {
#if defined(__ARM_FEATURE_MVE)
  F32 max;
  asm("vcmp.f32 gt, %q1, %q2\n vpsel %q0, %q1, %q2"
      : "=w"(max)
      : "w"(a), "w"(b)
      : "p0");
  return max;
#elif defined(LATIMER_SIMD_NONE)
  return F32{a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1],
             a[2] > b[2] ? a[2] : b[2], a[3] > b[3] ? a[3] : b[3]};
#else
  return Select(Greater(a, b), a, b);
#endif
}

// ---- Native vectors of f16, as bits

// The same numbers as f32. Precondition: they are finite.
LATIMER_INLINE F32 LoadNative(const uint16_t* p) {
#if defined(__AVX512F__)
  // The form without a mask warns of what it leaves undefined (GCC bug 105593).
  return (F32)_mm512_maskz_cvtph_ps(
      0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#elif defined(__AVX2__)
  return (F32)_mm256_cvtph_ps(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#elif defined(__aarch64__)
  return (F32)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
#elif defined(__ARM_FEATURE_FMA)
  typedef uint16_t U16 __attribute__((vector_size(kNativeElements * 2)));
  U16 halves;
  __builtin_memcpy(&halves, p, sizeof(halves));
  // VFPv4 has an instruction; GCC has its name only with a format for __fp16.
  F32 floats;
  asm("vcvt.f32.f16 %q0, %P1" : "=w"(floats) : "w"(halves));
  return floats;
#else
  typedef int16_t I16 __attribute__((vector_size(kNativeElements * 2)));
  I16 halves;
  __builtin_memcpy(&halves, p, sizeof(halves));
  const I32 bits = __builtin_convertvector(halves, I32);
#if defined(LATIMER_SIMD_ARMV7)
  const I32 magnitude = (bits & 0x7fff) << 13;
  // The bias of the exponent is 127 instead of 15. A subnormal has no leading
  // 1, and NEON would flush it to zero: it gets a 1, and a subtraction takes it
  // away again.
  const I32 normal = magnitude + (112 << 23);
  const I32 one = I32{} + (113 << 23);
  const I32 subnormal = (I32)Sub((F32)(magnitude + one), (F32)one);
  const I32 is_normal = magnitude > (0x3ff << 13);
  const I32 sign = (bits & 0x8000) << 16;
  return (F32)(sign | (is_normal & normal) | (~is_normal & subnormal));
#else
  // Puts sign, exponent and mantissa in their places. A factor makes up for the
  // bias of the exponent, also for subnormals.
  return (F32)(bits << 13 & static_cast<int32_t>(0x8fffe000u)) *
         BroadcastNative(0x1p112f);
#endif
#endif
}

// Stores the nearest f16, halves to even, or the largest finite one. The same
// integers on every CPU.
LATIMER_INLINE void StoreNative(F32 v, uint16_t* p) {
  typedef uint16_t U16 __attribute__((vector_size(kNativeElements * 2)));
  const I32 sign = (I32)v >> 16 & 0x8000;
  const I32 largest = I32{} + 0x477fe000;  // 65,504
  I32 magnitude = (I32)v & 0x7fffffff;
  const I32 over = magnitude > largest;
  magnitude = (over & largest) | (~over & magnitude);
  // A subnormal is a multiple of 2^-24, the unit of floats from 0.5 to 1: the
  // addition rounds.
  const F32 half = BroadcastNative(0.5f);
  const I32 subnormal = (I32)Add((F32)magnitude, half) - (I32)half;
  const I32 normal =
      ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112 << 10);
  const I32 is_normal = magnitude > 0x387fffff;  // from 2^-14 on
  const I32 bits = sign | (is_normal & normal) | (~is_normal & subnormal);
  const U16 halves = __builtin_convertvector(bits, U16);
  __builtin_memcpy(p, &halves, sizeof(halves));
}

// ---- Sixteen elements

// T is float, or uint16_t for f16.
template <typename T>
LATIMER_INLINE F32x16 Load(const T* p) {
  F32x16 r;
  r.native[0] = LoadNative(p);
  if constexpr (kNatives > 1) r.native[1] = LoadNative(p + kNativeElements);
  if constexpr (kNatives > 2) {
    r.native[2] = LoadNative(p + 2 * kNativeElements);
    r.native[3] = LoadNative(p + 3 * kNativeElements);
  }
  return r;
}
template <typename T>
LATIMER_INLINE void Store(const F32x16& v, T* p) {
  StoreNative(v.native[0], p);
  if constexpr (kNatives > 1) StoreNative(v.native[1], p + kNativeElements);
  if constexpr (kNatives > 2) {
    StoreNative(v.native[2], p + 2 * kNativeElements);
    StoreNative(v.native[3], p + 3 * kNativeElements);
  }
}
// The first n <= 16 elements; LoadFirst fills the others with `padding`.
template <typename T>
LATIMER_INLINE F32x16 LoadFirst(const T* p, size_t n, T padding = 0) {
  T elements[kElements];
  for (T& element : elements) element = padding;
  __builtin_memcpy(elements, p, n * sizeof(T));
  return Load(elements);
}
template <typename T>
LATIMER_INLINE void StoreFirst(const F32x16& v, T* p, size_t n) {
  T elements[kElements];
  Store(v, elements);
  __builtin_memcpy(p, elements, n * sizeof(T));
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

LATIMER_INLINE float LoadOne(const float* p) { return *p; }
LATIMER_INLINE float LoadOne(const uint16_t* p) {
  return LoadFirst(p, 1).native[0][0];
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
#elif defined(__AVX2__) || defined(__riscv_v_fixed_vlen)
  const F32x8 sum = v.native[0] + v.native[1];
#else
  return Add(Add(v.native[0], v.native[2]), Add(v.native[1], v.native[3]));
#endif
#if defined(__AVX2__) || defined(__riscv_v_fixed_vlen)
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
  template <typename T>
  LATIMER_INLINE F32x16 Get(const T* row, T = 0) const {
    return Load(row + at);
  }
  template <typename T>
  LATIMER_INLINE void Put(const F32x16& v, T* row) const {
    Store(v, row + at);
  }
  LATIMER_INLINE F32x16 WithoutPadding(const F32x16& v) const { return v; }
};

// The last elements of rows, [at, at + count), count < 16. Get() pads them.
struct LastBlock {
  size_t at;
  size_t count;
  template <typename T>
  LATIMER_INLINE F32x16 Get(const T* row, T padding = 0) const {
    return LoadFirst(row + at, count, padding);
  }
  template <typename T>
  LATIMER_INLINE void Put(const F32x16& v, T* row) const {
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
