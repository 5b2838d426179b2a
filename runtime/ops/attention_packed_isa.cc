// attend() for several query rows, head by head. The head's keys are packed in
// panels of columns and its values row by row, so that both products read
// memory in order and share each load among a tile of query rows.
//
// Vectors of Q K^T have one key per element, so no sum goes across elements.
// Yet each sum has the order of simd.h's ReduceAdd, as in a decoder step.
#include "ops/attention_isa.h"
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {
namespace {

// The query rows and vectors of keys of a tile. Its sums, and as many that wait
// for others, leave registers free.
#if defined(LATIMER_SIMD_NONE)
constexpr size_t kTileRows = 1;  // More would be 18 KB of code.
#else
constexpr size_t kTileRows = 4;
#endif
constexpr size_t kTileVectors =
    kNativeRegisters < 32 ? 1 : kNativeRegisters / 16;
static_assert(kAttentionRows >= 2 * kTileRows);

template <size_t kRows, size_t kVectors>
struct Tile {
  F32 sum[kRows][kVectors];
};

template <size_t kRows, size_t kVectors>
LATIMER_INLINE Tile<kRows, kVectors> operator+(const Tile<kRows, kVectors>& a,
                                               const Tile<kRows, kVectors>& b) {
  Tile<kRows, kVectors> result;
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      result.sum[r][v] = Add(a.sum[r][v], b.sum[r][v]);
    }
  }
  return result;
}

// The keys of the next panel: as many as a tile has, then as a vector has, then
// those that are left.
LATIMER_INLINE size_t PanelKeys(size_t left) {
  if (left >= kTileVectors * kNativeElements)
    return kTileVectors * kNativeElements;
  return left < kNativeElements ? left : kNativeElements;
}

// Products of kRows query rows and the keys of a panel.
template <size_t kRows, size_t kVectors>
struct PanelDots {
  using Sums = Tile<kRows, kVectors>;

  size_t dim;
  const float* queries;
  size_t query_stride;
  const float* panel;
  size_t panel_stride;

  // In the order in which FoldToFour and AddNeighbours add elements. Column i
  // belongs to element i % 16.
  LATIMER_INLINE Sums AllElements() const {
    const Sums first = FourElements(0) + FourElements(1);
    return first + (FourElements(2) + FourElements(3));
  }
  LATIMER_INLINE Sums FourElements(size_t i) const {
    const Sums first = Element(i) + Element(i + 8);
    return first + (Element(i + 4) + Element(i + 12));
  }
  // Columns first, first + 16, ... The sum starts with the first product, not
  // with zero, so it may be -0 instead of 0; Softmax treats both alike.
  LATIMER_INLINE Sums Element(size_t first) const {
    Sums sums = {};
    if (first >= dim) return sums;
    AddColumn<true>(first, sums);
    for (size_t i = first + kElements; i < dim; i += kElements) {
      AddColumn<false>(i, sums);
    }
    return sums;
  }
  template <bool kFirst>
  LATIMER_INLINE void AddColumn(size_t column, Sums& t) const {
    F32 keys[kVectors];
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      keys[v] = LoadNative(panel + column * panel_stride + v * kNativeElements);
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const F32 query = BroadcastNative(queries[r * query_stride + column]);
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        const F32 product = Mul(query, keys[v]);
        t.sum[r][v] = kFirst ? product : Add(t.sum[r][v], product);
      }
    }
  }
};

// The scores of kRows query rows and a panel. If the panel is narrower than a
// vector, elements after its end are read and written too, but never used.
template <size_t kRows, size_t kVectors>
void ScorePanel(const AttentionArgs& args, const float* queries,
                const float* panel, size_t panel_keys, float* scores,
                size_t stride) {
  const PanelDots<kRows, kVectors> dots = {
      args.head_dim, queries, args.query_stride, panel, panel_keys};
  const Tile<kRows, kVectors> tile = dots.AllElements();
  const F32 scale = BroadcastNative(args.scale);
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      StoreNative(Mul(tile.sum[r][v], scale),
                  scores + r * stride + v * kNativeElements);
    }
  }
}

template <size_t kRows>
LATIMER_INLINE void ScoreRows(const AttentionArgs& args, const float* queries,
                              const float* panel, size_t panel_keys,
                              float* scores, size_t stride) {
  if (panel_keys > kNativeElements) {
    ScorePanel<kRows, kTileVectors>(args, queries, panel, panel_keys, scores,
                                    stride);
  } else {
    ScorePanel<kRows, 1>(args, queries, panel, panel_keys, scores, stride);
  }
}

