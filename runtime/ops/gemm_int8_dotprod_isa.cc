// Products of quantized rows and int8 weights with ARM's dot products; see
// ops/gemm_int8.h.
//
// A vector of weights in the tile 16x4 has four inputs of four channels; SDOT
// adds their products with four bytes of a row to four sums. XNNPACK's kernels
// load eight bytes of a row at a time, these sixteen. With five rows GCC would
// move registers about.
#include "ops/gemm_int8.h"
#include "ops/gemm_int8_neon.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

constexpr size_t kInputs = 4;  // The tile's kr.
constexpr size_t kVectors = 4;
constexpr size_t kChannels = kVectors * 4;
constexpr size_t kGroupBytes = kChannels * kInputs;

// Adds the products of a group of inputs, the kGroup-th four bytes of q.
template <size_t kRows, int kGroup>
LATIMER_INLINE void AddGroup(int32x4_t (&sums)[kRows][kVectors],
                             const int8_t* weights,
                             const int8x16_t (&q)[kRows]) {
#pragma GCC unroll 2
  for (size_t v = 0; v < kVectors; v += 2) {
    const int8_t* pair = weights + kGroup * kGroupBytes + v * sizeof(int8x16_t);
    const int8x16_t first = vld1q_s8(pair);
    const int8x16_t second = vld1q_s8(pair + sizeof(int8x16_t));
#pragma GCC unroll 4
    for (size_t row = 0; row < kRows; ++row) {
      int32x4_t* sum = sums[row] + v;
      sum[0] = vdotq_laneq_s32(sum[0], first, q[row], kGroup);
      sum[1] = vdotq_laneq_s32(sum[1], second, q[row], kGroup);
    }
    // Otherwise GCC would load more weights at once and move sums for them.
    asm volatile("" ::: "memory");
  }
}

template <size_t kRows>
LATIMER_INLINE void Multiply(const GemmInt8Args& args) {
  const size_t bytes = (args.k + kInputs - 1) / kInputs * kInputs;
  const int8_t* block = static_cast<const int8_t*>(args.weights);
  for (size_t channel = 0; channel < args.channels; channel += kChannels) {
    int32x4_t sums[kRows][kVectors];
#pragma GCC unroll 4
    for (auto& row : sums) {
#pragma GCC unroll 4
      for (int32x4_t& sum : row) sum = vdupq_n_s32(0);
    }
    const auto* weight_sums = reinterpret_cast<const int32_t*>(block);
    const int8_t* weights = block + kChannels * sizeof(int32_t);
    const int8_t* q[kRows];
#pragma GCC unroll 4
    for (size_t row = 0; row < kRows; ++row) {
      q[row] = args.q + row * args.q_stride;
    }
    int8x16_t a[kRows];
    size_t i = 0;
#pragma GCC unroll 1
    for (; i + 16 <= bytes; i += 16) {
#pragma GCC unroll 4
      for (size_t row = 0; row < kRows; ++row) {
        a[row] = vld1q_s8(q[row] + i);
      }
      AddGroup<kRows, 0>(sums, weights, a);
      AddGroup<kRows, 1>(sums, weights, a);
      AddGroup<kRows, 2>(sums, weights, a);
      AddGroup<kRows, 3>(sums, weights, a);
      weights += 4 * kGroupBytes;
    }
#pragma GCC unroll 1
    for (; i < bytes; i += kInputs) {
#pragma GCC unroll 4
      for (size_t row = 0; row < kRows; ++row) {
        int32_t four;
        __builtin_memcpy(&four, q[row] + i, sizeof(four));
        a[row] = vreinterpretq_s8_s32(vdupq_n_s32(four));
      }
      AddGroup<kRows, 0>(sums, weights, a);
      weights += kGroupBytes;
    }
    const auto* scales = reinterpret_cast<const float*>(weights);
#pragma GCC unroll 4
    for (size_t row = 0; row < kRows; ++row) {
      StoreRow(sums[row], weight_sums, scales,
               static_cast<const Quantization*>(args.quantization)[row],
               args.channels - channel, args.y + row * args.y_stride + channel);
    }
    block = weights + 2 * kChannels * sizeof(float);
  }
}

}  // namespace

void GemmInt8Rows1(const GemmInt8Args& args) { Multiply<1>(args); }
void GemmInt8Rows2(const GemmInt8Args& args) { Multiply<2>(args); }
void GemmInt8Rows3(const GemmInt8Args& args) { Multiply<3>(args); }
void GemmInt8Rows4(const GemmInt8Args& args) { Multiply<4>(args); }

}  // namespace latimer::LATIMER_ISA
