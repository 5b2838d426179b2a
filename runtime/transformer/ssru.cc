#include "transformer/ssru.h"

#include <algorithm>

#include "transformer/layers.h"
#include "transformer/linear.h"

namespace latimer {

void SsruSublayer(RunContext& context, uint32_t index, size_t position,
                  float* x) {
  Workspace& workspace = *context.workspace;
  const DecoderLayer& layer = context.model.tensors.decoder[index];
  const size_t d = context.model.info.architecture.d_model;
  float* state = workspace.self_kv + index * d;
  if (position == 0) std::fill_n(state, d, 0.0f);
  const float* input = SublayerInput(context, layer.self_norm, 1, x);
  // [2D]: candidate, gate.
  float* candidate = workspace.projection;
  float* gate = candidate + d;
  ApplyLinear(context, layer.ssru_in, PrepareInput(context, input, 1, d),
              candidate);
  context.vector->activate(Activation::kSigmoid, d, gate);
  float* output = workspace.sublayer;
  for (size_t i = 0; i < d; ++i) {
    state[i] = gate[i] * state[i] + (1.0f - gate[i]) * candidate[i];
    output[i] = state[i] > 0.0f ? state[i] : 0.0f;
  }
  FinishSublayer(context, layer.self_norm, 1, output, x);
}

}  // namespace latimer
