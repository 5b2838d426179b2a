// Products of f32 rows and f16 weights and, with AVX-512, f32 weights; see
// GemmArgs in ops/vector_kernels.h.
//
// Weights become f32 in registers, once for up to six rows. They are multiplied
// and added as in XNNPACK's f32 kernels for the same instruction set: one sum
// per output, in the order of the inputs, fused where XNNPACK's are. The bits
// are therefore those of f32 weights with these values. ARM could add sums in
// f16 twice as fast, but would round them to 11 bits at every step.
//
// XNNPACK's f32 kernels for AVX-512 read blocks of 16 channels. The one here
// reads two of the blocks of 8 that a file for all x86-64 CPUs has.
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {
namespace {

static_assert(kGemmF16Channels == kElements);

// How T weights are stored: blocks of kChannels channels, which begin with
// kFirst numbers for each channel.
template <typename T>
struct Layout {
  static constexpr size_t kChannels = sizeof(T) == 2 ? kGemmF16Channels : 8;
  static constexpr size_t kFirst = sizeof(T) == 2 ? 0 : 1;
  static constexpr size_t Block(size_t k) { return (kFirst + k) * kChannels; }
};

// Several groups of rows read this many bytes of weights in turn, so that the
// weights stay in the second-level cache.
constexpr size_t kCachedWeightBytes = 128 * 1024;

constexpr size_t kMostRows = 6;
// Vectors of sums that stay in registers. One row needs several, so that the
// CPU can overlap their additions.
#if defined(__ARM_NEON) || defined(__SSE4_1__) || defined(__riscv_v_fixed_vlen)
#define LATIMER_HAS_VECTORS 1
#endif
#if defined(LATIMER_HAS_VECTORS)
constexpr size_t kSums = kNativeRegisters * 3 / 4;
using Vector = F32;
#else
// GCC keeps vectors that the CPU does not have in memory.
constexpr size_t kSums = 6;
struct Vector {
  float element[kNativeElements];
};
#endif
constexpr size_t kMostVectors = 8;

// A power of two.
constexpr size_t VectorsFor(size_t rows) {
  size_t vectors = kMostVectors;
  while (vectors > 1 && rows * vectors > kSums) vectors /= 2;
  return vectors;
}

// Weights as f32. They are finite: a model with others is not loaded.
LATIMER_INLINE Vector LoadHalves(const uint16_t* p) {
#if defined(LATIMER_HAS_VECTORS)
  return LoadNative(p);
#else
  Vector v;
#pragma GCC unroll 4
  for (size_t i = 0; i < kNativeElements; ++i) {
    const int32_t bits = static_cast<int16_t>(p[i]) * (1 << 13) &
                         static_cast<int32_t>(0x8fffe000u);
    __builtin_memcpy(&v.element[i], &bits, sizeof(bits));
    v.element[i] *= 0x1p112f;  // See LoadNative().
  }
  return v;
#endif
}

// sum + x * weights with one rounding.
#if defined(__AVX512F__)
LATIMER_INLINE F32 Fused(float x, F32 weights, F32 sum) {
  return (F32)_mm512_fmadd_ps((__m512)BroadcastNative(x), (__m512)weights,
                              (__m512)sum);
}
#elif defined(__AVX2__)
LATIMER_INLINE F32 Fused(float x, F32 weights, F32 sum) {
  return (F32)_mm256_fmadd_ps((__m256)BroadcastNative(x), (__m256)weights,
                              (__m256)sum);
}
#elif defined(__aarch64__)
LATIMER_INLINE F32 Fused(float x, F32 weights, F32 sum) {
  return (F32)vfmaq_n_f32((float32x4_t)sum, (float32x4_t)weights, x);
}
#endif

// sum + x * weights
LATIMER_INLINE Vector AddProduct(float x, Vector weights, Vector sum) {
#if defined(__AVX2__) || defined(__aarch64__)
  return Fused(x, weights, sum);
#elif defined(LATIMER_HAS_VECTORS)
  return Add(sum, Mul(BroadcastNative(x), weights));
#else
#pragma GCC unroll 4
  for (size_t i = 0; i < kNativeElements; ++i) {
    sum.element[i] += x * weights.element[i];
  }
  return sum;
#endif
}

// Stores the first `count` elements, or all if there are fewer.
LATIMER_INLINE void StoreFirst(const Vector& v, size_t count, float* p) {
  if (count >= kNativeElements) {
    __builtin_memcpy(p, &v, sizeof(v));
    return;
  }
  float elements[kNativeElements];
  __builtin_memcpy(elements, &v, sizeof(v));
  __builtin_memcpy(p, elements, count * sizeof(float));
}

// Vector v of the weights of one input, `p`; blocks are `block` apart, and the
// last one `last` after the one before.
template <size_t kVectors>
LATIMER_INLINE Vector LoadWeights(const uint16_t* p, size_t v, size_t block,
                                  size_t) {
  return LoadHalves(p + v / kNatives * block + v % kNatives * kNativeElements);
}
#if defined(__AVX512F__)
template <size_t kVectors>
LATIMER_INLINE Vector LoadWeights(const float* p, size_t v, size_t block,
                                  size_t last) {
  const float* lower = p + 2 * v * block;
  const float* upper = lower + (v + 1 < kVectors ? block : last);
  return (F32)_mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(lower)),
                                 _mm256_loadu_ps(upper), 1);
}
#endif

