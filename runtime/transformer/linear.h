// Projections: y = x W^T + b on XNNPACK's kernels, split among the threads.
#ifndef LATIMER_TRANSFORMER_LINEAR_H_
#define LATIMER_TRANSFORMER_LINEAR_H_

#include <cstddef>
#include <cstdint>

#include "transformer/run_context.h"

namespace latimer {

// Output channels go to threads in multiples of this: every tile's nr divides
// it, and so do the 16 floats of a cache line.
inline constexpr uint32_t kChannelBlock = 16;

// Rows that projections read: f32 as they are, or quantized for int8 weights.
// Valid until the next PrepareInput or until the rows change.
struct LinearInput {
  const float* values;  // [rows, columns]
  size_t rows;
  size_t columns;
};

// Makes x [rows, columns] ready. For int8 weights each row is quantized here,
// once for all projections that read it, into the workspace.
LinearInput PrepareInput(RunContext& context, const float* x, size_t rows,
                         size_t columns);

// y [rows, linear.n] = input * W^T + b. y may not overlap the input.
void ApplyLinear(RunContext& context, const Linear& linear,
                 const LinearInput& input, float* y);

// As ApplyLinear, for one row of input, but only the channels whose bits are in
// `masks`, 16 in each, are computed. The others become -inf; those of a mask
// that is 0 must be so before, and take no time.
void ApplyMaskedLinear(RunContext& context, const Linear& linear,
                       const LinearInput& input, const uint16_t* masks,
                       float* y);

// workspace.logits [V] = the output projection of x [columns]; of the
// candidates of the sentence alone, the others -inf, where the model has a
// shortlist.
void ComputeOutput(RunContext& context, const float* x, size_t columns,
                   const SentenceCaches& caches);

// The output projection of several rows for tokens [begin, end) alone, without
// shortlist and pruned argmax: workspace.logits [rows, end - begin]. `begin` is
// a multiple of kChannelBlock; there are at most MostWindowTokens.
void ComputeLogitWindow(RunContext& context, const LinearInput& input,
                        uint32_t begin, uint32_t end);
uint32_t MostWindowTokens(const RunContext& context, size_t rows);

// row [k] of an embedding, from the packed matrix.
void LookUpRow(const RunContext& context, const Linear& embedding,
               uint32_t token, float* row);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_LINEAR_H_
