#include "latimer/plan.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "latimer/signature.h"
#include "model/model_file.h"
#include "text/normalizer.h"
#include "transformer/trace.h"

namespace latimer {
namespace {

// Text per token that a profile makes room for. English and German take 4 to
// 5 bytes a piece, scripts outside Latin up to 12.
constexpr uint32_t kTextBytesPerToken = 16;

// `asked`, or all that is available if it is 0.
Status Limit(const char* what, uint32_t asked, uint32_t available,
             uint32_t* out) {
  if (asked > available) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "--max-%s-tokens %u exceeds the model's own limit of %u.", what,
        static_cast<unsigned>(asked), static_cast<unsigned>(available));
  }
  *out = asked == 0 ? available : asked;
  return Status();
}

}  // namespace

Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     Workspace* workspace, ModelInfo* info) {
  static_assert(sizeof(Model) <= sizeof(workspace->state));
  static_assert(alignof(Model) <= alignof(Workspace));
  auto* model = new (workspace->state) Model;
  const Status status = ReadModelFile(image, verify_checksum, model);
  *info = model->info;
  return status;
}

Result<Profile> ExactProfile(const ModelInfo& info, const ProfileLimits& limits,
                             const char* name) {
  const Architecture& a = info.architecture;
  Profile profile{};
  profile.name = name;
  if (a.network_kind == NetworkKind::kGru) {
    const Recurrent& r = a.recurrent;
    profile.d_model =
        std::max({r.source_embedding, r.target_embedding, r.encoder_hidden,
                  r.decoder_hidden, r.combined});
    profile.attention_width = std::max(r.encoder_width(), r.attention_hidden);
    profile.d_ffn = profile.heads = 1;
  } else {
    profile.d_model = a.d_model;
    profile.d_ffn = std::max(a.encoder_ffn, a.decoder_ffn);
    profile.attention_width =
        std::max(a.encoder_attention_width(), a.decoder_attention_width());
    profile.heads = std::max(a.encoder_heads, a.decoder_heads);
  }
  profile.encoder_layers = a.encoder_layers;
  profile.decoder_layers = a.decoder_layers;
  profile.source_vocabulary = a.source_vocabulary;
  profile.target_vocabulary = a.target_vocabulary;
  LATIMER_RETURN_IF_ERROR(Limit("source", limits.source_tokens,
                                a.source_positions, &profile.source_tokens));
  LATIMER_RETURN_IF_ERROR(Limit("target", limits.target_tokens,
                                info.generation.max_target_tokens,
                                &profile.target_tokens));
  profile.text_bytes = std::max<uint32_t>(
      {static_cast<uint32_t>(kMinNormalizedBytes),
       kTextBytesPerToken *
           std::max(profile.source_tokens, profile.target_tokens)});
  profile.threads = limits.threads;
  profile.lanes = limits.lanes;
  profile.copied_image_bytes =
      limits.copy_image ? Padded(info.sizes.file + kSignatureEndBytes) : 0;
  profile.int8_weights = std::strcmp(info.weights, "int8") == 0;
  profile.f32_weights = std::strcmp(info.weights, "f32") == 0;
  profile.f32_fma = true;
  profile.tokenizer = info.has_tokenizer;
  profile.unigram = info.tokenizer_needs.unigram;
  profile.bpe = info.tokenizer_needs.bpe;
  profile.words = info.tokenizer_needs.words;
  profile.metaspace = info.tokenizer_needs.metaspace;
  profile.byte_bpe = info.tokenizer_needs.byte_bpe;
  profile.bytes = info.tokenizer_needs.bytes;
  profile.bpe_unused_pieces = info.tokenizer_needs.bpe_unused_pieces;
  profile.decoder_self_attention = a.network_kind == NetworkKind::kTransformer;
  profile.decoder_ssru = a.network_kind == NetworkKind::kTransformerSsru;
  profile.decoder_gru = a.network_kind == NetworkKind::kGru;
  profile.shortlist = info.has_shortlist;
  profile.rms_norm = a.norm_kind == NormKind::kRms;
  profile.gated_ffn = a.gated_ffn;
  profile.relative_attention = a.relative_attention;
  profile.pruned_argmax = info.pruned_argmax;
  profile.int4_weights = info.int4_matrices > 0;
  profile.f16_weights = std::strcmp(info.weights, "f16") == 0;
  profile.token_scores = limits.insight;
  if (limits.insight) {
    profile.attention_weights = std::max(
        {AttentionWeightCount(a, AttentionKind::kCross, profile.source_tokens,
                              profile.target_tokens),
         AttentionWeightCount(a, AttentionKind::kEncoder, profile.source_tokens,
                              profile.source_tokens),
         AttentionWeightCount(a, AttentionKind::kDecoder, profile.source_tokens,
                              profile.target_tokens)});
  }
  return profile;
}

}  // namespace latimer
