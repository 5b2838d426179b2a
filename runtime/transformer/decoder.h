// The Transformer's decoder: reads a target token of each sentence and returns
// the input of the output matrix.
#ifndef LATIMER_TRANSFORMER_DECODER_H_
#define LATIMER_TRANSFORMER_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/caches.h"
#include "transformer/step_context.h"

namespace latimer {

// One target token of one sentence. `position` counts from 0, which is
// decoder_start; a sentence's positions come in order. With beams, each is a
// row.
struct DecoderRow {
  const SentenceCaches* caches;
  int32_t token;  // -1: its embedding is zero.
  uint32_t position;
  // With beams: which of them this row was at each position, this one included,
  // [position + 1]; null without.
  const uint8_t* ancestors = nullptr;
  AlignedRow aligned = {};

  bool is_beam() const { return kProfile.beams > 1 && ancestors != nullptr; }
  // Where its keys and values are in caches.self_kv.
  size_t self_row() const {
    return is_beam() ? position * caches->beams + ancestors[position]
                     : position;
  }
  // The states, of `size` floats, before and after this position. Without beams
  // they are the same memory.
  float* StatesBefore(size_t size) const {
    const size_t beam =
        position == 0 || !is_beam() ? 0 : ancestors[position - 1];
    return States(position, beam, size);
  }
  float* StatesAfter(size_t size) const {
    return States(position + 1, is_beam() ? ancestors[position] : 0, size);
  }

 private:
  float* States(size_t count, size_t beam, size_t size) const {
    const size_t set = is_beam() ? count % 2 * caches->beams : 0;
    return caches->self_kv + (set + beam) * size;
  }
};

// What the output matrix multiplies: x [rows, columns].
struct DecoderOutput {
  const float* x;
  size_t columns;
};

// caches.cross_kv [L, S, 2A] = the keys and values of encoder_out [S, D] that
// every decoder layer attends to.
void FillCrossKv(const StepContext& step, const float* encoder_out,
                 const SentenceCaches& caches);

// weights [positions] = the softmax over the first positions of speech of what
// `head`, one of ModelDescription::speech_heads, asks with `query` [head_dim].
// Works in workspace.attention_scratch, sublayer and quantized.
void WeighSpeech(const StepContext& step, const SentenceCaches& caches,
                 uint32_t head, float* query, std::span<float> weights);

// StepDecoder (network.h) of a Transformer, with self-attention or an SSRU.
DecoderOutput StepTransformerDecoder(const StepContext& step,
                                     std::span<const DecoderRow> rows);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_DECODER_H_
