#include "transformer/trace.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace latimer {
namespace {

// Layers and heads that have attention of one kind; none: both are 0.
struct AttentionShape {
  uint32_t layers;
  uint32_t heads;
};

AttentionShape ShapeOf(const Architecture& a, AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kNone:
      break;
    case AttentionKind::kCross:
      if (a.is_recurrent()) return {a.attends() ? 1u : 0u, 1};
      return {a.decoder_layers, a.decoder_heads};
    case AttentionKind::kEncoder:
      if (a.is_recurrent()) break;
      return {a.encoder_layers, a.encoder_heads};
    case AttentionKind::kDecoder:
      if (a.network_kind != NetworkKind::kTransformer) break;
      return {a.decoder_layers, a.decoder_heads};
  }
  return {0, 0};
}

uint64_t CountWeights(AttentionKind kind, AttentionShape shape,
                      size_t source_tokens, size_t rows) {
  const uint64_t columns = kind == AttentionKind::kDecoder
                               ? uint64_t{rows} * (rows + 1) / 2
                               : uint64_t{rows} * source_tokens;
  return columns * shape.layers * shape.heads;
}

}  // namespace

void OperationClock::Start(OperationTimes* times, Phase phase) {
  nanoseconds_ = nullptr;
  if (times == nullptr) return;
  nanoseconds_ = times->nanoseconds[static_cast<int>(phase)];
  last_ = MonotonicNanoseconds();
}

void OperationClock::Add(Operation operation) {
  const uint64_t now = MonotonicNanoseconds();
  nanoseconds_[static_cast<int>(operation)] += now - last_;
  last_ = now;
}

uint64_t AttentionWeightCount(const Architecture& a, AttentionKind kind,
                              size_t source_tokens, size_t rows) {
  return CountWeights(kind, ShapeOf(a, kind), source_tokens, rows);
}

uint64_t MostAttentionWeights(const Architecture& a, size_t source_tokens,
                              size_t target_tokens) {
  uint64_t most = 0;
  for (const AttentionKind kind :
       {AttentionKind::kCross, AttentionKind::kEncoder,
        AttentionKind::kDecoder}) {
    const bool encoder = kind == AttentionKind::kEncoder;
    most = std::max(
        most, AttentionWeightCount(a, kind, source_tokens,
                                   encoder ? source_tokens : target_tokens));
  }
  return most;
}

Status NoRoomFor(const char* what, bool in_profile, const char* option) {
  if (in_profile) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "The model was loaded without room for %s; load it "
                         "with LoadOptions::%s.",
                         what, option);
  }
  return Status::Error(StatusCode::kFailedPrecondition,
                       "Profile \"%s\" of this build has no room for %s; write "
                       "the profile with latimer-convert --room-for %s.",
                       kProfile.name, what, option);
}

void AlignedRow::RecordArgmax(int32_t head, uint32_t heads,
                              const float* weights, size_t stride) const {
  const uint32_t first = head < 0 ? 0 : static_cast<uint32_t>(head);
  const uint32_t last = head < 0 ? heads : first + 1;
  float most = -1;
  *source = kNotAligned;
  for (uint32_t token = begin; token < end; ++token) {
    float sum = 0;
    for (uint32_t h = first; h < last; ++h) sum += weights[h * stride + token];
    if (sum > most) {
      most = sum;
      *source = static_cast<uint16_t>(token);
    }
  }
}

Status AttentionTrace::Start(const Architecture& a, AttentionKind kind,
                             size_t source_tokens, std::span<float> weights) {
  *this = {};
  if (kind == AttentionKind::kNone) return Status();
  if (weights.empty()) {
    return NoRoomFor("attention weights", kProfile.attention > 0, "attention");
  }
  const AttentionShape shape = ShapeOf(a, kind);
  if (shape.layers == 0) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        !a.attends() ? "The model has no attention."
        : a.is_recurrent()
            ? "The model is recurrent and has no self-attention; ask for the "
              "cross-attention."
            : "The model's decoder has no self-attention; ask for the "
              "encoder's self-attention or for the cross-attention.");
  }
  kind_ = kind;
  layers_ = shape.layers;
  heads_ = shape.heads;
  source_tokens_ = source_tokens;
  weights_ = weights;
  return Status();
}

AttentionWeights AttentionTrace::View(size_t rows) const {
  return {.kind = kind_,
          .layers = layers_,
          .heads = heads_,
          .rows = rows,
          .source_tokens = source_tokens_,
          .weights = weights_.data()};
}

void AttentionTrace::AddRow(AttentionKind kind, uint32_t layer, size_t row,
                            const float* weights, size_t stride) {
  if (!Records(kind)) return;
  rows_ = std::max(rows_, row + 1);
  if (CountWeights(kind_, {layers_, heads_}, source_tokens_, row + 1) >
      weights_.size()) {
    return;
  }
  const AttentionWeights view = View(row + 1);
  for (uint32_t head = 0; head < heads_; ++head) {
    const std::span<const float> to = view.Row(layer, head, row);
    std::memcpy(weights_.data() + (to.data() - weights_.data()),
                weights + head * stride, to.size_bytes());
  }
}

Status AttentionTrace::End(AttentionWeights* out) const {
  if (!active()) return Status();
  *out = View(rows_);
  const uint64_t needed =
      CountWeights(kind_, {layers_, heads_}, source_tokens_, rows_);
  if (needed <= weights_.size()) return Status();
  return Status::Error(
      StatusCode::kTextTooLong,
      "This sentence has %llu attention weights, but this build keeps %llu; "
      "translate a shorter sentence, or build with a profile of "
      "latimer-convert --room-for attention.",
      static_cast<unsigned long long>(needed),
      static_cast<unsigned long long>(weights_.size()));
}

}  // namespace latimer