// Computes rows [row, row + kRows) of y for kVectors native vectors of channels
// that begin at `channel`, without channels from `end` on. If the vectors
// exceed a block, `channel` is the first of a block.
template <size_t kRows, size_t kVectors, typename T>
LATIMER_INLINE void MultiplyTile(const GemmArgs<T>& args, size_t row,
                                 size_t channel, size_t end) {
  constexpr size_t kStep = kVectors * kNativeElements;
  constexpr size_t kChannels = Layout<T>::kChannels;
  const size_t block = Layout<T>::Block(args.k);
  // The file may end with the block before.
  const size_t last = channel + kStep - kChannels < end ? block : 0;
  const T* weights = args.weights + channel / kChannels * block +
                     Layout<T>::kFirst * kChannels + channel % kChannels;
  // The weights of the next call, as many lines ahead as this call reads.
  constexpr size_t kLine = 64 / sizeof(T);
  const T* next = weights + kStep / kChannels * block;
  const float* x = args.x + row * args.x_stride;
  Vector sum[kRows][kVectors] = {};
  for (size_t i = 0; i < args.k; ++i) {
    if constexpr (kStep >= kChannels) {
      for (size_t line = 0; line < kStep; line += kLine) {
        __builtin_prefetch(next + i * kStep + line, 0, 2);
      }
    }
    Vector weight[kVectors];
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      weight[v] = LoadWeights<kVectors>(weights, v, block, last);
    }
    weights += kChannels;
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const float value = x[r * args.x_stride + i];
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = AddProduct(value, weight[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    float* y = args.y + (row + r) * args.y_stride;
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t first = channel + v * kNativeElements;
      StoreFirst(sum[r][v], end - first, y + first);
    }
  }
}

// The same for channels [begin, end): kVectors at a time, then fewer at the
// end.
template <size_t kRows, size_t kVectors = VectorsFor(kRows), typename T>
void Channels(const GemmArgs<T>& args, size_t row, size_t begin, size_t end) {
  constexpr size_t kStep = kVectors * kNativeElements;
  // The last vector may have fewer channels.
  for (; begin + kStep < end + kNativeElements; begin += kStep) {
    MultiplyTile<kRows, kVectors>(args, row, begin, end);
  }
  if constexpr (kVectors > 1) {
    if (begin < end) Channels<kRows, kVectors / 2>(args, row, begin, end);
  }
}

// Whether all rows are one group, which reads the weights only once.
constexpr bool IsOneGroup(size_t rows) {
  return rows <= 2 || rows == 4 || rows == kMostRows;
}

template <typename T>
void Gemm(const GemmArgs<T>& args) {
  size_t step = args.end - args.begin;
  if (!IsOneGroup(args.rows)) {
    const size_t block_bytes = Layout<T>::Block(args.k) * sizeof(T);
    const size_t blocks = kCachedWeightBytes / block_bytes;
    step = Layout<T>::kChannels * blocks / kElements * kElements;
    if (step == 0) step = kElements;
  }
  for (size_t begin = args.begin; begin < args.end; begin += step) {
    const size_t end = args.end - begin < step ? args.end : begin + step;
    size_t row = 0;
    for (; row + kMostRows <= args.rows; row += kMostRows) {
      Channels<kMostRows>(args, row, begin, end);
    }
    if (args.rows - row >= 4) {
      Channels<4>(args, row, begin, end);
      row += 4;
    }
    if (args.rows - row >= 2) {
      Channels<2>(args, row, begin, end);
      row += 2;
    }
    if (row < args.rows) Channels<1>(args, row, begin, end);
  }
}

}  // namespace

void GemmF16(const GemmArgs<uint16_t>& args) { Gemm(args); }
#if defined(__AVX512F__)
void GemmF32(const GemmArgs<float>& args) { Gemm(args); }
#endif

}  // namespace latimer::LATIMER_ISA
