#include "transformer/pruned_argmax.h"

#include <limits>

#include "base/check.h"

namespace latimer {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr size_t kGroupBlocks = kNibbleGroupRows / kNibbleBlockRows;

static_assert(Elements(Buffer::kLogits, sizeof(float)) >=
              (kProfile.pruned_argmax
                   ? RoundUp(kProfile.target_vocabulary, kNibbleBlockRows) +
                         (kProfile.target_vocabulary + kNibbleGroupRows - 1) /
                             kNibbleGroupRows
                   : 0));

// The largest bound of each group, behind those of the longest vocabulary.
float* GroupBounds(Workspace& workspace) {
  return workspace.logits +
         RoundUp(kProfile.target_vocabulary, kNibbleBlockRows);
}

NibbleProduct OutputProduct(const RunContext& context) {
  const Workspace& workspace = *context.workspace;
  const Linear& output = context.model.tensors.output;
  LATIMER_DCHECK(output.nibbles);
  const auto* row =
      reinterpret_cast<const RowQuantization*>(workspace.row_quantization);
  return MakeNibbleProduct(output, output.bias, workspace.quantized,
                           row->zero_point, row->scale);
}

// Calls run(group, first block, end block) for all groups, on all threads.
template <typename Run>
void ForEachGroup(RunContext& context, const Run& run) {
  const size_t blocks = NibbleBlocks(context.model.tensors.output.n);
  const size_t groups = (blocks + kGroupBlocks - 1) / kGroupBlocks;
  context.threads.ForEachPart([&](uint32_t part, uint32_t parts) {
    for (size_t group = groups * part / parts;
         group < groups * (part + 1) / parts; ++group) {
      const size_t begin = group * kGroupBlocks;
      const size_t end =
          blocks - begin < kGroupBlocks ? blocks : begin + kGroupBlocks;
      run(group, begin, end);
    }
  });
}

}  // namespace

void BoundLogits(RunContext& context) {
  const NibbleProduct product = OutputProduct(context);
  float* bounds = context.workspace->logits;
  float* group_bounds = GroupBounds(*context.workspace);
  ForEachGroup(context, [&](size_t group, size_t begin, size_t end) {
    group_bounds[group] = context.nibble->bound(
        product, begin, end, bounds + begin * kNibbleBlockRows);
  });
}

void UnprunedLogits(RunContext& context) {
  const NibbleProduct product = OutputProduct(context);
  float* logits = context.workspace->logits;
  ForEachGroup(context, [&](size_t, size_t begin, size_t end) {
    context.nibble->compute(product, begin, end,
                            logits + begin * kNibbleBlockRows);
  });
}

BestToken FindBestToken(RunContext& context) {
  const NibbleProduct product = OutputProduct(context);
  const float* bounds = context.workspace->logits;
  float* group_bounds = GroupBounds(*context.workspace);
  const size_t groups = (product.n + kNibbleGroupRows - 1) / kNibbleGroupRows;
  const auto size_of = [&](size_t group) {
    const size_t rest = product.n - group * kNibbleGroupRows;
    return rest < kNibbleGroupRows ? rest : size_t{kNibbleGroupRows};
  };
  // The token of the highest bound is likely to be the best. The bound of its
  // group falls where the token that had it may not come.
  size_t likely;
  for (;;) {
    const size_t group = context.vector->argmax(groups, group_bounds);
    const size_t begin = group * kNibbleGroupRows;
    likely = begin + context.vector->argmax(size_of(group), bounds + begin);
    if (!(group_bounds[group] > bounds[likely])) break;
    group_bounds[group] = bounds[likely];
  }
  if (!(bounds[likely] > kNever)) return {likely, kNever, 0};
  BestToken best = {likely, context.nibble->compute_one(product, likely), 1};
  for (size_t group = 0; group < groups; ++group) {
    if (!(group_bounds[group] >= best.logit)) continue;
    const size_t begin = group * kNibbleGroupRows;
    for (size_t i = begin; i < begin + size_of(group); ++i) {
      if (!(bounds[i] >= best.logit) || i == likely) continue;
      const float logit = context.nibble->compute_one(product, i);
      ++best.computed;
      if (logit > best.logit || (logit == best.logit && i < best.token)) {
        best.token = i;
        best.logit = logit;
      }
    }
  }
  return best;
}

}  // namespace latimer
