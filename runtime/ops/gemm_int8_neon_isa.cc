// Products of quantized rows and int8 weights with NEON that has no dot
// products; see ops/gemm_int8.h.
//
// As in XNNPACK's kernels for the tile 8x2s4, a product of eight inputs, four
// times two with the pairs rotated by one channel after the other, comes from
// vmull_s8; the product of the next eight is added in int16, and both are added
// in pairs to int32. No weight is -128, so two products fit int16. XNNPACK's
// load and multiply 8 bytes of weights at a time and rotate the inputs for
// every block. These load 16 bytes, and share the rotated inputs among blocks
// and the weights among rows.
#include "base/neon.h"
#include "ops/gemm_int8.h"
#include "ops/gemm_int8_neon.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

constexpr size_t kInputs = 8;  // kr * sr of the tile.
constexpr size_t kChannels = 8;
constexpr size_t kRotations = 4;
constexpr size_t kGroupBytes = kChannels * kInputs;
constexpr size_t kLine = 64;
// How far ahead one row prefetches, whose weights come from memory.
constexpr size_t kPrefetchBytes = 1024;

// Sums of the channels 0 to 3 and 4 to 7 of a block.
struct Sums {
  int32x4_t half[2];
};

// Adds the products of kGroups groups of inputs, one or two, to the sums. All
// products of a rotation are begun before the first is needed, for CPUs that
// compute in the order of the program.
template <size_t kRows, size_t kBlocks, size_t kGroups>
LATIMER_INLINE void AddGroups(Sums (&sums)[kRows][kBlocks],
                              const int8_t* weights, size_t block_bytes,
                              const int8_t* const (&q)[kRows], size_t input) {
  // Calls run(row, block) for all.
  const auto for_all = [](const auto& run) LATIMER_INLINED {
#pragma GCC unroll 4
    for (size_t b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 4
      for (size_t row = 0; row < kRows; ++row) run(row, b);
    }
  };
  Eight a[kRows][kGroups];
#pragma GCC unroll 4
  for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
    for (size_t g = 0; g < kGroups; ++g) {
      a[row][g] = LoadEight(q[row] + input + g * kInputs);
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < kRotations; ++r) {
    int8x16_t w[kBlocks][kGroups];
#pragma GCC unroll 4
    for (size_t b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 2
      for (size_t g = 0; g < kGroups; ++g) {
        w[b][g] = vld1q_s8(weights + b * block_bytes + g * kGroupBytes +
                           r * sizeof(int8x16_t));
      }
    }
    int16x8_t products[kRows][kBlocks][2];
    for_all([&](size_t row, size_t b) LATIMER_INLINED {
      MultiplyBytes(w[b][0], a[row][0], products[row][b]);
    });
    if constexpr (kGroups == 2) {
      for_all([&](size_t row, size_t b) LATIMER_INLINED {
        MultiplyAdd(w[b][1], a[row][1], products[row][b]);
      });
    }
    // Otherwise GCC would load the weights of all rotations at once and spill.
    if constexpr (kRows > 1) asm volatile("" ::: "memory");
    for_all([&](size_t row, size_t b) LATIMER_INLINED {
      Sums& sum = sums[row][b];
      sum.half[0] = vpadalq_s16(sum.half[0], products[row][b][0]);
      sum.half[1] = vpadalq_s16(sum.half[1], products[row][b][1]);
      // Keeps them in their registers: GCC would move them.
      asm("" : "+w"(sum.half[0]), "+w"(sum.half[1]));
    });
    if (r + 1 == kRotations) break;
#pragma GCC unroll 4
    for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
      for (size_t g = 0; g < kGroups; ++g) {
        a[row][g] = RotateByTwo(a[row][g]);
      }
    }
  }
}

// Computes kBlocks blocks, the last of which may have fewer channels than it
// holds.
template <size_t kRows, size_t kBlocks>
LATIMER_INLINE void MultiplyBlocks(const GemmInt8Args& args,
                                   const int8_t* const (&q)[kRows],
                                   size_t channel) {
  const size_t bytes = (args.k + kInputs - 1) / kInputs * kInputs;
  const size_t block_bytes =
      kChannels * (bytes + sizeof(int32_t) + 2 * sizeof(float));
  const auto* block = static_cast<const int8_t*>(args.weights) +
                      channel / kChannels * block_bytes;
  Sums sums[kRows][kBlocks];
#pragma GCC unroll 4
  for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (Sums& sum : sums[row]) sum = {vdupq_n_s32(0), vdupq_n_s32(0)};
  }
  const int8_t* weights = block + kChannels * sizeof(int32_t);
  size_t i = 0;
#pragma GCC unroll 1
  for (; i + 2 * kInputs <= bytes; i += 2 * kInputs) {
    if constexpr (kRows == 1) {
#pragma GCC unroll 4
      for (size_t b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 2
        for (size_t line = 0; line < 2 * kGroupBytes; line += kLine) {
          __builtin_prefetch(weights + b * block_bytes + kPrefetchBytes + line);
        }
      }
    }
    AddGroups<kRows, kBlocks, 2>(sums, weights, block_bytes, q, i);
    weights += 2 * kGroupBytes;
  }
  if (i < bytes) {
    AddGroups<kRows, kBlocks, 1>(sums, weights, block_bytes, q, i);
    weights += kGroupBytes;
  }

  const auto* quantization =
      static_cast<const Quantization*>(args.quantization);
#pragma GCC unroll 4
  for (size_t b = 0; b < kBlocks; ++b) {
    const auto* weight_sums =
        reinterpret_cast<const int32_t*>(block + b * block_bytes);
    const auto* scales =
        reinterpret_cast<const float*>(weights + b * block_bytes);
    const size_t first = channel + b * kChannels;
    const size_t left = args.channels - first;
#pragma GCC unroll 4
    for (size_t row = 0; row < kRows; ++row) {
      StoreRow(sums[row][b].half, weight_sums, scales, quantization[row], left,
               args.y + row * args.y_stride + first);
    }
  }
}

template <size_t kRows>
LATIMER_INLINE void Multiply(const GemmInt8Args& args) {
  // One row reads no more streams of weights than a Cortex-A53 prefetches.
  constexpr size_t kBlocks =
      kRows == 1 && kGemmInt8Blocks > 1 ? 2 : kGemmInt8Blocks;
  const int8_t* q[kRows];
#pragma GCC unroll 4
  for (size_t row = 0; row < kRows; ++row) {
    q[row] = args.q + row * args.q_stride;
  }
  size_t channel = 0;
  for (; channel + (kBlocks - 1) * kChannels < args.channels;
       channel += kBlocks * kChannels) {
    MultiplyBlocks<kRows, kBlocks>(args, q, channel);
  }
  if constexpr (kBlocks > 1) {
    for (; channel < args.channels; channel += kChannels) {
      MultiplyBlocks<kRows, 1>(args, q, channel);
    }
  }
}

}  // namespace

void GemmInt8Rows1(const GemmInt8Args& args) { Multiply<1>(args); }
void GemmInt8Rows2(const GemmInt8Args& args) { Multiply<2>(args); }

}  // namespace latimer::LATIMER_ISA
