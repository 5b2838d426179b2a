#include "transformer/gru.h"

#include "transformer/linear.h"

namespace latimer {

void StepGru(const Engine& engine, const Linear& hidden, const float* input,
             const float* before, float* gates, float* after,
             const Buffers& workspace) {
  const size_t h = hidden.k;
  ApplyLinear(engine, hidden, before, 1, workspace, gates);
  float* reset = gates;
  float* update = gates + h;
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

}  // namespace latimer
