#include "transformer/gru.h"

#include "transformer/linear.h"

namespace latimer {

void StepGru(RunContext& context, const Linear& hidden, const float* input,
             const float* before, float* gates, float* after) {
  const size_t h = hidden.k;
  ApplyLinear(context, hidden, PrepareInput(context, before, 1, h), gates);
  float* reset = gates;
  float* update = gates + h;
  float* candidate = gates + 2 * h;
  context.vector->add(2 * h, input, gates);
  context.vector->activate(Activation::kSigmoid, 2 * h, gates);
  for (size_t i = 0; i < h; ++i) {
    candidate[i] = input[2 * h + i] + reset[i] * candidate[i];
  }
  context.vector->activate(Activation::kTanh, h, candidate);
  for (size_t i = 0; i < h; ++i) {
    after[i] = (1.0f - update[i]) * candidate[i] + update[i] * before[i];
  }
}

float* GruState(const RunContext& context, const SentenceCaches& caches,
                uint32_t layer) {
  const Recurrent& r = context.model.info.architecture.recurrent;
  return caches.self_kv + size_t{layer} * r.decoder_hidden;
}

}  // namespace latimer
