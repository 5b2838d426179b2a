// Sixteen float lanes on any instruction set: F32x16 is made of 1, 2 or 4
// native vectors (64, 32 or 16 bytes) of the compiler's vector extension. Wider
// generic vectors would be split by the compiler, but GCC 12 then compares and
// selects lane by lane.
//
// The same source gives the same bits everywhere: all lanes are independent,
// but for ReduceAdd, whose tree is fixed, and a tail shorter than 16 is padded
// with zeros.
//
// For *_isa.cc only: those files are compiled once per instruction set, all of
// this lives in a namespace of that name, and no header with inline functions
// may be included, or the linker might hand the AVX copy of one to everybody.
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

namespace latimer::LATIMER_ISA {

#if defined(__AVX512F__)
inline constexpr size_t kNativeLanes = 16;
#elif defined(__AVX2__)
inline constexpr size_t kNativeLanes = 8;
#else
inline constexpr size_t kNativeLanes = 4;
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr size_t kNativeRegisters = 32;
#else
inline constexpr size_t kNativeRegisters = 16;
#endif
inline constexpr size_t kLanes = 16;
inline constexpr size_t kParts = kLanes / kNativeLanes;

// Native vectors. The operators + - * / and, on integers, & | ^ << >> are the
// compiler's own, but see Add(), Sub() and Mul().
typedef float F32 __attribute__((vector_size(kNativeLanes * 4)));
typedef int32_t I32 __attribute__((vector_size(kNativeLanes * 4)));
typedef float F32x4 __attribute__((vector_size(16)));
typedef float F32x8 __attribute__((vector_size(32)));

struct F32x16 {
  F32 part[kParts];
};
struct I32x16 {
  I32 part[kParts];
};
// Per lane all ones or all zeros.
struct Mask16 {
  I32 part[kParts];
};

// R{f(a.part[0]...), f(a.part[1]...), ...}
template <typename R, typename F, typename... A>
LATIMER_INLINE R MapParts(F f, const A&... a) {
  R r;
  r.part[0] = f(a.part[0]...);
  if constexpr (kParts > 1) r.part[1] = f(a.part[1]...);
  if constexpr (kParts > 2) {
    r.part[2] = f(a.part[2]...);
    r.part[3] = f(a.part[3]...);
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
// GCC does not use NEON for the plain operators, because NEON flushes denormal
// numbers.
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
// a > b ? a : b, so b where either is NaN: maxps of x86.
LATIMER_INLINE F32 Max(F32 a, F32 b) { return Select(Greater(a, b), a, b); }

// ---- Sixteen lanes

LATIMER_INLINE F32x16 Load(const float* p) {
  F32x16 r;
  r.part[0] = LoadNative(p);
  if constexpr (kParts > 1) r.part[1] = LoadNative(p + kNativeLanes);
  if constexpr (kParts > 2) {
    r.part[2] = LoadNative(p + 2 * kNativeLanes);
    r.part[3] = LoadNative(p + 3 * kNativeLanes);
  }
  return r;
}
LATIMER_INLINE void Store(const F32x16& v, float* p) {
  StoreNative(v.part[0], p);
  if constexpr (kParts > 1) StoreNative(v.part[1], p + kNativeLanes);
  if constexpr (kParts > 2) {
    StoreNative(v.part[2], p + 2 * kNativeLanes);
    StoreNative(v.part[3], p + 3 * kNativeLanes);
  }
}
// The first n <= 16 lanes; LoadFirst fills the others with `padding`.
LATIMER_INLINE F32x16 LoadFirst(const float* p, size_t n,
                                float padding = 0.0f) {
  float lanes[kLanes];
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = padding;
  __builtin_memcpy(lanes, p, n * sizeof(float));
  return Load(lanes);
}
LATIMER_INLINE void StoreFirst(const F32x16& v, float* p, size_t n) {
  float lanes[kLanes];
  Store(v, lanes);
  __builtin_memcpy(p, lanes, n * sizeof(float));
}

LATIMER_INLINE F32x16 Broadcast(float x) {
  const F32 v = BroadcastNative(x);
  return MapParts<F32x16>([v](F32) { return v; }, F32x16{});
}

LATIMER_INLINE F32x16 operator+(const F32x16& a, const F32x16& b) {
  return MapParts<F32x16>([](F32 x, F32 y) { return Add(x, y); }, a, b);
}
LATIMER_INLINE F32x16 operator-(const F32x16& a, const F32x16& b) {
  return MapParts<F32x16>([](F32 x, F32 y) { return Sub(x, y); }, a, b);
}
LATIMER_INLINE F32x16 operator*(const F32x16& a, const F32x16& b) {
  return MapParts<F32x16>([](F32 x, F32 y) { return Mul(x, y); }, a, b);
}
// Correctly rounded everywhere; slow on 32-bit ARM, which divides one by one.
LATIMER_INLINE F32x16 operator/(const F32x16& a, const F32x16& b) {
  return MapParts<F32x16>([](F32 x, F32 y) { return x / y; }, a, b);
}
LATIMER_INLINE Mask16 operator>(const F32x16& a, const F32x16& b) {
  return MapParts<Mask16>([](F32 x, F32 y) { return Greater(x, y); }, a, b);
}
LATIMER_INLINE F32x16 Select(const Mask16& m, const F32x16& a,
                             const F32x16& b) {
  return MapParts<F32x16>([](I32 k, F32 x, F32 y) { return Select(k, x, y); },
                          m, a, b);
}
LATIMER_INLINE F32x16 Max(const F32x16& a, const F32x16& b) {
  return MapParts<F32x16>([](F32 x, F32 y) { return Max(x, y); }, a, b);
}
LATIMER_INLINE F32x16 Abs(const F32x16& a) {
  return MapParts<F32x16>([](F32 x) { return (F32)((I32)x & 0x7fffffff); }, a);
}
// `magnitude`, which is not negative, with the sign of `sign`.
LATIMER_INLINE F32x16 CopySign(const F32x16& magnitude, const F32x16& sign) {
  return MapParts<F32x16>(
      [](F32 m, F32 s) {
        return (F32)((I32)m | ((I32)s & static_cast<int32_t>(0x80000000u)));
      },
      magnitude, sign);
}
LATIMER_INLINE I32x16 BitsOf(const F32x16& a) {
  return MapParts<I32x16>([](F32 x) { return (I32)x; }, a);
}

// ---- Reductions

// The fixed order: lanes 8 apart, then lanes 4 apart ...
LATIMER_INLINE F32x4 FoldToFour(const F32x16& v) {
#if defined(__AVX512F__)
  const F32x8 lo =
      __builtin_shufflevector(v.part[0], v.part[0], 0, 1, 2, 3, 4, 5, 6, 7);
  const F32x8 hi = __builtin_shufflevector(v.part[0], v.part[0], 8, 9, 10, 11,
                                           12, 13, 14, 15);
  const F32x8 sum = lo + hi;
#elif defined(__AVX2__)
  const F32x8 sum = v.part[0] + v.part[1];
#else
  return Add(Add(v.part[0], v.part[2]), Add(v.part[1], v.part[3]));
#endif
#if defined(__AVX2__)
  return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
         __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
#endif
}
// ... then neighbours: {a0 + a1, a2 + a3, b0 + b1, b2 + b3}.
LATIMER_INLINE F32x4 AddNeighbours(F32x4 a, F32x4 b) {
  const F32x4 even = __builtin_shufflevector(a, b, 0, 2, 4, 6);
  const F32x4 odd = __builtin_shufflevector(a, b, 1, 3, 5, 7);
#ifdef LATIMER_SIMD_ARMV7
  return Add(even, odd);
#else
  return even + odd;
#endif
}
LATIMER_INLINE float ReduceAdd(const F32x16& v) {
  const F32x4 s = FoldToFour(v);
  return AddNeighbours(AddNeighbours(s, s), s)[0];
}
// {ReduceAdd(a), ReduceAdd(b), ReduceAdd(c), ReduceAdd(d)} of what FoldToFour
// made of them.
LATIMER_INLINE F32x4 ReduceAdd4(F32x4 a, F32x4 b, F32x4 c, F32x4 d) {
  return AddNeighbours(AddNeighbours(a, b), AddNeighbours(c, d));
}

// Lanes that hold NaN are ignored where lane 0 does not.
LATIMER_INLINE float ReduceMax(const F32x16& v) {
  float lanes[kLanes];
  Store(v, lanes);
  float max = lanes[0];
  for (size_t i = 1; i < kLanes; ++i) max = lanes[i] > max ? lanes[i] : max;
  return max;
}

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_SIMD_H_
