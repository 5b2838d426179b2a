// softmax(cap(scale * Q K^T) + bias) V, computed in two ways that give the same
// bits, because every sum has the same order in both.
//
// Several query rows, as in the encoder, are products of small matrices; see
// attention_packed_isa.cc. A single row, as in a decoder step, reads each key
// and value once, so it reads them in place, row by row for all heads. Head by
// head, it would touch one page per key again and again and miss the TLB each
// time.
#include "ops/attention_isa.h"

#include "base/check.h"
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {
namespace {

constexpr size_t kBlock = 4;  // keys taken together

// Rows at a time: their sums must leave half of the registers free.
constexpr size_t kDotRows = kBlock * kNatives <= kNativeRegisters / 2 ? 4 : 2;

// folded[r] = FoldToFour(products of shared and row first + r of `rows`)
template <size_t kRows, typename Rows>
LATIMER_INLINE void FoldedDots(size_t n, const float* shared, const Rows& rows,
                               size_t first, F32x4* folded) {
  F32x16 sum[kRows] = {};
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    const F32x16 s = block.Get(shared);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      sum[r] = sum[r] + s * block.Get(rows.At(first + r));
    }
  });
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) folded[r] = FoldToFour(sum[r]);
}

// {dot(shared, row `first`), ..., dot(shared, row `first` + 3)}
template <typename Rows>
LATIMER_INLINE F32x4 Dot4(size_t n, const float* shared, const Rows& rows,
                          size_t first) {
  F32x4 f[kBlock];
  FoldedDots<kDotRows>(n, shared, rows, first, f);
  if constexpr (kDotRows < kBlock) {
    FoldedDots<kDotRows>(n, shared, rows, first + kDotRows, f + kDotRows);
  }
  return ReduceAdd4(f[0], f[1], f[2], f[3]);
}

template <typename T>
LATIMER_INLINE float Dot(size_t n, const float* a, const T* b) {
  F32x16 sum = Broadcast(0.0f);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    sum = sum + block.Get(a) * block.Get(b);
  });
  return ReduceAdd(sum);
}

// Query row `row`, all heads; scores [heads, stride].
template <typename Rows>
void AttendRow(const AttentionArgs& args, const Rows& keys, const Rows& values,
               size_t stride, size_t row) {
  const float* query = args.queries + row * args.query_stride;
  float* out = args.out + row * args.out_stride;
  // Value rows that are read together; their pages fit the TLB of a small core.
  constexpr size_t kValueRows = 8;
  float* scores = args.scratch;
  const F32x4 scale = {args.scale, args.scale, args.scale, args.scale};
  const size_t dim = args.head_dim;
  size_t t = 0;
  for (; t + kBlock <= args.kv_count; t += kBlock) {
    for (size_t h = 0; h < args.heads; ++h) {
      const F32x4 dots = Dot4(dim, query + h * dim, keys.From(h * dim), t);
      const F32x4 scaled = MulFours(dots, scale);
      __builtin_memcpy(scores + h * stride + t, &scaled, sizeof(scaled));
    }
  }
  for (; t < args.kv_count; ++t) {
    for (size_t h = 0; h < args.heads; ++h) {
      scores[h * stride + t] =
          Dot(dim, query + h * dim, keys.From(h * dim).At(t)) * args.scale;
    }
  }
  for (size_t h = 0; h < args.heads; ++h) {
    CapAndAddBias(args, h, row, scores + h * stride);
    SoftmaxPadded(args.kv_count, scores + h * stride);
  }
  for (t = 0; t < args.kv_count; t += kValueRows) {
    const size_t rest = args.kv_count - t;
    const Range range = {t, t + (rest < kValueRows ? rest : kValueRows)};
    for (size_t h = 0; h < args.heads; ++h) {
      WeightedHead<1>(args, range, scores + h * stride, stride,
                      values.From(h * dim), out + h * dim);
    }
  }
}

// The same for keys and values of T: float, or uint16_t for f16.
template <typename T>
void AttendOneRow(const AttentionArgs& args, const T* keys, const T* values,
                  size_t stride, size_t row) {
  if constexpr (kProfile.beams > 1) {
    if (args.ancestors != nullptr) {
      return AttendRow(
          args, BeamRows<T>{keys, args.kv_stride, args.beams, args.ancestors},
          BeamRows<T>{values, args.kv_stride, args.beams, args.ancestors},
          stride, row);
    }
  }
  AttendRow(args, EqualRows<T>{keys, args.kv_stride},
            EqualRows<T>{values, args.kv_stride}, stride, row);
}

}  // namespace

void Attend(const AttentionArgs& args) {
  LATIMER_DCHECK(args.kv_count > 0);
  const size_t stride = AttentionScoreStride(args.kv_count);
  // If keys have fewer than 16 numbers in all, reads would pass their end.
  if (args.packed != nullptr && args.query_rows >= kBlock &&
      args.kv_count * args.head_dim >= kElements) {
    AttendPacked(args, stride);
    return;
  }
  for (size_t row = 0; row < args.query_rows; ++row) {
    if constexpr (kProfile.f16_caches) {
      if (args.keys == nullptr) {
        AttendOneRow(args, args.f16_keys, args.f16_values, stride, row);
        continue;
      }
    }
    AttendOneRow(args, args.keys, args.values, stride, row);
  }
}

}  // namespace latimer::LATIMER_ISA
