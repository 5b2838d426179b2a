#include "transformer/capture.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace latimer {
namespace {

// A model of GRUs has one attention, with one head.
bool HasNone(const Architecture& a, AttentionKind kind) {
  return a.network_kind == NetworkKind::kGru && kind != AttentionKind::kCross;
}

uint32_t LayersOf(const Architecture& a, AttentionKind kind) {
  if (HasNone(a, kind)) return 0;
  if (a.network_kind == NetworkKind::kGru) return 1;
  return kind == AttentionKind::kEncoder ? a.encoder_layers : a.decoder_layers;
}

uint32_t HeadsOf(const Architecture& a, AttentionKind kind) {
  if (a.network_kind == NetworkKind::kGru) return 1;
  return kind == AttentionKind::kEncoder ? a.encoder_heads : a.decoder_heads;
}

AttentionWeights ViewOf(const RunContext& context, size_t rows) {
  const Architecture& a = context.model.info.architecture;
  const AttentionCapture& capture = context.capture;
  return {.kind = capture.kind,
          .layers = LayersOf(a, capture.kind),
          .heads = HeadsOf(a, capture.kind),
          .rows = rows,
          .source_tokens = capture.source_tokens,
          .weights = context.workspace->attention};
}

}  // namespace

uint64_t AttentionWeightCount(const Architecture& a, AttentionKind kind,
                              size_t source_tokens, size_t rows) {
  const uint64_t columns = kind == AttentionKind::kDecoder
                               ? uint64_t{rows} * (rows + 1) / 2
                               : uint64_t{rows} * source_tokens;
  return columns * LayersOf(a, kind) * HeadsOf(a, kind);
}

Status BeginCapture(RunContext& context, AttentionKind kind,
                    size_t source_tokens) {
  context.capture = {kind, source_tokens, 0};
  if (kind == AttentionKind::kNone) return Status();
  if constexpr (kProfile.attention_weights == 0) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "Profile \"%s\" of this build keeps no attention "
                         "weights; write the profile with latimer-convert "
                         "--insight.",
                         kProfile.name);
  }
  if (HasNone(context.model.info.architecture, kind)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The model is of GRUs and has no self-attention; ask "
                         "for the cross-attention.");
  }
  if (kind == AttentionKind::kDecoder &&
      context.model.info.architecture.network_kind !=
          NetworkKind::kTransformer) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The model's decoder has no self-attention; ask for "
                         "that of the encoder or for the cross-attention.");
  }
  return Status();
}

void CaptureRow(RunContext& context, AttentionKind kind, uint32_t layer,
                size_t row, const float* weights, size_t stride) {
  if (!Captures(context, kind)) return;
  const Architecture& a = context.model.info.architecture;
  AttentionCapture& capture = context.capture;
  if (row >= capture.rows) capture.rows = row + 1;
  if (AttentionWeightCount(a, kind, capture.source_tokens, row + 1) >
      kProfile.attention_weights) {
    return;
  }
  const AttentionWeights view = ViewOf(context, row + 1);
  for (uint32_t head = 0; head < view.heads; ++head) {
    const std::span<const float> to = view.Row(layer, head, row);
    std::memcpy(context.workspace->attention + (to.data() - view.weights),
                weights + head * stride, to.size_bytes());
  }
}

Status EndCapture(RunContext& context, AttentionWeights* out) {
  const AttentionCapture capture = context.capture;
  if (capture.kind == AttentionKind::kNone) return Status();
  *out = ViewOf(context, capture.rows);
  context.capture = {};
  const uint64_t needed =
      AttentionWeightCount(context.model.info.architecture, capture.kind,
                           capture.source_tokens, capture.rows);
  if (needed <= kProfile.attention_weights) return Status();
  return Status::Error(
      StatusCode::kTextTooLong,
      "This sentence has %llu attention weights, but profile \"%s\" of this "
      "build keeps %llu; give a shorter one, or write the profile with "
      "latimer-convert --insight.",
      static_cast<unsigned long long>(needed), kProfile.name,
      static_cast<unsigned long long>(kProfile.attention_weights));
}

TokenScore ScoreToken(RunContext& context, size_t token, float* logits) {
  const size_t vocabulary = context.model.info.architecture.target_vocabulary;
  const float best = logits[token];
  logits[token] = -std::numeric_limits<float>::infinity();
  const float second = logits[context.vector->argmax(vocabulary, logits)];
  logits[token] = best;
  context.vector->softmax(vocabulary, logits);
  return {std::log(logits[token]), best - second};
}

}  // namespace latimer
