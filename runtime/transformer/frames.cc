#include "transformer/frames.h"

#include <algorithm>
#include <cstring>

#include "latimer/profile_config.h"
#include "transformer/linear.h"

namespace latimer {
namespace {

// What a convolution sees of its input.
constexpr size_t kFrames = 3;

// y [rows, conv.n] = activation(conv(input)): row i reads the kFrames rows of
// `input` from i * stride on, as one. They are copied for as many rows at a
// time as there is room for, in workspace.sublayer.
[[maybe_unused]] void Convolve(const StepContext& step, const Linear& conv,
                               const float* input, size_t stride, size_t rows,
                               float* y) {
  const size_t width = conv.k / kFrames;
  float* const copies = step.workspace.sublayer;
  const Architecture& a = step.engine.architecture();
  const size_t positions = step.workspace.most_speech_positions;
  const size_t most =
      std::min<size_t>(positions, positions * a.d_model / conv.k);
  for (size_t begin = 0; begin < rows; begin += most) {
    const size_t count = std::min(most, rows - begin);
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(copies + i * conv.k, input + (begin + i) * stride * width,
                  conv.k * sizeof(float));
    }
    ApplyLinear(step, conv, copies, count, y + begin * conv.n);
  }
  step.engine.vector->activate(a.activation, rows * conv.n, y);
}

}  // namespace

void EmbedFrames(const StepContext& step, size_t rows, float* x) {
  if constexpr (kProfile.speech()) {
    const Architecture& a = step.engine.architecture();
    const ModelTensors& t = step.engine.model.tensors;
    const size_t d = a.d_model;
    const size_t bins = a.mel_bins;
    // A frame of zeros before the first and after the last one, of the first
    // convolution's output, too.
    float* const frames = step.workspace.features;
    std::fill_n(frames - bins, bins, 0.0f);
    std::fill_n(frames + 2 * rows * bins, bins, 0.0f);
    float* const inner = step.workspace.projection;
    std::fill_n(inner, d, 0.0f);
    Convolve(step, t.conv1, frames - bins, 1, 2 * rows, inner + d);
    Convolve(step, t.conv2, inner, 2, rows, x);
    step.engine.vector->add(rows * d, t.source_positions, x);
    step.trace.Lap(Operation::kEmbedding);
  }
}

}  // namespace latimer
