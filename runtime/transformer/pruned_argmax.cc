#include "transformer/pruned_argmax.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace latimer {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Blocks that are computed in the order of their bounds.
constexpr int kLikelyBlocks = 4;

static_assert(Elements(Buffer::kLogits, sizeof(float)) >=
              RoundUp(kProfile.target_vocabulary, kNibbleBlockRows));

NibbleProduct OutputProduct(const RunContext& context, uint32_t row) {
  const Workspace& workspace = *context.workspace;
  const Linear& output = context.model.tensors.output;
  LATIMER_DCHECK(output.nibbles);
  const RowQuantization& quantization =
      reinterpret_cast<const RowQuantization*>(workspace.row_quantization)[row];
  return MakeNibbleProduct(*context.nibble, output, output.bias,
                           workspace.quantized + size_t{row} * output.k,
                           quantization.zero_point, quantization.scale);
}

// Calls run(begin, end) for ranges of all blocks, on all threads.
template <typename Run>
void ForEachRange(RunContext& context, const Run& run) {
  const size_t blocks = NibbleBlocks(context.model.tensors.output.n);
  context.threads.ForEachShard([&](uint32_t part, uint32_t parts) {
    run(blocks * part / parts, blocks * (part + 1) / parts);
  });
}

}  // namespace

size_t MostBoundedRows(const RunContext& context) {
  constexpr size_t kFloats = Elements(Buffer::kLogits, sizeof(float));
  const size_t fit = kFloats / NibbleBlocks(context.model.tensors.output.n);
  return std::min(fit, kMostBoundedRows);
}

void BoundLogits(RunContext& context, std::span<const uint32_t> rows,
                 Bounds kind) {
  LATIMER_DCHECK(rows.size() <= MostBoundedRows(context));
  NibbleProduct products[kMostBoundedRows];
  for (size_t i = 0; i < rows.size(); ++i) {
    products[i] = OutputProduct(context, rows[i]);
  }
  const size_t blocks = NibbleBlocks(context.model.tensors.output.n);
  float* bounds = context.workspace->logits;
  const auto kernel =
      kind == Bounds::kExact ? context.nibble->maximum : context.nibble->bound;
  ForEachRange(context, [&](size_t begin, size_t end) {
    kernel(products, rows.size(), begin, end, bounds + begin, blocks);
  });
}

void UnprunedLogits(RunContext& context, uint32_t row) {
  const NibbleProduct product = OutputProduct(context, row);
  float* logits = context.workspace->logits;
  ForEachRange(context, [&](size_t begin, size_t end) {
    context.nibble->compute(product, begin, end,
                            logits + begin * kNibbleBlockRows);
  });
}

BestToken FindBestToken(RunContext& context, std::span<const uint32_t> rows,
                        size_t i, const SearchRules& rules,
                        const Prefix& prefix) {
  const NibbleProduct product = OutputProduct(context, rows[i]);
  const size_t blocks = NibbleBlocks(product.n);
  float* bounds = context.workspace->logits + i * blocks;
  BestToken best = {0, kNever, 0};
  // Whether the block may have a better token, or the same logit earlier.
  const auto matters = [&](size_t block) {
    return bounds[block] >= best.logit && bounds[block] > kNever;
  };
  const auto compute = [&](size_t block) {
    float logits[kNibbleBlockRows];
    context.nibble->compute(product, block, block + 1, logits);
    const size_t first = block * kNibbleBlockRows;
    const size_t size = std::min(product.n - first, size_t{kNibbleBlockRows});
    ApplyRules(rules, prefix, {logits, first, size});
    for (size_t lane = 0; lane < size; ++lane) {
      const size_t token = first + lane;
      if (logits[lane] > best.logit ||
          (logits[lane] == best.logit && token < best.token)) {
        best.token = token;
        best.logit = logits[lane];
      }
    }
    best.computed += size;
    bounds[block] = kNever;
  };
  // The best is likely to be where the bounds are highest; the higher the
  // logit that is known, the fewer blocks matter.
  for (int likely = 0; likely < kLikelyBlocks; ++likely) {
    const size_t block = context.vector->argmax(blocks, bounds);
    if (!matters(block)) return best;
    compute(block);
  }
  for (size_t block = 0; block < blocks; ++block) {
    if (matters(block)) compute(block);
  }
  return best;
}

}  // namespace latimer
