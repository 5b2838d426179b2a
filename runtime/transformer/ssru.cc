#include "transformer/ssru.h"

#include <algorithm>

#include "transformer/layers.h"
#include "transformer/linear.h"

namespace latimer {

void SsruSublayer(const StepContext& step, uint32_t index,
                  std::span<const DecoderRow> rows, float* x) {
  const DecoderLayer& layer = step.engine.model.tensors.decoder[index];
  const size_t d = step.engine.architecture().d_model;
  const size_t states = step.engine.architecture().decoder_layers * d;
  const float* input = SublayerInput(step, layer.self_norm, rows.size(), x);
  // [rows, 2D]: candidate, gate.
  float* projected = step.workspace.projection;
  ApplyLinear(step, layer.ssru_in, input, rows.size(), projected);
  for (size_t row = 0; row < rows.size(); ++row) {
    float* before = rows[row].StatesBefore(states) + index * d;
    float* after = rows[row].StatesAfter(states) + index * d;
    if (rows[row].position == 0) std::fill_n(before, d, 0.0f);
    const float* candidate = projected + row * 2 * d;
    float* gate = projected + row * 2 * d + d;
    step.engine.vector->activate(Activation::kSigmoid, d, gate);
    float* output = step.workspace.sublayer + row * d;
    for (size_t i = 0; i < d; ++i) {
      after[i] = gate[i] * before[i] + (1.0f - gate[i]) * candidate[i];
      output[i] = after[i] > 0.0f ? after[i] : 0.0f;
    }
  }
  step.trace.Lap(Operation::kRecurrent);
  FinishSublayer(step, layer.self_norm, rows.size(), step.workspace.sublayer,
                 x);
}

}  // namespace latimer
