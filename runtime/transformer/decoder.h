// The Transformer's decoder: reads a target token of each sentence and returns
// the input of the output matrix.
#ifndef LATIMER_TRANSFORMER_DECODER_H_
#define LATIMER_TRANSFORMER_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/buffers.h"
#include "transformer/caches.h"
#include "transformer/engine.h"
#include "transformer/trace.h"

namespace latimer {

// One target token of one sentence. `position` counts from 0, which is
// decoder_start; a sentence's positions come in order.
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

// caches.cross_kv [L, S, 2A] = the keys and values of encoder_out [S, D] that
// every decoder layer attends to.
void FillCrossKv(const Engine& engine, const float* encoder_out,
                 const SentenceCaches& caches, const Buffers& workspace);

// StepDecoder (network.h) of a Transformer, with self-attention or an SSRU.
DecoderOutput StepTransformerDecoder(const Engine& engine,
                                     std::span<const DecoderRow> rows,
                                     const Buffers& workspace, Trace& trace);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_DECODER_H_