// out[c][r] = in[r][c], 4 x 4.
LATIMER_INLINE void TransposeFour(const float* in, size_t in_stride, float* out,
                                  size_t out_stride) {
  F32x4 row[4];
#pragma GCC unroll 4
  for (size_t r = 0; r < 4; ++r) {
    __builtin_memcpy(&row[r], in + r * in_stride, sizeof(F32x4));
  }
  const F32x4 low02 = __builtin_shufflevector(row[0], row[2], 0, 4, 1, 5);
  const F32x4 low13 = __builtin_shufflevector(row[1], row[3], 0, 4, 1, 5);
  const F32x4 high02 = __builtin_shufflevector(row[0], row[2], 2, 6, 3, 7);
  const F32x4 high13 = __builtin_shufflevector(row[1], row[3], 2, 6, 3, 7);
  const F32x4 column[4] = {__builtin_shufflevector(low02, low13, 0, 4, 1, 5),
                           __builtin_shufflevector(low02, low13, 2, 6, 3, 7),
                           __builtin_shufflevector(high02, high13, 0, 4, 1, 5),
                           __builtin_shufflevector(high02, high13, 2, 6, 3, 7)};
#pragma GCC unroll 4
  for (size_t c = 0; c < 4; ++c) {
    __builtin_memcpy(out + c * out_stride, &column[c], sizeof(F32x4));
  }
}

// out[c][r] = in[r][c]
void Transpose(size_t rows, size_t columns, const float* in, size_t in_stride,
               float* out) {
  size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const float* four = in + r * in_stride;
    size_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      TransposeFour(four + c, in_stride, out + c * rows + r, rows);
    }
    for (; c < columns; ++c) {
      for (size_t i = 0; i < 4; ++i) {
        out[c * rows + r + i] = four[i * in_stride + c];
      }
    }
  }
  for (; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      out[c * rows + r] = in[r * in_stride + c];
    }
  }
}

// The keys panel by panel, each [dim, keys], then the values, [kv_count, dim].
void Pack(const AttentionArgs& args, size_t column) {
  const size_t dim = args.head_dim;
  float* out = args.packed;
  for (size_t t = 0; t < args.kv_count;) {
    const size_t keys = PanelKeys(args.kv_count - t);
    Transpose(keys, dim, args.keys + t * args.kv_stride + column,
              args.kv_stride, out);
    out += keys * dim;
    t += keys;
  }
  for (size_t t = 0; t < args.kv_count; ++t) {
    __builtin_memcpy(out, args.values + t * args.kv_stride + column,
                     dim * sizeof(float));
    out += dim;
  }
}

// Calls f<kTileRows or 1>(first row) for tiles that cover all rows. The last
// tile may repeat rows of the one before.
template <typename F>
LATIMER_INLINE void ForEachTile(size_t rows, const F& f) {
  if (rows < kTileRows) {
    for (size_t r = 0; r < rows; ++r) f.template operator()<1>(r);
    return;
  }
  for (size_t r = 0; r < rows; r += kTileRows) {
    const size_t last = rows - kTileRows;
    f.template operator()<kTileRows>(r < last ? r : last);
  }
}

// Query rows [row, row + rows) of one head, at most kAttentionRows. Reads all
// queries before it writes a result.
void AttendRows(const AttentionArgs& args, size_t head, size_t row, size_t rows,
                size_t stride) {
  const size_t dim = args.head_dim;
  const float* queries = args.queries + row * args.query_stride + head * dim;
  const float* panel = args.packed;
  for (size_t t = 0; t < args.kv_count;) {
    const size_t keys = PanelKeys(args.kv_count - t);
    ForEachTile(rows, [&]<size_t kRows>(size_t r) {
      ScoreRows<kRows>(args, queries + r * args.query_stride, panel, keys,
                       args.scratch + r * stride + t, stride);
    });
    panel += keys * dim;
    t += keys;
  }
  for (size_t r = 0; r < rows; ++r) {
    CapAndAddBias(args, head, row + r, args.scratch + r * stride);
    SoftmaxPadded(args.kv_count, args.scratch + r * stride);
  }
  const EqualRows<float> values = {panel, dim};
  float* out = args.out + row * args.out_stride + head * dim;
  ForEachTile(rows, [&]<size_t kRows>(size_t r) {
    WeightedHead<kRows>(args, {0, args.kv_count}, args.scratch + r * stride,
                        stride, values, out + r * args.out_stride);
  });
}

}  // namespace

void AttendPacked(const AttentionArgs& args, size_t stride) {
  for (size_t head = 0; head < args.heads; ++head) {
    Pack(args, head * args.head_dim);
    for (size_t row = 0; row < args.query_rows;) {
      const size_t left = args.query_rows - row;
      size_t rows = left < kAttentionRows ? left : kAttentionRows;
      // Leave at least a tile.
      if (left > kAttentionRows && left < kAttentionRows + kTileRows) {
        rows = kTileRows;
      }
      AttendRows(args, head, row, rows, stride);
      row += rows;
    }
  }
}

}  // namespace latimer::LATIMER_ISA
