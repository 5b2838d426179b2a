// The first layers of an encoder that reads speech: frames to rows.
#ifndef LATIMER_TRANSFORMER_FRAMES_H_
#define LATIMER_TRANSFORMER_FRAMES_H_

#include <cstddef>

#include "transformer/step_context.h"

namespace latimer {

// x [rows, D] = activation(conv2(activation(conv1(frames)))) + positions, of
// the 2 * rows frames [mel_bins] in workspace.features. Both convolutions see
// three frames; the second one keeps every other row. As WhisperEncoder of
// transformers does. Works in workspace.projection and workspace.sublayer.
// Precondition: rows is at most the model's source_positions.
void EmbedFrames(const StepContext& step, size_t rows, float* x);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_FRAMES_H_
