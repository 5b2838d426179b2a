// Shared by both ways of attention_isa.cc: the weighted sum of value rows, in
// the order of the keys, the cap and the bias. For *_isa.cc only.
#ifndef LATIMER_OPS_ATTENTION_ISA_H_
#define LATIMER_OPS_ATTENTION_ISA_H_

#include "latimer/profile_config.h"  // Constants only.
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {

// Rows [begin, end) of keys and values.
struct Range {
  size_t begin;
  size_t end;
};

// Where rows of keys or values are, from one column on. T is float, or uint16_t
// for f16.
template <typename T>
struct EqualRows {
  const T* first;
  size_t stride;
  LATIMER_INLINE const T* At(size_t t) const { return first + t * stride; }
  LATIMER_INLINE EqualRows From(size_t column) const {
    return {first + column, stride};
  }
};

// The same with beams; see AttentionArgs.
template <typename T>
struct BeamRows {
  const T* first;
  size_t stride;
  size_t beams;
  const uint8_t* ancestors;
  LATIMER_INLINE const T* At(size_t t) const {
    return first + (t * beams + ancestors[t]) * stride;
  }
  LATIMER_INLINE BeamRows From(size_t column) const {
    return {first + column, stride, beams, ancestors};
  }
};

// out[r][c] += sum over t in `range` of weights[r][t] * values[t][c], for kRows
// rows and kVectors native vectors of columns; = instead of += if the range
// starts at 0.
template <size_t kRows, size_t kVectors, typename Values>
LATIMER_INLINE void WeightedSum(const AttentionArgs& args, Range range,
                                const float* weights, size_t weights_stride,
                                const Values& values, float* out) {
  F32 sum[kRows][kVectors] = {};
  if (range.begin > 0) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = LoadNative(out + r * args.out_stride + v * kNativeElements);
      }
    }
  }
  for (size_t t = range.begin; t < range.end; ++t) {
    F32 value[kVectors];
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      value[v] = LoadNative(values.At(t) + v * kNativeElements);
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const F32 weight = BroadcastNative(weights[r * weights_stride + t]);
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = Add(sum[r][v], Mul(weight, value[v]));
      }
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      StoreNative(sum[r][v], out + r * args.out_stride + v * kNativeElements);
    }
  }
}

// The same for one row and one column.
template <typename Values>
LATIMER_INLINE void WeightedColumn(Range range, const float* weights,
                                   const Values& values, float* out) {
  float sum = range.begin > 0 ? *out : 0.0f;
  for (size_t t = range.begin; t < range.end; ++t) {
    sum += weights[t] * LoadOne(values.At(t));
  }
  *out = sum;
}

// The same for columns [begin, end) of one head: kVectors at a time, then fewer
// at the end.
template <size_t kRows, size_t kVectors, typename Values>
LATIMER_INLINE void WeightedColumns(const AttentionArgs& args, Range range,
                                    const float* weights, size_t weights_stride,
                                    const Values& values, size_t begin,
                                    size_t end, float* out) {
  constexpr size_t kStep = kVectors * kNativeElements;
  size_t c = begin;
  for (; c + kStep <= end; c += kStep) {
    WeightedSum<kRows, kVectors>(args, range, weights, weights_stride,
                                 values.From(c), out + c);
  }
  if constexpr (kVectors > 1) {
    if (c < end) {
      WeightedColumns<kRows, kVectors / 2>(args, range, weights, weights_stride,
                                           values, c, end, out);
    }
  } else {
    for (; c < end; ++c) {
      for (size_t r = 0; r < kRows; ++r) {
        WeightedColumn(range, weights + r * weights_stride, values.From(c),
                       out + r * args.out_stride + c);
      }
    }
  }
}

// The same for all columns of one head. The sums of several rows fill half of
// the registers. One row has eight vectors, which are half a head of 64 with
// NEON and SSE, and a whole one with AVX2; with fewer registers, four.
template <size_t kRows, typename Values>
LATIMER_INLINE void WeightedHead(const AttentionArgs& args, Range range,
                                 const float* weights, size_t weights_stride,
                                 const Values& values, float* out) {
  constexpr size_t kMost = kNativeRegisters < 16 ? kNativeRegisters / 2 : 8;
  constexpr size_t kVectors = kRows > 1 ? kNativeRegisters / 2 / kRows : kMost;
  WeightedColumns<kRows, kVectors>(args, range, weights, weights_stride, values,
                                   0, args.head_dim, out);
}

// Caps the scores of query row `row` in `head`, and adds their bias.
LATIMER_INLINE void CapAndAddBias(const AttentionArgs& args, size_t head,
                                  size_t row, float* scores) {
  if constexpr (kProfile.logit_caps) {
    if (args.cap > 0) Cap(args.kv_count, args.cap, scores);
  }
  if constexpr (kProfile.relative_attention) {
    if (args.bias == nullptr) return;
    AddTo(args.kv_count, args.bias + head * args.bias_stride - row, scores);
  }
}

// attend() with args.packed, in attention_packed_isa.cc. Rows of scores are
// `stride` floats apart.
void AttendPacked(const AttentionArgs& args, size_t stride);

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_ATTENTION_ISA_H_
