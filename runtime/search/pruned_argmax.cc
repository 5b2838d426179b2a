#include "search/pruned_argmax.h"

#include <algorithm>

#include "base/check.h"

namespace latimer {
namespace {

// The number of blocks that are computed in the order of their bounds.
constexpr int kLikelyBlocks = 4;

static_assert(Elements(Buffer::kLogits, sizeof(float)) >=
              RoundUp(kProfile.target_vocabulary, kNibbleBlockRows));

NibbleProduct OutputProduct(const Engine& engine, const LinearInput& row) {
  const Linear& output = engine.model.tensors.output;
  LATIMER_DCHECK(output.nibbles && row.rows == 1);
  return MakeNibbleProduct(*engine.nibble, output, output.bias, row.quantized,
                           row.quantization->zero_point,
                           row.quantization->scale);
}

// Calls run(begin, end) for ranges of `blocks` blocks, on all threads.
template <typename Run>
void ForEachRange(const Engine& engine, size_t blocks, const Run& run) {
  engine.threads.ForEachShard([&](uint32_t shard, uint32_t shards) {
    run(blocks * shard / shards, blocks * (shard + 1) / shards);
  });
}

}  // namespace

size_t MostBoundedRows(const Linear& output) {
  constexpr size_t kFloats = Elements(Buffer::kLogits, sizeof(float));
  return std::min<size_t>(kFloats / NibbleBlocks(output.n), kMostBoundedRows);
}

void BoundLogits(const Engine& engine, const LinearInput& input,
                 std::span<const uint32_t> rows, Bounds kind, float* bounds) {
  const Linear& output = engine.model.tensors.output;
  LATIMER_DCHECK(rows.size() <= MostBoundedRows(output));
  NibbleProduct products[kMostBoundedRows];
  for (size_t i = 0; i < rows.size(); ++i) {
    products[i] = OutputProduct(engine, input.Row(rows[i]));
  }
  const size_t blocks = NibbleBlocks(output.n);
  const auto kernel =
      kind == Bounds::kExact ? engine.nibble->maximum : engine.nibble->bound;
  ForEachRange(engine, blocks, [&](size_t begin, size_t end) {
    kernel(products, rows.size(), begin, end, bounds + begin, blocks);
  });
}

size_t ComputeUnprunedLogits(const Engine& engine, const LinearInput& input,
                             size_t begin, size_t end, float* logits) {
  const size_t first = begin / kNibbleBlockRows;
  const size_t blocks = NibbleBlocks(end) - first;
  const size_t stride = blocks * kNibbleBlockRows;
  ForEachRange(engine, blocks, [&](size_t from, size_t to) {
    for (size_t i = 0; i < input.rows; ++i) {
      engine.nibble->compute(OutputProduct(engine, input.Row(i)), first + from,
                             first + to,
                             logits + i * stride + from * kNibbleBlockRows);
    }
  });
  return stride;
}

BestToken FindBestToken(const Engine& engine, const LinearInput& input,
                        const SearchOptions& options, const Prefix& prefix,
                        float* bounds) {
  const NibbleProduct product = OutputProduct(engine, input);
  const size_t blocks = NibbleBlocks(product.n);
  BestToken best = {0, kBannedLogit, 0};
  // Whether the block may have a better token, or the same logit earlier.
  const auto matters = [&](size_t block) {
    return bounds[block] >= best.logit && bounds[block] > kBannedLogit;
  };
  const auto compute = [&](size_t block) {
    float logits[kNibbleBlockRows];
    engine.nibble->compute(product, block, block + 1, logits);
    const size_t first = block * kNibbleBlockRows;
    const size_t size = std::min(product.n - first, size_t{kNibbleBlockRows});
    ProcessLogits(options, prefix, {logits, first, size});
    for (size_t i = 0; i < size; ++i) {
      const size_t token = first + i;
      if (logits[i] > best.logit ||
          (logits[i] == best.logit && token < best.token)) {
        best.token = token;
        best.logit = logits[i];
      }
    }
    best.computed += size;
    bounds[block] = kBannedLogit;
  };
  // The best token is probably where the bounds are highest, and the higher the
  // best logit so far, the fewer of the other blocks matter.
  for (int likely = 0; likely < kLikelyBlocks; ++likely) {
    const size_t block = engine.vector->argmax(blocks, bounds);
    if (!matters(block)) return best;
    compute(block);
  }
  for (size_t block = 0; block < blocks; ++block) {
    if (matters(block)) compute(block);
  }
  return best;
}

}  // namespace latimer
