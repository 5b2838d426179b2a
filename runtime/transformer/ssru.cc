#include "transformer/ssru.h"

#include <algorithm>

#include "transformer/layers.h"
#include "transformer/linear.h"

namespace latimer {

void SsruSublayer(const Engine& engine, uint32_t index,
                  std::span<const DecoderRow> rows, float* x,
                  const Buffers& workspace, Trace& trace) {
  const DecoderLayer& layer = engine.model.tensors.decoder[index];
  const size_t d = engine.architecture().d_model;
  const size_t states = engine.architecture().decoder_layers * d;
  const float* input =
      SublayerInput(engine, layer.self_norm, rows.size(), x, workspace, trace);
  // [rows, 2D]: candidate, gate.
  float* projected = workspace.projection;
  ApplyLinear(engine, layer.ssru_in, input, rows.size(), workspace, projected);
  for (size_t row = 0; row < rows.size(); ++row) {
    float* before = rows[row].StatesBefore(states) + index * d;
    float* after = rows[row].StatesAfter(states) + index * d;
    if (rows[row].position == 0) std::fill_n(before, d, 0.0f);
    const float* candidate = projected + row * 2 * d;
    float* gate = projected + row * 2 * d + d;
    engine.vector->activate(Activation::kSigmoid, d, gate);
    float* output = workspace.sublayer + row * d;
    for (size_t i = 0; i < d; ++i) {
      after[i] = gate[i] * before[i] + (1.0f - gate[i]) * candidate[i];
      output[i] = after[i] > 0.0f ? after[i] : 0.0f;
    }
  }
  trace.Lap(Operation::kRecurrent);
  FinishSublayer(engine, layer.self_norm, rows.size(), workspace.sublayer, x,
                 trace);
}

}  // namespace latimer
