#include "transformer/int8_attention.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "transformer/caches.h"

namespace latimer {
namespace {

static_assert(kPackedAlignment == 64);
static_assert(PackedInt8Bytes(1, 1) ==
              RoundUp(16 * (16 + InfoOf(WeightType::kInt8).bytes_beside),
                      kPackedAlignment));

constexpr size_t MatrixBytes(size_t n, size_t k) {
  return static_cast<size_t>(PackedInt8Bytes(n, k));
}

// Of the keys and values of one head, a multiple of kPackedAlignment.
constexpr size_t HeadBytes(const Heads& heads, size_t positions) {
  return static_cast<size_t>(PackedHeadBytes(heads.dim, positions));
}

// Whether the matrices of a layer need no more memory than `number_bytes` for
// each number in keys and values.
bool FitInt8(const Heads& heads, size_t positions, size_t number_bytes) {
  const size_t room = positions * 2 * heads.width() * number_bytes;
  return heads.dim <= positions &&
         heads.count * HeadBytes(heads, positions) + kPackedAlignment <= room;
}

// `memory`, or at most kPackedAlignment - 1 bytes later.
std::byte* Aligned(float* memory) {
  const size_t past = reinterpret_cast<uintptr_t>(memory) % kPackedAlignment;
  return reinterpret_cast<std::byte*>(memory) +
         (past == 0 ? 0 : kPackedAlignment - past);
}

std::byte* CachedHead(const Heads& heads, const SentenceCaches& caches,
                      size_t layer, size_t head) {
  return Aligned(caches.cross_kv) +
         (layer * heads.count + head) * HeadBytes(heads, caches.source_tokens);
}

// The keys and values of a head.
struct Int8Head {
  Int8Head(const Heads& heads, size_t positions, const std::byte* data)
      : scale(heads.scale),
        keys{data, static_cast<uint32_t>(positions), heads.dim},
        values{data + MatrixBytes(positions, heads.dim), heads.dim,
               static_cast<uint32_t>(positions)} {}
  float scale;  // Of the queries.
  PackedMatrix keys, values;
};

// Packs keys [positions, dim], `stride` apart, and the values, A floats after
// them.
void PackHead(const StepContext& step, const Heads& heads, size_t positions,
              const float* keys, size_t stride, float* scratch,
              std::byte* out) {
  const Tile tile = step.engine.model.tile;
  const TileShape shape = ShapeOf(tile);
  const auto pack = [&](auto* kernel, size_t n, size_t k, const float* x) {
    constexpr WeightType kType = WeightType::kInt8;
    std::memset(out, 0, static_cast<size_t>(PackedBytes(kType, tile, n, k)));
    kernel(
        {.nr = shape.nr,
         .kr = shape.kr,
         .sr = shape.sr,
         .block_bytes = static_cast<size_t>(PackedBlockBytes(kType, tile, k)),
         .out = reinterpret_cast<char*>(out),
         .rows = positions,
         .dim = heads.dim,
         .x = x,
         .stride = stride,
         .scratch = scratch});
    out += MatrixBytes(n, k);
  };
  const VectorKernels& vector = *step.engine.vector;
  pack(vector.pack_int8_keys, positions, heads.dim, keys);
  pack(vector.pack_int8_values, heads.dim, positions, keys + heads.width());
}

// Some rows of one head, at most kQueryRows.
struct QueryRows {
  float* queries;  // Overwritten.
  size_t query_stride;
  int8_t* q;  // Room for them, `width` apart, as those of `out`.
  float* scratch;
  float* out;
  size_t width;
};

// rows.scratch [count, AttentionScoreStride(keys)] = the scores; reads the
// queries. `params` has an entry for each.
void ScoreHead(const StepContext& step, const Int8Head& head, size_t count,
               const QueryRows& rows, RowQuantization* params) {
  const GemmKernels& gemm = step.engine.gemm;
  QuantizeRows(gemm, count, head.keys.k, rows.queries, rows.query_stride,
               rows.q, rows.width, params);
  for (size_t r = 0; r < count; ++r) params[r].scale *= head.scale;
  GemmInt8(gemm, count, head.keys, 0, head.keys.n, rows.q, rows.width, params,
           rows.scratch, AttentionScoreStride(head.keys.n));
}

void AttendHead(const StepContext& step, const Int8Head& head, size_t count,
                const QueryRows& rows) {
  const GemmKernels& gemm = step.engine.gemm;
  const VectorKernels& vector = *step.engine.vector;
  const size_t dim = head.values.n;
  const size_t stride = AttentionScoreStride(head.keys.n);
  RowQuantization high[kQueryRows], low[kQueryRows];
  ScoreHead(step, head, count, rows, high);
  for (size_t r = 0; r < count; ++r) {
    const uint32_t sum =
        vector.softmax_bytes(head.keys.n, rows.scratch + r * stride);
    // No sum: the largest score is not finite, and the output becomes NaN.
    const float scale = sum == 0 ? std::numeric_limits<float>::quiet_NaN()
                                 : 1.0f / static_cast<float>(sum);
    low[r] = {-128, scale};
    high[r] = {-128, 256 * scale};
  }
  const auto* const bytes = reinterpret_cast<const int8_t*>(rows.scratch);
  GemmInt8(gemm, count, head.values, 0, head.values.n, bytes + 2 * stride,
           4 * stride, high, rows.out, rows.width);
  GemmInt8(gemm, count, head.values, 0, head.values.n, bytes + 3 * stride,
           4 * stride, low, rows.queries, rows.query_stride);
  for (size_t r = 0; r < count; ++r) {
    vector.add(dim, rows.queries + r * rows.query_stride,
               rows.out + r * rows.width);
  }
}

// Calls run(scratch, begin, end) for shares of the heads.
template <typename Run>
void ForEachHeadRange(const StepContext& step, const Heads& heads,
                      const Run& run) {
  step.engine.threads.ForEachShard([&](uint32_t shard, uint32_t shards) {
    run(step.workspace.attention_scratch +
            shard * step.workspace.scratch_stride,
        heads.count * shard / shards, heads.count * (shard + 1) / shards);
  });
}

}  // namespace

bool AttendsInInt8(const Engine& engine, const Heads& heads, size_t positions) {
  if (!engine.architecture().reads_speech() ||
      !IsInteger(engine.model.weight_type)) {
    return false;
  }
  return FitInt8(heads, positions, sizeof(CacheNumber));
}

bool KeepsInt8(const Architecture& a, size_t positions, size_t number_bytes) {
  const Heads heads = DecoderHeads(a);
  if (!a.reads_speech() || heads.dim % 16 != 0 ||
      a.encoder_heads != heads.count || a.encoder_head_dim != heads.dim ||
      !FitInt8(heads, positions, number_bytes)) {
    return false;
  }
  const uint64_t all =
      PackedCrossBytes(a.decoder_layers, heads.count, heads.dim, positions);
  // Short windows are kept as floats, whose memory grows with their length.
  size_t longest = positions;
  while (longest > 0 && FitInt8(heads, longest, number_bytes)) --longest;
  return a.decoder_layers * longest * 2 * heads.width() * number_bytes <= all;
}

void AttendInt8(const StepContext& step, const Heads& heads, size_t rows,
                float* qkv, float* packed, float* out) {
  const size_t width = heads.width();
  ForEachHeadRange(step, heads, [&](float* scratch, size_t begin, size_t end) {
    std::byte* const head = Aligned(packed) + begin * HeadBytes(heads, rows);
    for (size_t h = begin; h < end; ++h) {
      float* const queries = qkv + h * heads.dim;
      PackHead(step, heads, rows, queries + width, 3 * width, scratch, head);
      for (size_t row = 0; row < rows; row += kQueryRows) {
        AttendHead(step, {heads, rows, head},
                   std::min<size_t>(kQueryRows, rows - row),
                   {.queries = queries + row * 3 * width,
                    .query_stride = 3 * width,
                    .q = step.workspace.quantized + h * heads.dim,
                    .scratch = scratch,
                    .out = out + row * width + h * heads.dim,
                    .width = width});
      }
    }
  });
}

void FillInt8Cache(const StepContext& step, const Heads& heads, const float* kv,
                   const SentenceCaches& caches, uint32_t layer) {
  const size_t positions = caches.source_tokens;
  ForEachHeadRange(step, heads, [&](float* scratch, size_t begin, size_t end) {
    for (size_t h = begin; h < end; ++h) {
      PackHead(step, heads, positions, kv + h * heads.dim, 2 * heads.width(),
               scratch, CachedHead(heads, caches, layer, h));
    }
  });
}

void AttendInt8Row(const StepContext& step, const Heads& heads,
                   const SentenceCaches& caches, uint32_t layer, float* query,
                   float* out) {
  const size_t positions = caches.source_tokens;
  ForEachHeadRange(step, heads, [&](float* scratch, size_t begin, size_t end) {
    for (size_t h = begin; h < end; ++h) {
      AttendHead(step, {heads, positions, CachedHead(heads, caches, layer, h)},
                 1,
                 {.queries = query + h * heads.dim,
                  .query_stride = heads.width(),
                  .q = step.workspace.quantized + h * heads.dim,
                  .scratch = scratch,
                  .out = out + h * heads.dim,
                  .width = heads.width()});
    }
  });
}

void ScoreInt8Row(const StepContext& step, const Heads& heads,
                  const SentenceCaches& caches, uint32_t layer, uint32_t head,
                  float* query, float* scores) {
  RowQuantization params;
  ScoreHead(
      step,
      {heads, caches.source_tokens, CachedHead(heads, caches, layer, head)}, 1,
      {.queries = query,
       .query_stride = heads.dim,
       .q = step.workspace.quantized,
       .scratch = scores,
       .out = nullptr,
       .width = heads.dim},
      &params);
}

}  // namespace latimer
