// Keeping attention weights and token scores while translating: insight.h.
//
// What the profile leaves out is not compiled in.
#ifndef LATIMER_TRANSFORMER_CAPTURE_H_
#define LATIMER_TRANSFORMER_CAPTURE_H_

#include <cstddef>
#include <cstdint>

#include "latimer/insight.h"
#include "latimer/model_info.h"
#include "latimer/status.h"
#include "transformer/run_context.h"

namespace latimer {

// Weights of one kind that a sentence has, with `rows` rows.
uint64_t AttentionWeightCount(const Architecture& a, AttentionKind kind,
                              size_t source_tokens, size_t rows);

// Prepares context.capture for a sentence; kNone: nothing is kept. Errors:
// kFailedPrecondition (not in this build's profile), kInvalidArgument (the
// model has no such attention).
Status BeginCapture(RunContext& context, AttentionKind kind,
                    size_t source_tokens);

// Keeps the weights of every head of one row, which lie `stride` floats apart,
// if `kind` is what is kept. Rows, and of a row layers, come in order. Rows
// that the buffer has no room for are left out and make EndCapture fail.
void CaptureRow(RunContext& context, AttentionKind kind, uint32_t layer,
                size_t row, const float* weights, size_t stride);

// Whether attention of this kind is being kept.
inline bool Captures(const RunContext& context, AttentionKind kind) {
  return kProfile.attention_weights > 0 && context.capture.kind == kind;
}

// What was kept. kTextTooLong where it was more than the buffer holds.
Status EndCapture(RunContext& context, AttentionWeights* out);

// Score of `token`, the best of `logits` [V], which are used up.
TokenScore ScoreToken(RunContext& context, size_t token, float* logits);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_CAPTURE_H_
