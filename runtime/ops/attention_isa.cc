// softmax(scale * Q K^T + bias) V, two ways with one result, because a row is
// summed in the same order in both: the value rows in the order of the keys.
//
// Four query rows at a time, as in the encoder, share the loads of one head's
// keys and values. A single row, as in a decoder step, reads each key and value
// once, so it goes through them row by row over all heads: head by head it
// would touch one page per key again and again, and miss the TLB each time.
#include "base/check.h"
#include "latimer/profile_config.h"  // Constants only.
#include "ops/simd_math.h"
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {
namespace {

constexpr size_t kBlock = 4;  // query rows or keys taken together

// Sums of kRows rows must leave half of the registers free.
constexpr size_t kDotRows = kBlock * kParts <= kNativeRegisters / 2 ? 4 : 2;

// folded[r] = FoldToFour(products of shared and rows + r * stride)
template <size_t kRows>
LATIMER_INLINE void FoldedDots(size_t n, const float* shared, const float* rows,
                               size_t stride, F32x4* folded) {
  F32x16 sum[kRows] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F32x16 s = Load(shared + i);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      sum[r] = sum[r] + s * Load(rows + r * stride + i);
    }
  }
  if (i < n) {
    const F32x16 s = LoadFirst(shared + i, n - i);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      sum[r] = sum[r] + s * LoadFirst(rows + r * stride + i, n - i);
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) folded[r] = FoldToFour(sum[r]);
}

// {dot(shared, rows + 0 * stride), ..., dot(shared, rows + 3 * stride)}
LATIMER_INLINE F32x4 Dot4(size_t n, const float* shared, const float* rows,
                          size_t stride) {
  F32x4 f[kBlock];
  FoldedDots<kDotRows>(n, shared, rows, stride, f);
  if constexpr (kDotRows < kBlock) {
    FoldedDots<kDotRows>(n, shared, rows + kDotRows * stride, stride,
                         f + kDotRows);
  }
  return ReduceAdd4(f[0], f[1], f[2], f[3]);
}

LATIMER_INLINE F32x4 ScaleFour(F32x4 v, float scale) {
  const F32x4 s = {scale, scale, scale, scale};
#ifdef LATIMER_SIMD_ARMV7
  return Mul(v, s);
#else
  return v * s;
#endif
}

LATIMER_INLINE float Dot(size_t n, const float* a, const float* b) {
  F32x16 sum = Broadcast(0.0f);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) sum = sum + Load(a + i) * Load(b + i);
  if (i < n) sum = sum + LoadFirst(a + i, n - i) * LoadFirst(b + i, n - i);
  return ReduceAdd(sum);
}

// Rows [begin, end) of keys and values.
struct Range {
  size_t begin;
  size_t end;
};

// out[r][c] += sum over t in `range` of weights[r][t] * values[t][c], for kRows
// rows and kVectors native vectors of columns; = instead of += where the range
// starts at 0.
template <size_t kRows, size_t kVectors>
LATIMER_INLINE void WeightedSum(const AttentionArgs& args, Range range,
                                const float* weights, size_t weights_stride,
                                const float* values, float* out) {
  F32 sum[kRows][kVectors] = {};
  if (range.begin > 0) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = LoadNative(out + r * args.out_stride + v * kNativeLanes);
      }
    }
  }
  for (size_t t = range.begin; t < range.end; ++t) {
    F32 value[kVectors];
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      value[v] = LoadNative(values + t * args.kv_stride + v * kNativeLanes);
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
      StoreNative(sum[r][v], out + r * args.out_stride + v * kNativeLanes);
    }
  }
}

// The same for one row and one column.
LATIMER_INLINE void WeightedColumn(const AttentionArgs& args, Range range,
                                   const float* weights, const float* values,
                                   float* out) {
  float sum = range.begin > 0 ? *out : 0.0f;
  for (size_t t = range.begin; t < range.end; ++t) {
    sum += weights[t] * values[t * args.kv_stride];
  }
  *out = sum;
}

