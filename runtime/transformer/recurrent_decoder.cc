#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "transformer/linear.h"
#include "transformer/probe.h"
#include "transformer/recurrent.h"

namespace latimer {
namespace {

// The scratch of a step, all in workspace.sublayer; see RecurrentScratchFloats.
struct StepScratch {
  float* embedded;  // [target_embedding]
  float* attended;  // [memory_width], right after: the first layer reads both
  // [feature_width]; before that, the sum of states [decoder_hidden] and what
  // the first layer reads instead of both [input_layer].
  float* features;
  float* combined;  // [combined]
  float* scratch;   // the gates of a layer, or what the attention needs
};

StepScratch PlaceScratch(const Recurrent& r, const Buffers& workspace) {
  StepScratch rows{};
  rows.embedded = workspace.sublayer;
  rows.attended = rows.embedded + r.target_embedding;
  rows.features = rows.attended + r.memory_width();
  rows.combined = rows.features + std::max(r.feature_width(), r.input_layer);
  rows.scratch = rows.combined + r.combined;
  LATIMER_DCHECK(static_cast<uint64_t>(rows.scratch - rows.embedded) +
                     std::max<uint64_t>(2 * r.gates() * r.decoder_hidden,
                                        2 * r.attention_hidden) <=
                 workspace.recurrent_scratch);
  return rows;
}

void EmbedToken(const Model& model, int32_t token, float* row) {
  if (token < 0) {
    std::fill_n(row, model.info.architecture.recurrent.target_embedding, 0.0f);
  } else {
    LookUpRow(model, model.tensors.target_embedding,
              static_cast<uint32_t>(token), row);
  }
}

void StepLayers(const StepContext& step, float* before, float* after,
                const float* input, float* scratch) {
  const Architecture& a = step.engine.architecture();
  const size_t h = a.recurrent.decoder_hidden;
  const float* x = input;
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    const RecurrentLayer& layer =
        step.engine.model.tensors.recurrent.decoder[i];
    float* state = RecurrentState(a.recurrent, after, i);
    ApplyLinear(step, layer.input, x, 1, scratch);
    StepCell(step, layer.hidden[0], scratch,
             StateAt(RecurrentState(a.recurrent, before, i), h),
             scratch + a.recurrent.gates() * h, StateAt(state, h));
    ProbeOutput(ProbePoint::kDecoderLayer, i, state, h);
    x = state;
  }
}

// The query, which may be in rows.features.
const float* QueryOf(const StepContext& step, float* states,
                     const StepScratch& rows) {
  const Architecture& a = step.engine.architecture();
  const Recurrent& r = a.recurrent;
  const float* top = RecurrentState(r, states, a.decoder_layers - 1);
  if (!kProfile.recurrent_extras || !r.query_sum) return top;
  const size_t h = r.decoder_hidden;
  std::memcpy(rows.features, top, h * sizeof(float));
  for (uint32_t i = 0; i + 1 < a.decoder_layers; ++i) {
    step.engine.vector->add(h, RecurrentState(r, states, i), rows.features);
  }
  return rows.features;
}

// What the first layer reads: embedding and context, or a layer's output.
const float* FirstInput(const StepContext& step, const StepScratch& rows) {
  const Recurrent& r = step.engine.architecture().recurrent;
  if (!kProfile.recurrent_extras || r.input_layer == 0) return rows.embedded;
  ApplyLinear(step, step.engine.model.tensors.recurrent.input, rows.embedded, 1,
              rows.features);
  ActivateLayer(step.engine, r.input_activation, r.input_layer, rows.features);
  return rows.features;
}

// Copies the inputs of the output side by side.
void GatherFeatures(const Recurrent& r, const float* top,
                    const StepScratch& rows) {
  float* out = rows.features;
  const auto append = [&](const float* part, size_t n) {
    std::memcpy(out, part, n * sizeof(float));
    out += n;
  };
  append(top, r.decoder_hidden);
  if (r.output_context) append(rows.attended, r.memory_width());
  if (r.output_embedding) append(rows.embedded, r.target_embedding);
}

// Returns what the output matrix multiplies, which is in `rows`.
const float* StepRecurrentRow(const StepContext& step, const DecoderRow& row,
                              const StepScratch& rows) {
  const Architecture& a = step.engine.architecture();
  const Recurrent& r = a.recurrent;
  const RecurrentTensors& t = step.engine.model.tensors.recurrent;
  const size_t size = size_t{a.decoder_layers} * r.decoder_state();
  float* before = row.StatesBefore(size);
  float* after = row.StatesAfter(size);
  EmbedToken(step.engine.model, row.token, rows.embedded);
  step.trace.Lap(Operation::kEmbedding);
  const auto attend = [&](float* states) {
    AttendRecurrentMemory(step, row, QueryOf(step, states, rows), rows.scratch,
                          rows.attended);
    step.trace.Lap(Operation::kCrossAttention);
  };
  if (r.query_before) attend(before);
  StepLayers(step, before, after, FirstInput(step, rows), rows.scratch);
  step.trace.Lap(Operation::kRecurrent);
  if (!r.query_before) attend(after);
  const float* top = RecurrentState(r, after, a.decoder_layers - 1);
  GatherFeatures(r, top, rows);
  if (r.combined == 0) return rows.features;
  ApplyLinear(step, t.combine, rows.features, 1, rows.combined);
  if constexpr (kProfile.recurrent_extras) {
    ActivateLayer(step.engine, r.combine_activation, r.combined, rows.combined);
  } else {
    step.engine.vector->activate(Activation::kTanh, r.combined, rows.combined);
  }
  return rows.combined;
}

}  // namespace

DecoderOutput StepRecurrentDecoder(const StepContext& step,
                                   std::span<const DecoderRow> rows) {
  const Recurrent& r = step.engine.architecture().recurrent;
  const size_t columns = r.output_width();
  const StepScratch work = PlaceScratch(r, step.workspace);
  if (rows.size() == 1) {
    return {StepRecurrentRow(step, rows[0], work), columns};
  }
  float* x = step.workspace.sublayer + step.workspace.recurrent_scratch;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(x + i * columns, StepRecurrentRow(step, rows[i], work),
                columns * sizeof(float));
  }
  return {x, columns};
}

}  // namespace latimer
