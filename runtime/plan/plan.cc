#include <algorithm>
#include <cstring>
#include <new>

#include "latimer/signature.h"
#include "model/matrix_counts.h"
#include "model/model_file.h"
#include "plan/exact_profile.h"
#include "text/normalizer.h"
#include "transformer/buffers.h"
#include "transformer/network.h"
#include "transformer/trace.h"

namespace latimer {
namespace {

// Text per token that a profile makes room for. English and German take 4 to
// 5 bytes a piece, scripts outside Latin up to 12.
constexpr uint32_t kTextBytesPerToken = 16;

// `asked`, or all that is available.
Status Limit(const char* what, std::optional<uint32_t> asked,
             uint32_t available, uint32_t* out) {
  *out = asked.value_or(available);
  if (*out == 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "--max-%s-tokens 0: give a number from 1.", what);
  }
  if (*out > available) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "--max-%s-tokens %u exceeds the model's own limit of %u.", what,
        static_cast<unsigned>(*out), static_cast<unsigned>(available));
  }
  return Status();
}

// A caller that was compiled with a smaller profile brings too little.
Status CheckScratch(size_t scratch_bytes) {
  if (scratch_bytes >= sizeof(InfoScratch)) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "There are %llu bytes to read the model in, but this "
                       "build needs %llu; compile the caller with profile "
                       "\"%s\" of the library.",
                       static_cast<unsigned long long>(scratch_bytes),
                       static_cast<unsigned long long>(sizeof(InfoScratch)),
                       kProfile.name);
}

}  // namespace

Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     InfoScratch* scratch, ModelDescription* description) {
  static_assert(sizeof(Model) <= sizeof(scratch->bytes));
  static_assert(alignof(Model) <= alignof(InfoScratch));
  auto* model = new (scratch->bytes) Model;
  const Status status = ReadModelFile(image, verify_checksum, model);
  *description = model->info;
  return status;
}

Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     Workspace* workspace, ModelDescription* model) {
  // At its beginning, whatever the caller's workspace looks like.
  static_assert(alignof(InfoScratch) <= alignof(Workspace));
  return ReadModelInfo(image, verify_checksum,
                       reinterpret_cast<InfoScratch*>(workspace), model);
}

Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     InfoScratch* scratch, ModelInfo* info,
                     size_t scratch_bytes) {
  LATIMER_RETURN_IF_ERROR(CheckScratch(scratch_bytes));
  auto* model = new (scratch->bytes) Model;
  const Status status = ReadModelFile(image, verify_checksum, model);
  *info = model->info;
  return status;
}

Result<WorkspacePlan> PlanWorkspace(std::span<const std::byte> image,
                                    const LoadOptions& options,
                                    InfoScratch* scratch,
                                    size_t scratch_bytes) {
  LATIMER_RETURN_IF_ERROR(CheckScratch(scratch_bytes));
  auto* model = new (scratch->bytes) Model;
  LATIMER_RETURN_IF_ERROR(
      ReadModelFile(image, /*verify_checksum=*/false, model));
  return PlanWorkspace(model->info, options);
}

WorkspacePlan PlanWorkspace(const ModelDescription& info,
                            const LoadOptions& options) {
  LoadOptions all = options;
  const uint32_t lanes = options.lanes.value_or(kProfile.lanes);
  all.lanes = lanes;
  const Profile sizes = SizesFor(info, all);
  const CacheShape shape = CacheShapeOf(info.architecture);
  WorkspacePlan plan = {
      .bytes = BytesFor(sizes),
      .cached_token_bytes =
          sizeof(float) * (shape.cross_layers * shape.cross_row +
                           shape.self_layers * shape.self_row),
      .roomy_bytes = 0};
  // With fewer tokens, long sentences would wait for each other.
  constexpr uint64_t kRoomyTokens = 128;
  const uint64_t more = lanes == 1 ? 0
                                   : lanes * (kRoomyTokens - kLaneTokens) *
                                         plan.cached_token_bytes;
  plan.roomy_bytes =
      std::min<uint64_t>(sizeof(Workspace), Padded(plan.bytes + more));
  return plan;
}

Result<Profile> ExactProfile(const ModelDescription& info,
                             const ProfileLimits& limits, const char* name) {
  const Architecture& a = info.architecture;
  Profile profile{};
  profile.name = name;
  SetWidths(a, &profile);
  profile.encoder_layers = a.encoder_layers;
  profile.decoder_layers = a.decoder_layers;
  profile.source_vocabulary = a.source_vocabulary;
  profile.target_vocabulary = a.target_vocabulary;
  LATIMER_RETURN_IF_ERROR(Limit("source", limits.source_tokens,
                                a.source_positions, &profile.source_tokens));
  if (profile.source_tokens < info.generation.source_length) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "--max-source-tokens %u is less than the %u tokens to which this model "
        "pads each source; leave it out.",
        static_cast<unsigned>(profile.source_tokens),
        static_cast<unsigned>(info.generation.source_length));
  }
  if constexpr (kProfile.speech()) {
    if (a.reads_speech()) {
      profile.speech_positions = profile.source_tokens;
      profile.mel_bins = a.mel_bins;
    }
  }
  LATIMER_RETURN_IF_ERROR(Limit("target", limits.target_tokens,
                                info.generation.max_target_tokens,
                                &profile.target_tokens));
  profile.text_bytes = std::max<uint32_t>(
      {static_cast<uint32_t>(kMinNormalizedBytes),
       kTextBytesPerToken *
           std::max(profile.source_tokens, profile.target_tokens)});
  profile.threads = limits.threads;
  profile.beams = limits.beams;
  profile.phrases = limits.phrases;
  profile.sampling = limits.sampling;
  profile.lanes = std::max(limits.lanes, limits.beams);
  profile.f16_caches = limits.f16_caches && !a.is_recurrent();
  profile.int8_cross_kv = KeepsInt8CrossKv(info, profile);
  profile.copied_image_bytes =
      limits.copy_image ? Padded(info.sizes.file + kSignatureEndBytes) : 0;
  profile.int8_weights = std::strcmp(info.weights, "int8") == 0;
  profile.f32_weights = std::strcmp(info.weights, "f32") == 0;
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
  profile.decoder_lstm = a.network_kind == NetworkKind::kLstm;
  profile.recurrent_extras = a.is_recurrent() && a.recurrent.has_extras();
  profile.shortlist = info.has_shortlist;
  profile.shortlist_row_bytes = ShortlistRowBytes(info, profile.source_tokens);
  profile.rms_norm = a.norm_kind == NormKind::kRms;
  profile.gated_ffn = a.gated_ffn;
  profile.relative_attention = a.relative_attention;
  profile.norm_before_positions =
      a.encoder_norm_before_positions || a.decoder_norm_before_positions;
  profile.rotary_positions = a.rotary_positions;
  profile.output_norms = a.norm_position == NormPosition::kBoth;
  profile.logit_caps = a.attention_cap > 0 || a.logit_cap > 0;
  profile.pruned_argmax = info.pruned_argmax;
  SetMatrixTypes(info, &profile);
  profile.scores = limits.scores;
  profile.alignment = limits.alignment;
  if (limits.attention) {
    profile.attention =
        MostAttentionWeights(a, profile.source_tokens, profile.target_tokens);
  }
  return profile;
}

}  // namespace latimer
