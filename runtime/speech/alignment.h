// When the tokens of a text are heard in a window of speech: from the
// cross-attention of some heads, by dynamic time warping, as in
// find_alignment() of OpenAI's program.
#ifndef LATIMER_SPEECH_ALIGNMENT_H_
#define LATIMER_SPEECH_ALIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/caches.h"
#include "transformer/step_context.h"

namespace latimer {

struct AlignedToken {
  uint32_t position = 0;     // Of the encoder: where the token begins.
  float probability = 0.0f;  // After the tokens before it, among those of text.
};

// Sets the positions of tokens whose queries the trace keeps: those of
// `tokens.size()` rows from `first` on, each of which predicts one. A row may
// follow them. They are sought in the first `positions` of the window. Works in
// workspace.projection, attention_scratch, sublayer and quantized.
void AlignTokens(const StepContext& step, const SentenceCaches& caches,
                 size_t first, size_t positions,
                 std::span<AlignedToken> tokens);

// The steps of AlignTokens after the attention.

// x [rows, columns] = (x - mean) / deviation, of each column; 0 where that is
// 0. `scratch` has 2 * columns floats.
void NormalizeColumns(size_t rows, size_t columns, float* x, float* scratch);

// y += the medians of seven numbers around each one of x, which is reflected at
// its ends; of fewer than four, x itself. `scratch` has x.size() + 22 floats.
void AddMedians(std::span<const float> x, float* scratch, float* y);

// Finds the path through x [rows.size(), columns] from the first to the last
// number with the largest sum; each step goes to the next row, the next column
// or both. rows[i].position becomes the first column in row i. Overwrites x.
void FindPath(size_t columns, float* x, std::span<AlignedToken> rows);

}  // namespace latimer

#endif  // LATIMER_SPEECH_ALIGNMENT_H_
