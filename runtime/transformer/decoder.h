// The decoder: a target token of each sentence in, what the output matrix reads
// out.
#ifndef LATIMER_TRANSFORMER_DECODER_H_
#define LATIMER_TRANSFORMER_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/run_context.h"

namespace latimer {

// Projects encoder_out [S, D] in workspace.hidden to the keys and values that
// every decoder layer attends to, caches.cross_kv [L, S, 2A]. Once per
// sentence, after RunEncoder; encoder_out is not needed after it. A model of
// GRUs keeps its memory and adds keys, see FillGruKeys.
void FillCrossKv(RunContext& context, const SentenceCaches& caches);

// One target token of one sentence: number `position`, the first being
// decoder_start at 0. A sentence's come in order from 0.
struct DecoderRow {
  const SentenceCaches* caches;
  int32_t token;  // -1: its embedding is zero.
  size_t position;
};

// What the output matrix multiplies: x [rows, columns].
struct DecoderOutput {
  const float* x;
  size_t columns;
};

// Feeds a token of each of 1 to kProfile.lanes sentences and appends its keys
// and values to self_kv [L, self_rows, 2A]; each row gives what it would give
// alone. The output views the workspace, until the next step or encoder.
// Precondition: position < self_rows.
DecoderOutput StepDecoder(RunContext& context,
                          std::span<const DecoderRow> rows);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_DECODER_H_
