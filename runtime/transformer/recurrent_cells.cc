#include "transformer/linear.h"
#include "transformer/recurrent.h"

namespace latimer {
namespace {

// `gates` are W_h h + b_h.
[[maybe_unused]] void FinishGru(const Engine& engine, size_t h,
                                const float* input, const float* before,
                                float* gates, float* after) {
  const float* reset = gates;
  const float* update = gates + h;
  float* candidate = gates + 2 * h;
  engine.vector->add(2 * h, input, gates);
  engine.vector->activate(Activation::kSigmoid, 2 * h, gates);
  for (size_t i = 0; i < h; ++i) {
    candidate[i] = input[2 * h + i] + reset[i] * candidate[i];
  }
  engine.vector->activate(Activation::kTanh, h, candidate);
  for (size_t i = 0; i < h; ++i) {
    after[i] = (1.0f - update[i]) * candidate[i] + update[i] * before[i];
  }
}

[[maybe_unused]] void FinishLstm(const Engine& engine, size_t h,
                                 const float* input, const float* cell,
                                 float* gates, const CellState& after) {
  const float* keep_new = gates;
  const float* keep_old = gates + h;
  float* candidate = gates + 2 * h;
  float* output = gates + 3 * h;
  engine.vector->add(4 * h, input, gates);
  engine.vector->activate(Activation::kSigmoid, 2 * h, gates);
  engine.vector->activate(Activation::kTanh, h, candidate);
  engine.vector->activate(Activation::kSigmoid, h, output);
  for (size_t i = 0; i < h; ++i) {
    after.cell[i] = keep_old[i] * cell[i] + keep_new[i] * candidate[i];
    candidate[i] = after.cell[i];
  }
  engine.vector->activate(Activation::kTanh, h, candidate);
  for (size_t i = 0; i < h; ++i) after.hidden[i] = output[i] * candidate[i];
}

}  // namespace

void ActivateLayer(const Engine& engine, LayerActivation f, size_t n,
                   float* x) {
  switch (f) {
    case LayerActivation::kNone:
      return;
    case LayerActivation::kTanh:
      engine.vector->activate(Activation::kTanh, n, x);
      return;
    case LayerActivation::kRelu:
      engine.vector->activate(Activation::kRelu, n, x);
      return;
    case LayerActivation::kLeakyRelu: {
      const float slope = engine.architecture().recurrent.negative_slope;
      for (size_t i = 0; i < n; ++i) x[i] = x[i] < 0 ? slope * x[i] : x[i];
      return;
    }
  }
}

void StepCell(const StepContext& step, const Linear& hidden, const float* input,
              const CellState& before, float* gates, const CellState& after) {
  const size_t h = hidden.k;
  ApplyLinear(step, hidden, before.hidden, 1, gates);
  if (step.engine.architecture().recurrent.has_cells) {
    if constexpr (kProfile.decoder_lstm) {
      FinishLstm(step.engine, h, input, before.cell, gates, after);
    }
  } else if constexpr (kProfile.decoder_gru) {
    FinishGru(step.engine, h, input, before.hidden, gates, after.hidden);
  }
}

}  // namespace latimer
