#include <algorithm>
#include <cstring>

#include "transformer/gru.h"
#include "transformer/linear.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// The last state of `layer` in one direction, for the decoder layers that start
// from it.
void KeepState(const Architecture& a, const SentenceCaches& caches,
               uint32_t layer, uint32_t direction, const float* state) {
  const Recurrent& r = a.recurrent;
  if (r.initial_state != InitialState::kEncoderStates) return;
  const uint32_t number = layer * r.directions() + direction;
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    if (r.first_state + i * r.state_step != number) continue;
    std::memcpy(GruState(r, caches.self_kv, i), state,
                r.encoder_hidden * sizeof(float));
  }
}

// x [S, directions * H] = the layer's output for x [S, its inputs].
void RunLayer(const Engine& engine, const SentenceCaches& caches,
              uint32_t index, size_t rows, float* x, const Buffers& workspace) {
  const Recurrent& r = engine.architecture().recurrent;
  const GruLayer& layer = engine.model.tensors.recurrent.encoder[index];
  const size_t h = r.encoder_hidden;
  const size_t width = r.encoder_width();
  // The input projections of all rows and directions.
  float* input = workspace.projection;
  ApplyLinear(engine, layer.input, x, rows, workspace, input);
  float* gates = workspace.sublayer;
  float* zero = gates + GruGates(h);
  std::fill_n(zero, h, 0.0f);
  for (uint32_t direction = 0; direction < r.directions(); ++direction) {
    const float* before = zero;
    for (size_t i = 0; i < rows; ++i) {
      const size_t row = direction == 0 ? i : rows - 1 - i;
      float* after = x + row * width + direction * h;
      StepGru(engine, layer.hidden[direction],
              input + row * layer.input.n + direction * GruGates(h), before,
              gates, after, workspace);
      before = after;
    }
    KeepState(engine.architecture(), caches, index, direction, before);
  }
}

// The decoder's first state = a projection of the last state of each direction.
void ProjectStates(const Engine& engine, const SentenceCaches& caches,
                   size_t rows, const float* x, const Buffers& workspace) {
  const Recurrent& r = engine.architecture().recurrent;
  const Linear& projection = engine.model.tensors.recurrent.initial_state;
  const size_t h = r.encoder_hidden;
  const size_t width = r.encoder_width();
  float* last = workspace.sublayer;
  std::memcpy(last, x + (rows - 1) * width, h * sizeof(float));
  if (r.bidirectional) std::memcpy(last + h, x + h, h * sizeof(float));
  float* state = GruState(r, caches.self_kv, 0);
  ApplyLinear(engine, projection, last, 1, workspace, state);
  engine.vector->activate(Activation::kTanh, r.decoder_hidden, state);
}

// x [S, H] = the sum of the halves of x [S, 2H].
void AddDirections(size_t rows, size_t h, float* x) {
  for (size_t row = 0; row < rows; ++row) {
    const float* both = x + row * 2 * h;
    float* sum = x + row * h;
    for (size_t i = 0; i < h; ++i) sum[i] = both[i] + both[h + i];
  }
}

}  // namespace

void RunGruEncoder(const Engine& engine, std::span<const int32_t> source,
                   const SentenceCaches& caches, const Buffers& workspace,
                   Trace& trace) {
  const Architecture& a = engine.architecture();
  const Recurrent& r = a.recurrent;
  const size_t rows = source.size();
  float* x = workspace.hidden;
  for (size_t i = 0; i < rows; ++i) {
    LookUpRow(engine.model, engine.model.tensors.source_embedding,
              static_cast<uint32_t>(source[i]), x + i * r.source_embedding);
  }
  trace.Lap(Operation::kEmbedding);
  if (r.initial_state == InitialState::kZero) {
    std::fill_n(GruState(r, caches.self_kv, 0),
                size_t{a.decoder_layers} * r.decoder_hidden, 0.0f);
  }
  for (uint32_t i = 0; i < a.encoder_layers; ++i) {
    RunLayer(engine, caches, i, rows, x, workspace);
    ProbeOutput(ProbePoint::kEncoderLayer, i, x, rows * r.encoder_width());
  }
  if (r.initial_state == InitialState::kProjected) {
    ProjectStates(engine, caches, rows, x, workspace);
  }
  if (r.directions_added) AddDirections(rows, r.encoder_hidden, x);
  if (x != caches.cross_kv) {
    std::memcpy(caches.cross_kv, x, rows * r.memory_width() * sizeof(float));
  }
  trace.Lap(Operation::kRecurrent);
}

}  // namespace latimer
