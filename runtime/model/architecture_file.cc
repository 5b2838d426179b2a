#include <algorithm>
#include <cmath>

#include "latimer/profile_config.h"
#include "model/errors.h"
#include "model/model_file.h"
#include "model/tables.h"
#include "model_generated.h"

namespace latimer {
namespace {

Status Contradicts() {
  return Damaged("its architecture", "contradicts itself");
}

Status CheckAttention(const char* name, uint32_t heads, uint32_t head_dim,
                      float scale) {
  if (head_dim == 0 || !std::isfinite(scale)) {
    return Damaged(name, "has no size or no scale");
  }
  return CheckSizes({{"attention width", uint64_t{heads} * head_dim,
                      kProfile.attention_width}});
}

Status CheckNetworkKind(NetworkKind kind) {
  const char* missing = nullptr;
  switch (kind) {
    case NetworkKind::kTransformer:
      if (!kProfile.decoder_self_attention) missing = "self-attention";
      break;
    case NetworkKind::kTransformerSsru:
      if (!kProfile.decoder_ssru) missing = "an SSRU";
      break;
    case NetworkKind::kGru:
      if (!kProfile.decoder_gru) missing = "a GRU";
      break;
    case NetworkKind::kLstm:
      if (!kProfile.decoder_lstm) missing = "an LSTM";
      break;
  }
  return missing == nullptr ? Status() : LeftOut("'s decoder has", missing);
}

// What Gemma added to Transformers.
Status CheckPartsOfGemma(const schema::Architecture& in) {
  if (in.rotary_positions()) {
    if (!kProfile.rotary_positions) return LeftOut(" has", "rotary positions");
    if (in.encoder_head_dim() % 2 != 0 || in.decoder_head_dim() % 2 != 0 ||
        (in.positions_shared() &&
         in.encoder_head_dim() != in.decoder_head_dim())) {
      return Contradicts();
    }
  }
  if (!kProfile.output_norms &&
      in.norm_position() == schema::NormPosition::Both) {
    return LeftOut(" has", "norms of what sublayers give");
  }
  for (const float cap : {in.attention_cap(), in.logit_cap()}) {
    if (!(cap >= 0) || !std::isfinite(cap)) return Contradicts();
    if (!kProfile.logit_caps && cap > 0)
      return LeftOut(" has", "capped logits");
  }
  return Status();
}

// The sizes and switches of networks of every kind.
Status CheckCommon(const schema::Architecture& in) {
  constexpr uint32_t kMostPositions = kMaxFileBytes / sizeof(float);
  LATIMER_RETURN_IF_ERROR(CheckSizes({
      {"encoder layer count", in.encoder_layers(), kProfile.encoder_layers},
      {"decoder layer count", in.decoder_layers(), kProfile.decoder_layers},
      {"source vocabulary", in.source_vocabulary(), kProfile.source_vocabulary},
      {"target vocabulary", in.target_vocabulary(), kProfile.target_vocabulary},
      {"source position count", in.source_positions(), kMostPositions},
      {"target position count", in.target_positions(), kMostPositions},
  }));
  if (in.network_kind() > schema::NetworkKind::MAX ||
      ((in.source_embedding_tied() || in.embeddings_shared()) &&
       in.source_vocabulary() != in.target_vocabulary())) {
    return Contradicts();
  }
  return CheckNetworkKind(static_cast<NetworkKind>(in.network_kind()));
}

Status CheckTransformer(const schema::Architecture& in) {
  LATIMER_RETURN_IF_ERROR(CheckSizes({
      {"d_model", in.d_model(), kProfile.d_model},
      {"encoder d_ffn", in.encoder_ffn(), kProfile.d_ffn},
      {"decoder d_ffn", in.decoder_ffn(), kProfile.d_ffn},
      {"encoder head count", in.encoder_heads(), kProfile.heads},
      {"decoder head count", in.decoder_heads(), kProfile.heads},
  }));
  LATIMER_RETURN_IF_ERROR(
      CheckAttention("its encoder attention", in.encoder_heads(),
                     in.encoder_head_dim(), in.encoder_attention_scale()));
  LATIMER_RETURN_IF_ERROR(
      CheckAttention("its decoder attention", in.decoder_heads(),
                     in.decoder_head_dim(), in.decoder_attention_scale()));
  if (in.norm_kind() > schema::NormKind::MAX ||
      (in.norm_kind() == schema::NormKind::UnbiasedStd && in.d_model() < 2) ||
      in.activation() > schema::Activation::MAX ||
      in.norm_position() > schema::NormPosition::MAX ||
      !std::isfinite(in.embedding_scale()) || !(in.norm_epsilon() > 0) ||
      !std::isfinite(in.norm_epsilon()) ||
      (in.positions_shared() &&
       in.source_positions() != in.target_positions())) {
    return Contradicts();
  }
  if (!kProfile.rms_norm && in.norm_kind() == schema::NormKind::Rms) {
    return LeftOut(" has", "RMS norms");
  }
  if (!kProfile.gated_ffn && in.gated_ffn()) {
    return LeftOut(" has", "gated feed-forwards");
  }
  if (!kProfile.relative_attention && in.relative_attention()) {
    return LeftOut(" has", "attention by relative positions");
  }
  // An SSRU has no distances between positions.
  if (in.relative_attention() &&
      in.network_kind() != schema::NetworkKind::Transformer) {
    return Contradicts();
  }
  if (in.relative_bias_per_layer() && !in.relative_attention()) {
    return Contradicts();
  }
  if (in.encoder_norm_before_positions() ||
      in.decoder_norm_before_positions()) {
    if (!kProfile.norm_before_positions) {
      return LeftOut(" has", "embedding norms before positions");
    }
    if (!in.embedding_norm() || !in.has_positions()) return Contradicts();
  }
  return Status();
}

// A model that reads speech is a Transformer whose source has no embedding.
Status CheckSpeech(const schema::Architecture& in) {
  if (in.mel_bins() == 0) return Status();
  if constexpr (!kProfile.speech()) {
    return LeftOut(" has", "an encoder of speech");
  }
  if ((in.mel_bins() != 80 && in.mel_bins() != 128) ||
      in.network_kind() != schema::NetworkKind::Transformer ||
      !in.source_embedding_tied() || !in.has_positions() ||
      in.positions_shared() || in.embedding_norm() ||
      in.encoder_heads() * uint64_t{in.encoder_head_dim()} != in.d_model()) {
    return Contradicts();
  }
  // The convolutions work in buffers of so many rows.
  if (uint64_t{in.source_positions()} * in.d_model() <
      3 * uint64_t{std::max(in.mel_bins(), in.d_model())}) {
    return Damaged("its architecture", "has too few positions for speech");
  }
  return CheckSizes({{"number of mel bins", in.mel_bins(), kProfile.mel_bins},
                     {"speech position count", in.source_positions(),
                      kProfile.speech_positions}});
}

}  // namespace

Status ReadArchitecture(const schema::Architecture& in, Architecture* out) {
  LATIMER_RETURN_IF_ERROR(CheckCommon(in));
  const bool recurrent = in.network_kind() == schema::NetworkKind::Gru ||
                         in.network_kind() == schema::NetworkKind::Lstm;
  if (!recurrent) LATIMER_RETURN_IF_ERROR(CheckTransformer(in));
  LATIMER_RETURN_IF_ERROR(CheckSpeech(in));
  LATIMER_RETURN_IF_ERROR(CheckPartsOfGemma(in));
  *out = {
      .d_model = in.d_model(),
      .encoder_layers = in.encoder_layers(),
      .decoder_layers = in.decoder_layers(),
      .encoder_heads = in.encoder_heads(),
      .decoder_heads = in.decoder_heads(),
      .encoder_ffn = in.encoder_ffn(),
      .decoder_ffn = in.decoder_ffn(),
      .source_vocabulary = in.source_vocabulary(),
      .target_vocabulary = in.target_vocabulary(),
      .source_positions = in.source_positions(),
      .target_positions = in.target_positions(),
      .activation = static_cast<Activation>(in.activation()),
      .norm_position = static_cast<NormPosition>(in.norm_position()),
      .embedding_norm = in.embedding_norm(),
      .final_norm = in.final_norm(),
      .source_embedding_tied = in.source_embedding_tied(),
      .target_embedding_tied = in.target_embedding_tied(),
      .positions_shared = in.positions_shared(),
      .embedding_scale = in.embedding_scale(),
      .norm_epsilon = in.norm_epsilon(),
      .encoder_head_dim = in.encoder_head_dim(),
      .decoder_head_dim = in.decoder_head_dim(),
      .encoder_attention_scale = in.encoder_attention_scale(),
      .decoder_attention_scale = in.decoder_attention_scale(),
      .norm_kind = static_cast<NormKind>(in.norm_kind()),
      .network_kind = static_cast<NetworkKind>(in.network_kind()),
      .residual = in.residual(),
      .has_positions = in.has_positions(),
      .gated_ffn = in.gated_ffn(),
      .relative_attention = in.relative_attention(),
      .embeddings_shared = in.embeddings_shared(),
      .relative_bias_per_layer = in.relative_bias_per_layer(),
      .encoder_norm_before_positions = in.encoder_norm_before_positions(),
      .decoder_norm_before_positions = in.decoder_norm_before_positions(),
      .mel_bins = in.mel_bins(),
      .rotary_positions = in.rotary_positions(),
      .attention_cap = in.attention_cap(),
      .logit_cap = in.logit_cap(),
      .recurrent = {},
  };
  if constexpr (kProfile.recurrent()) {
    if (recurrent) return ReadRecurrent(in, &out->recurrent);
  }
  return Status();
}

}  // namespace latimer
