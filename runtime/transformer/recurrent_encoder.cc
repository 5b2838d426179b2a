#include <algorithm>
#include <cstring>

#include "transformer/linear.h"
#include "transformer/probe.h"
#include "transformer/recurrent.h"

namespace latimer {
namespace {

// The last state of `layer` in one direction, for the decoder layers that start
// from it.
void KeepState(const Architecture& a, const SentenceCaches& caches,
               uint32_t layer, uint32_t direction, const CellState& state) {
  const Recurrent& r = a.recurrent;
  if (r.initial_state != InitialState::kEncoderStates) return;
  const uint32_t number = layer * r.directions() + direction;
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    if (r.first_state + i * r.state_step != number) continue;
    const size_t h = r.encoder_hidden;
    const CellState kept = StateAt(RecurrentState(r, caches.self_kv, i), h);
    std::memcpy(kept.hidden, state.hidden, h * sizeof(float));
    if (r.has_cells) std::memcpy(kept.cell, state.cell, h * sizeof(float));
  }
}

// output [decoder_hidden] = a projection of x [initial_width], elsewhere.
void ProjectState(const StepContext& step, const Linear& projection,
                  const float* x, float* output) {
  ApplyLinear(step, projection, x, 1, output);
  if (step.engine.architecture().recurrent.initial_linear) return;
  step.engine.vector->activate(Activation::kTanh, projection.n, output);
}

// The first state of the decoder layers [begin, end) = a projection of hidden
// states and cells [initial_width].
void ProjectStates(const StepContext& step, const SentenceCaches& caches,
                   uint32_t begin, uint32_t end, const float* hidden,
                   const float* cells) {
  const Recurrent& r = step.engine.architecture().recurrent;
  const RecurrentTensors& t = step.engine.model.tensors.recurrent;
  float* first = RecurrentState(r, caches.self_kv, begin);
  const CellState state = StateAt(first, r.decoder_hidden);
  ProjectState(step, t.initial_state, hidden, state.hidden);
  if (r.has_cells) {
    ProjectState(step, t.initial_cell, cells, state.cell);
  }
  for (uint32_t i = begin + 1; i < end; ++i) {
    std::memcpy(RecurrentState(r, caches.self_kv, i), first,
                r.decoder_state() * sizeof(float));
  }
}

// x [S, directions * H] = the layer's output for x [S, its inputs].
void RunLayer(const StepContext& step, const SentenceCaches& caches,
              uint32_t index, size_t rows, float* x) {
  const Recurrent& r = step.engine.architecture().recurrent;
  const RecurrentLayer& layer =
      step.engine.model.tensors.recurrent.encoder[index];
  const size_t h = r.encoder_hidden;
  const size_t width = r.encoder_width();
  // The input projections of all rows and directions.
  float* input = step.workspace.projection;
  ApplyLinear(step, layer.input, x, rows, input);
  // The last states of both directions, side by side, before the scratch.
  float* last_hidden = step.workspace.sublayer;
  float* last_cells = last_hidden + width;
  float* zero = last_cells + width;
  float* gates = zero + h;
  std::fill_n(zero, h, 0.0f);
  std::fill_n(last_cells, width, 0.0f);
  for (uint32_t direction = 0; direction < r.directions(); ++direction) {
    CellState state = {zero, last_cells + direction * h};
    for (size_t i = 0; i < rows; ++i) {
      const size_t row = direction == 0 ? i : rows - 1 - i;
      const CellState after = {x + row * width + direction * h, state.cell};
      const size_t gate = direction * r.gates() * h;
      StepCell(step, layer.hidden[direction],
               input + row * layer.input.n + gate, state, gates, after);
      state = after;
    }
    KeepState(step.engine.architecture(), caches, index, direction, state);
    std::memcpy(last_hidden + direction * h, state.hidden, h * sizeof(float));
  }
  const uint32_t layers = step.engine.architecture().decoder_layers;
  if (r.initial_state == InitialState::kProjectedLayers && index < layers) {
    ProjectStates(step, caches, index, index + 1, last_hidden, last_cells);
  }
  if (r.initial_state == InitialState::kProjected &&
      index + 1 == step.engine.architecture().encoder_layers) {
    ProjectStates(step, caches, 0, layers, last_hidden, last_cells);
  }
}

// The first state of each decoder layer = a projection of the memory's mean.
void ProjectMean(const StepContext& step, const SentenceCaches& caches,
                 size_t rows) {
  const Recurrent& r = step.engine.architecture().recurrent;
  const size_t width = r.memory_width();
  const float share = 1.0f / static_cast<float>(rows);
  float* mean = step.workspace.sublayer;
  std::fill_n(mean, width, 0.0f);
  for (size_t row = 0; row < rows; ++row) {
    const float* memory = caches.cross_kv + row * width;
    for (size_t i = 0; i < width; ++i) mean[i] += memory[i];
  }
  for (size_t i = 0; i < width; ++i) mean[i] *= share;
  ProjectStates(step, caches, 0, step.engine.architecture().decoder_layers,
                mean, mean);
}

// x [S, H] = the sum of the halves of x [S, 2H].
void AddDirections(size_t rows, size_t h, float* x) {
  for (size_t row = 0; row < rows; ++row) {
    const float* both = x + row * 2 * h;
    float* sum = x + row * h;
    for (size_t i = 0; i < h; ++i) sum[i] = both[i] + both[h + i];
  }
}

// Exchanges the rows of x [rows, width] from `begin` to `end`.
void ReverseRows(size_t begin, size_t end, size_t width, float* x) {
  for (; begin + 1 < end; ++begin) {
    --end;
    std::swap_ranges(x + begin * width, x + (begin + 1) * width,
                     x + end * width);
  }
}

// Writes x [rows, encoded_width] or its projection to the memory.
void StoreMemory(const StepContext& step, const SentenceCaches& caches,
                 size_t rows, const float* x) {
  const Recurrent& r = step.engine.architecture().recurrent;
  if (r.projected_memory > 0) {
    ApplyLinear(step, step.engine.model.tensors.recurrent.memory, x, rows,
                step.workspace.projection);
    x = step.workspace.projection;
    if constexpr (kProfile.recurrent_extras) {
      ActivateLayer(step.engine, r.memory_activation, rows * r.projected_memory,
                    step.workspace.projection);
    }
  }
  if (x == caches.cross_kv) return;
  std::memcpy(caches.cross_kv, x, rows * r.memory_width() * sizeof(float));
}

// Exchanges the rows of the text's tokens, what stands around them staying.
void ReverseText(const Engine& engine, size_t rows, size_t width, float* x) {
  const GenerationConfig& generation = engine.model.info.generation;
  const size_t begin = generation.source_prefix.size();
  const size_t after = generation.source_suffix.size();
  if (begin + after < rows) ReverseRows(begin, rows - after, width, x);
}

}  // namespace

