// The best token without all logits: upper bounds from half of the output
// matrix, then only the logits that may be the best; see ops/nibble/planes.h.
//
// A step bounds the logits of each block of 16 tokens, for all lanes in one
// pass over the matrix. It computes the four blocks with the highest bounds,
// applies the logits processors, and then computes only those blocks whose
// bound reaches the best logit. Token and logit are those of a full argmax, to
// the bit and in ties.
//
// Token scores and a repetition penalty need all logits. They are computed from
// both planes, which takes up to 1.6 times as long as from a packed matrix.
#ifndef LATIMER_SEARCH_PRUNED_ARGMAX_H_
#define LATIMER_SEARCH_PRUNED_ARGMAX_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/logits_processors.h"
#include "transformer/linear.h"

namespace latimer {

// These functions need a model with a pruned argmax. `input` holds the
// quantized rows that the output matrix multiplies.

// The most rows whose bounds are computed at a time. Bounds are written to
// workspace.logits, which holds those of 16 rows, or of more if the model's
// vocabulary is smaller than the profile's.
inline constexpr size_t kMostBoundedRows = 32;
size_t MostBoundedRows(const Linear& output);

enum class Bounds : uint8_t {
  kHighNibbles,  // Reads half of the matrix and leaves more to compute.
  kExact,  // The largest logits themselves: for many rows, which share the
           // reading, or if bounds have excluded little (LearnFromStep in
           // choose_bounds.cc).
};

// bounds [rows.size(), NibbleBlocks(V)] = bounds of the logits of these rows of
// the input, one for each 16 tokens. The matrix is read once.
void BoundLogits(const Engine& engine, const LinearInput& input,
                 std::span<const uint32_t> rows, Bounds kind, float* bounds);

// logits = those of tokens [begin, end) of each row; `begin` is the first of a
// block. Returns the floats from one row of them to the next: whole blocks.
size_t ComputeUnprunedLogits(const Engine& engine, const LinearInput& input,
                             size_t begin, size_t end, float* logits);

struct BestToken {
  size_t token;
  float logit;
  size_t computed;  // Logits that were computed to find it.
};

// The argmax of the processed logits of the only row: the same token and the
// same bits as from all logits, the lowest id among equal logits; token 0 with
// -inf if all are banned. `bounds` [NibbleBlocks(V)] are those of the row, and
// are overwritten. Precondition: the options have no repetition penalty.
BestToken FindBestToken(const Engine& engine, const LinearInput& input,
                        const SearchOptions& options, const Prefix& prefix,
                        float* bounds);

}  // namespace latimer

#endif  // LATIMER_SEARCH_PRUNED_ARGMAX_H_
