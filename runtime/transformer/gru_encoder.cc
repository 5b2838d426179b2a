#include "transformer/gru_encoder.h"

#include <algorithm>
#include <cstring>

#include "transformer/gru.h"
#include "transformer/linear.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// The last state of `layer` in one direction, for the decoder layers that start
// from it.
void KeepState(RunContext& context, const SentenceCaches& caches,
               uint32_t layer, uint32_t direction, const float* state) {
  const Architecture& a = context.model.info.architecture;
  const Recurrent& r = a.recurrent;
  if (r.initial_state != InitialState::kEncoderStates) return;
  const uint32_t number = layer * r.directions() + direction;
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    if (r.first_state + i * r.state_step != number) continue;
    std::memcpy(GruState(context, caches, i), state,
                r.encoder_hidden * sizeof(float));
  }
}

// x [S, directions * H] = what the layer gives for x [S, its inputs].
void RunLayer(RunContext& context, const SentenceCaches& caches, uint32_t index,
              size_t rows, float* x) {
  const Recurrent& r = context.model.info.architecture.recurrent;
  const GruLayer& layer = context.model.tensors.recurrent.encoder[index];
  const size_t h = r.encoder_hidden;
  const size_t width = r.encoder_width();
  // Of all rows and directions at once.
  float* input = context.workspace->projection;
  ApplyLinear(context, layer.input,
              PrepareInput(context, x, rows, layer.input.k), input);
  float* gates = context.workspace->sublayer;
  float* zero = gates + GruGates(h);
  std::fill_n(zero, h, 0.0f);
  for (uint32_t direction = 0; direction < r.directions(); ++direction) {
    const float* before = zero;
    for (size_t i = 0; i < rows; ++i) {
      const size_t row = direction == 0 ? i : rows - 1 - i;
      float* after = x + row * width + direction * h;
      StepGru(context, layer.hidden[direction],
              input + row * layer.input.n + direction * GruGates(h), before,
              gates, after);
      before = after;
    }
    KeepState(context, caches, index, direction, before);
  }
}

// The last state of each direction, side by side, through a projection.
void ProjectStates(RunContext& context, const SentenceCaches& caches,
                   size_t rows, const float* x) {
  const Recurrent& r = context.model.info.architecture.recurrent;
  const Linear& projection = context.model.tensors.recurrent.initial_state;
  const size_t h = r.encoder_hidden;
  const size_t width = r.encoder_width();
  float* last = context.workspace->sublayer;
  std::memcpy(last, x + (rows - 1) * width, h * sizeof(float));
  if (r.bidirectional) std::memcpy(last + h, x + h, h * sizeof(float));
  float* state = GruState(context, caches, 0);
  ApplyLinear(context, projection, PrepareInput(context, last, 1, width),
              state);
  context.vector->activate(Activation::kTanh, r.decoder_hidden, state);
}

// x [S, H] = the halves of x [S, 2H], added.
void AddDirections(size_t rows, size_t h, float* x) {
  for (size_t row = 0; row < rows; ++row) {
    const float* both = x + row * 2 * h;
    float* sum = x + row * h;
    for (size_t i = 0; i < h; ++i) sum[i] = both[i] + both[h + i];
  }
}

}  // namespace

void RunGruEncoder(RunContext& context, std::span<const int32_t> source,
                   const SentenceCaches& caches) {
  const Architecture& a = context.model.info.architecture;
  const Recurrent& r = a.recurrent;
  const size_t rows = source.size();
  float* x = context.workspace->hidden;
  for (size_t i = 0; i < rows; ++i) {
    LookUpRow(context, context.model.tensors.source_embedding,
              static_cast<uint32_t>(source[i]), x + i * r.source_embedding);
  }
  context.clock.Lap(Operation::kEmbedding);
  if (r.initial_state == InitialState::kZero) {
    std::fill_n(GruState(context, caches, 0),
                size_t{a.decoder_layers} * r.decoder_hidden, 0.0f);
  }
  for (uint32_t i = 0; i < a.encoder_layers; ++i) {
    RunLayer(context, caches, i, rows, x);
    ProbeOutput(ProbePoint::kEncoderLayer, i, x, rows * r.encoder_width());
  }
  if (r.initial_state == InitialState::kProjected) {
    ProjectStates(context, caches, rows, x);
  }
  if (r.directions_added) AddDirections(rows, r.encoder_hidden, x);
  if (x != caches.cross_kv) {
    std::memcpy(caches.cross_kv, x, rows * r.memory_width() * sizeof(float));
  }
  context.clock.Lap(Operation::kRecurrent);
}

}  // namespace latimer