// The same for all columns of one head.
template <size_t kRows>
LATIMER_INLINE void WeightedHead(const AttentionArgs& args, Range range,
                                 const float* weights, size_t weights_stride,
                                 const float* values, float* out) {
  // Eight sums at a time fill the registers of every instruction set.
  constexpr size_t kVectors = 8 / kRows;
  const size_t n = args.head_dim;
  size_t c = 0;
  for (; c + kVectors * kNativeLanes <= n; c += kVectors * kNativeLanes) {
    WeightedSum<kRows, kVectors>(args, range, weights, weights_stride,
                                 values + c, out + c);
  }
  if constexpr (kVectors > 4) {
    for (; c + 4 * kNativeLanes <= n; c += 4 * kNativeLanes) {
      WeightedSum<kRows, 4>(args, range, weights, weights_stride, values + c,
                            out + c);
    }
  }
  for (; c + kNativeLanes <= n; c += kNativeLanes) {
    WeightedSum<kRows, 1>(args, range, weights, weights_stride, values + c,
                          out + c);
  }
  for (; c < n; ++c) {
    for (size_t r = 0; r < kRows; ++r) {
      WeightedColumn(args, range, weights + r * weights_stride, values + c,
                     out + r * args.out_stride + c);
    }
  }
}

// Adds the bias of query row `row` in `head`.
LATIMER_INLINE void AddBias(const AttentionArgs& args, size_t head, size_t row,
                            float* scores) {
  if constexpr (kProfile.relative_attention) {
    if (args.bias == nullptr) return;
    AddTo(args.kv_count, args.bias + head * args.bias_stride - row, scores);
  }
}

// Query row `row`, all heads; scores [heads, stride].
void AttendOneRow(const AttentionArgs& args, size_t stride, size_t row) {
  const float* query = args.queries + row * args.query_stride;
  float* out = args.out + row * args.out_stride;
  // Value rows read together: few enough pages for the TLB of a small core.
  constexpr size_t kValueRows = 8;
  float* scores = args.scratch;
  const size_t dim = args.head_dim;
  size_t t = 0;
  for (; t + kBlock <= args.kv_count; t += kBlock) {
    const float* keys = args.keys + t * args.kv_stride;
    for (size_t h = 0; h < args.heads; ++h) {
      const F32x4 dots =
          Dot4(dim, query + h * dim, keys + h * dim, args.kv_stride);
      const F32x4 scaled = ScaleFour(dots, args.scale);
      __builtin_memcpy(scores + h * stride + t, &scaled, sizeof(scaled));
    }
  }
  for (; t < args.kv_count; ++t) {
    const float* key = args.keys + t * args.kv_stride;
    for (size_t h = 0; h < args.heads; ++h) {
      scores[h * stride + t] =
          Dot(dim, query + h * dim, key + h * dim) * args.scale;
    }
  }
  for (size_t h = 0; h < args.heads; ++h) {
    AddBias(args, h, row, scores + h * stride);
    Softmax(args.kv_count, scores + h * stride);
  }
  for (t = 0; t < args.kv_count; t += kValueRows) {
    const size_t rest = args.kv_count - t;
    const Range range = {t, t + (rest < kValueRows ? rest : kValueRows)};
    for (size_t h = 0; h < args.heads; ++h) {
      WeightedHead<1>(args, range, scores + h * stride, stride,
                      args.values + h * dim, out + h * dim);
    }
  }
}

// kBlock query rows from `row` on, one head; scores [kBlock, stride].
void AttendFourRows(const AttentionArgs& args, size_t stride, size_t head,
                    size_t row) {
  const float* queries = args.queries + row * args.query_stride;
  float* out = args.out + row * args.out_stride;
  float* scores = args.scratch;
  const size_t column = head * args.head_dim;
  for (size_t t = 0; t < args.kv_count; ++t) {
    const float* key = args.keys + t * args.kv_stride + column;
    const F32x4 dots =
        Dot4(args.head_dim, key, queries + column, args.query_stride);
    const F32x4 scaled = ScaleFour(dots, args.scale);
    for (size_t r = 0; r < kBlock; ++r) scores[r * stride + t] = scaled[r];
  }
  for (size_t r = 0; r < kBlock; ++r) {
    AddBias(args, head, row + r, scores + r * stride);
    Softmax(args.kv_count, scores + r * stride);
  }
  WeightedHead<kBlock>(args, {0, args.kv_count}, scores, stride,
                       args.values + column, out + column);
}

}  // namespace

void Attend(const AttentionArgs& args) {
  LATIMER_DCHECK(args.kv_count > 0);
  const size_t stride = AttentionScratchSize(1, args.kv_count) / kBlock;
  const size_t blocks = args.query_rows / kBlock;
  for (size_t head = 0; head < args.heads; ++head) {
    for (size_t block = 0; block < blocks; ++block) {
      AttendFourRows(args, stride, head, block * kBlock);
    }
  }
  for (size_t row = blocks * kBlock; row < args.query_rows; ++row) {
    AttendOneRow(args, stride, row);
  }
}

}  // namespace latimer::LATIMER_ISA
