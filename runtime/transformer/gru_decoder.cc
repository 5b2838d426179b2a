#include "transformer/gru_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "transformer/gru.h"
#include "transformer/gru_attention.h"
#include "transformer/linear.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// Where a step works: all in workspace.sublayer, see GruScratchFloats.
struct Rows {
  float* embedded;  // [target_embedding]
  float* attended;  // [memory_width], behind it, as the first layer reads both
  float* features;  // [feature_width]
  float* combined;  // [combined]
  float* scratch;   // the gates of a layer, or what the attention needs
};

Rows PlaceRows(RunContext& context) {
  const Recurrent& r = context.model.info.architecture.recurrent;
  Rows rows{};
  rows.embedded = context.workspace->sublayer;
  rows.attended = rows.embedded + r.target_embedding;
  rows.features = rows.attended + r.memory_width();
  rows.combined = rows.features + r.feature_width();
  rows.scratch = rows.combined + r.combined;
  LATIMER_DCHECK(static_cast<uint64_t>(rows.scratch - rows.embedded) +
                     std::max<uint64_t>(2 * GruGates(r.decoder_hidden),
                                        2 * r.attention_hidden) <=
                 GruScratchFloats(kProfile));
  return rows;
}

void EmbedToken(RunContext& context, int32_t token, float* row) {
  if (token < 0) {
    std::fill_n(row, context.model.info.architecture.recurrent.target_embedding,
                0.0f);
  } else {
    LookUpRow(context, context.model.tensors.target_embedding,
              static_cast<uint32_t>(token), row);
  }
}

void StepLayers(RunContext& context, const SentenceCaches& caches,
                const float* input, float* scratch) {
  const Architecture& a = context.model.info.architecture;
  const size_t h = a.recurrent.decoder_hidden;
  const float* x = input;
  for (uint32_t i = 0; i < a.decoder_layers; ++i) {
    const GruLayer& layer = context.model.tensors.recurrent.decoder[i];
    float* state = GruState(context, caches, i);
    ApplyLinear(context, layer.input,
                PrepareInput(context, x, 1, layer.input.k), scratch);
    StepGru(context, layer.hidden[0], scratch, state, scratch + GruGates(h),
            state);
    ProbeOutput(ProbePoint::kDecoderLayer, i, state, h);
    x = state;
  }
}

// What the output reads, side by side.
void GatherFeatures(const Recurrent& r, const float* top, const Rows& rows) {
  float* out = rows.features;
  const auto append = [&](const float* part, size_t n) {
    std::memcpy(out, part, n * sizeof(float));
    out += n;
  };
  append(top, r.decoder_hidden);
  if (r.output_context) append(rows.attended, r.memory_width());
  if (r.output_embedding) append(rows.embedded, r.target_embedding);
}

// Returns what the output matrix multiplies, among `rows`.
const float* StepGruRow(RunContext& context, const DecoderRow& row,
                        const Rows& rows) {
  const Architecture& a = context.model.info.architecture;
  const Recurrent& r = a.recurrent;
  const RecurrentTensors& t = context.model.tensors.recurrent;
  const float* top = GruState(context, *row.caches, a.decoder_layers - 1);
  EmbedToken(context, row.token, rows.embedded);
  context.clock.Lap(Operation::kEmbedding);
  const auto attend = [&] {
    AttendGruMemory(context, *row.caches, top, row.position, rows.scratch,
                    rows.attended);
    context.clock.Lap(Operation::kCrossAttention);
  };
  if (r.query_before) attend();
  StepLayers(context, *row.caches, rows.embedded, rows.scratch);
  context.clock.Lap(Operation::kRecurrent);
  if (!r.query_before) attend();
  GatherFeatures(r, top, rows);
  if (r.combined == 0) return rows.features;
  ApplyLinear(context, t.combine,
              PrepareInput(context, rows.features, 1, r.feature_width()),
              rows.combined);
  context.vector->activate(Activation::kTanh, r.combined, rows.combined);
  return rows.combined;
}

}  // namespace

DecoderOutput StepGruDecoder(RunContext& context,
                             std::span<const DecoderRow> rows) {
  const Recurrent& r = context.model.info.architecture.recurrent;
  const size_t columns = r.output_width();
  const Rows work = PlaceRows(context);
  if (rows.size() == 1) return {StepGruRow(context, rows[0], work), columns};
  float* x = context.workspace->sublayer + GruScratchFloats(kProfile);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(x + i * columns, StepGruRow(context, rows[i], work),
                columns * sizeof(float));
  }
  return {x, columns};
}

}  // namespace latimer
