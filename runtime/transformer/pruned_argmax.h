// The best token without all logits: upper bounds from half of the output
// matrix, then the logits that may be the best; see ops/nibble/planes.h.
#ifndef LATIMER_TRANSFORMER_PRUNED_ARGMAX_H_
#define LATIMER_TRANSFORMER_PRUNED_ARGMAX_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/run_context.h"
#include "transformer/search_rules.h"

namespace latimer {

// All for a model with a pruned argmax, after PrepareInput of the rows that the
// output matrix multiplies, which must stay. A row is its place among them.

// Rows that are bounded at a time, at most. Bounds of 16 fit where the logits
// of one row stand otherwise, those of more if the model's vocabulary leaves
// room.
inline constexpr size_t kMostBoundedRows = 32;
size_t MostBoundedRows(const RunContext& context);

enum class Bounds : uint8_t {
  kHighNibbles,  // Reads half of the matrix, and leaves more to compute.
  kExact,        // The largest logits themselves: where many rows share the
                 // reading, or where bounds are known to tell little.
};

// workspace.logits [rows.size(), NibbleBlocks(V)] = bounds of the logits of
// each row, one for 16 tokens. The matrix is read once.
void BoundLogits(RunContext& context, std::span<const uint32_t> rows,
                 Bounds bounds);

// workspace.logits [V] = the logits of one row.
void UnprunedLogits(RunContext& context, uint32_t row);

struct BestToken {
  size_t token;
  float logit;
  size_t computed;  // Logits that were computed to find it.
};

// What argmax of the logits of rows[i] would give after ApplyRules, the same
// token of equal ones and the same bits; 0 with -inf where all are banned. To
// be called once for each row of BoundLogits. The rules have no repetition
// penalty.
BestToken FindBestToken(RunContext& context, std::span<const uint32_t> rows,
                        size_t i, const SearchRules& rules,
                        const Prefix& prefix);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_PRUNED_ARGMAX_H_