void RunRecurrentEncoder(const StepContext& step,
                         std::span<const int32_t> source,
                         const SentenceCaches& caches) {
  const Architecture& a = step.engine.architecture();
  const Recurrent& r = a.recurrent;
  const size_t rows = source.size();
  float* x = step.workspace.hidden;
  for (size_t i = 0; i < rows; ++i) {
    LookUpRow(step.engine.model, step.engine.model.tensors.source_embedding,
              static_cast<uint32_t>(source[i]), x + i * r.source_embedding);
  }
  if (r.reversed_source) ReverseText(step.engine, rows, r.source_embedding, x);
  step.trace.Lap(Operation::kEmbedding);
  if (r.initial_state == InitialState::kZero) {
    std::fill_n(RecurrentState(r, caches.self_kv, 0),
                size_t{a.decoder_layers} * r.decoder_state(), 0.0f);
  }
  for (uint32_t i = 0; i < a.encoder_layers; ++i) {
    RunLayer(step, caches, i, rows, x);
    ProbeOutput(ProbePoint::kEncoderLayer, i, x, rows * r.encoder_width());
  }
  size_t memory_rows = rows;
  if (!a.attends()) {
    // The backward direction's last state stands in the first row already.
    std::memmove(x, x + (rows - 1) * r.encoder_width(),
                 r.encoder_hidden * sizeof(float));
    memory_rows = 1;
  }
  if (r.directions_added) AddDirections(memory_rows, r.encoder_hidden, x);
  // Memory and attention have the order of the text.
  if (r.reversed_source && a.attends()) {
    ReverseText(step.engine, rows, r.encoded_width(), x);
  }
  StoreMemory(step, caches, memory_rows, x);
  if (r.initial_state == InitialState::kProjectedMean) {
    ProjectMean(step, caches, memory_rows);
  }
  step.trace.Lap(Operation::kRecurrent);
}

}  // namespace latimer
