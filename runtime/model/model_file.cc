#include "model/model_file.h"

#include <cmath>
#include <cstring>
#include <memory>

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

#include "base/check.h"
#include "model/bind_tensors.h"
#include "model/certificate_file.h"
#include "model/check_numbers.h"
#include "model/check_range.h"
#include "model/generation_file.h"
#include "model/recurrent_file.h"
#include "model/sentence_rules_file.h"
#include "model/tokenizer_file.h"
#include "model_generated.h"

namespace latimer {
namespace {

constexpr size_t kImageAlignment = 64;
// Root, architecture, generation, provenance, tokenizer, and each tensor.
constexpr uint32_t kMaxTables =
    64 + 32 * (kProfile.encoder_layers + kProfile.decoder_layers + 4);
constexpr uint32_t kMaxDepth = 8;

std::string_view View(const flatbuffers::String* text) {
  return {text->c_str(), text->size()};
}

// Finds the root table and checks what must hold before the verifier's verdict
// means anything to a user: identifier, length, version.
Status FindRoot(std::span<const std::byte> image, size_t* file_bytes,
                const schema::Model** root) {
  constexpr size_t kSmallest = 64;
  if (image.size() < kSmallest ||
      !schema::ModelBufferHasIdentifier(image.data())) {
    return Status::Error(StatusCode::kNotAModel,
                         "This is not a Latimer model (no LTMR identifier); "
                         "make one with latimer-convert.");
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(image.data());
  const size_t readable =
      image.size() < kMaxFileBytes ? image.size() : kMaxFileBytes;
  flatbuffers::Verifier verifier(bytes, readable, kMaxDepth, kMaxTables);
  const uint32_t offset = flatbuffers::ReadScalar<uint32_t>(bytes);
  const Status damaged = Status::Error(
      StatusCode::kCorrupt,
      "The model is damaged: its root table is unreadable; copy it again.");
  if (offset >= readable - sizeof(uint32_t) || offset % sizeof(uint32_t) != 0) {
    return damaged;
  }
  const auto* model = flatbuffers::GetRoot<schema::Model>(bytes);
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(model);
  if (!verifier.VerifyTableStart(reinterpret_cast<const uint8_t*>(table)) ||
      !table->VerifyField<uint32_t>(verifier, schema::Model::VT_FORMAT_VERSION,
                                    sizeof(uint32_t)) ||
      !table->VerifyField<uint64_t>(verifier, schema::Model::VT_FILE_BYTES,
                                    sizeof(uint64_t)) ||
      !table->VerifyField<uint64_t>(verifier, schema::Model::VT_CHECKSUM,
                                    sizeof(uint64_t)) ||
      table->GetAddressOf(schema::Model::VT_CHECKSUM) == nullptr) {
    return damaged;
  }
  if (model->format_version() != kFormatVersion) {
    return Status::Error(
        StatusCode::kUnsupportedVersion,
        "The model has format version %u but this build reads version %u; "
        "convert it again with the latimer-convert of this build.",
        static_cast<unsigned>(model->format_version()),
        static_cast<unsigned>(kFormatVersion));
  }
  if (image.size() < model->file_bytes()) {
    return Status::Error(
        StatusCode::kTruncated,
        "The model is truncated: %llu of its %llu bytes are there; copy it "
        "again.",
        static_cast<unsigned long long>(image.size()),
        static_cast<unsigned long long>(model->file_bytes()));
  }
  if (model->file_bytes() < kSmallest || model->file_bytes() > kMaxFileBytes) {
    return damaged;
  }
  *file_bytes = static_cast<size_t>(model->file_bytes());
  *root = model;
  return Status();
}

Status VerifyStructure(std::span<const std::byte> file, bool verify_checksum,
                       const schema::Model* root) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  if (verify_checksum) {
    const auto* field =
        reinterpret_cast<const flatbuffers::Table*>(root)->GetAddressOf(
            schema::Model::VT_CHECKSUM);
    const size_t offset = static_cast<size_t>(field - bytes);
    if (offset > file.size() - sizeof(uint64_t) ||
        ComputeChecksum(file, offset) != root->checksum()) {
      return Status::Error(
          StatusCode::kCorrupt,
          "The model is damaged: its checksum does not match; copy it again.");
    }
  }
  flatbuffers::Verifier verifier(bytes, file.size(), kMaxDepth, kMaxTables);
  if (!schema::VerifyModelBuffer(verifier)) {
    return Status::Error(
        StatusCode::kCorrupt,
        "The model is damaged: its structure does not verify; copy it again.");
  }
  return Status();
}

Status CheckAttention(const char* stack, uint32_t heads, uint32_t head_dim,
                      float scale) {
  if (head_dim == 0 || !std::isfinite(scale)) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is damaged: its %s attention has no size "
                         "or no scale.",
                         stack);
  }
  const uint64_t width = uint64_t{heads} * head_dim;
  if (width > kProfile.attention_width) {
    return ExceedsProfile("attention width", width, kProfile.attention_width);
  }
  return Status();
}

Status LeftOut(const char* what) {
  return Status::Error(StatusCode::kExceedsProfile,
                       "The model has %s, which profile \"%s\" of this build "
                       "leaves out; build with a profile for this model "
                       "(latimer-convert --profile).",
                       what, kProfile.name);
}

Status CheckDecoderKind(NetworkKind kind) {
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
  }
  if (missing == nullptr) return Status();
  return Status::Error(StatusCode::kExceedsProfile,
                       "The model's decoder has %s, which profile \"%s\" of "
                       "this build leaves out; build with a profile for this "
                       "model (latimer-convert --profile).",
                       missing, kProfile.name);
}

Status Contradicts() {
  return Status::Error(StatusCode::kCorrupt,
                       "The model is damaged: its architecture contradicts "
                       "itself.");
}

// What models of every kind have.
Status CheckCommon(const schema::Architecture& in) {
  LATIMER_RETURN_IF_ERROR(CheckRange("encoder layer count", in.encoder_layers(),
                                     kProfile.encoder_layers));
  LATIMER_RETURN_IF_ERROR(CheckRange("decoder layer count", in.decoder_layers(),
                                     kProfile.decoder_layers));
  LATIMER_RETURN_IF_ERROR(CheckRange(
      "source vocabulary", in.source_vocabulary(), kProfile.source_vocabulary));
  LATIMER_RETURN_IF_ERROR(CheckRange(
      "target vocabulary", in.target_vocabulary(), kProfile.target_vocabulary));
  LATIMER_RETURN_IF_ERROR(CheckRange("source position count",
                                     in.source_positions(),
                                     kMaxFileBytes / sizeof(float)));
  LATIMER_RETURN_IF_ERROR(CheckRange("target position count",
                                     in.target_positions(),
                                     kMaxFileBytes / sizeof(float)));
  if (in.network_kind() > schema::NetworkKind::MAX ||
      ((in.source_embedding_tied() || in.embeddings_shared()) &&
       in.source_vocabulary() != in.target_vocabulary())) {
    return Contradicts();
  }
  return CheckDecoderKind(static_cast<NetworkKind>(in.network_kind()));
}

Status CheckTransformer(const schema::Architecture& in) {
  LATIMER_RETURN_IF_ERROR(
      CheckRange("d_model", in.d_model(), kProfile.d_model));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("encoder d_ffn", in.encoder_ffn(), kProfile.d_ffn));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("decoder d_ffn", in.decoder_ffn(), kProfile.d_ffn));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("encoder head count", in.encoder_heads(), kProfile.heads));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("decoder head count", in.decoder_heads(), kProfile.heads));
  LATIMER_RETURN_IF_ERROR(CheckAttention("encoder", in.encoder_heads(),
                                         in.encoder_head_dim(),
                                         in.encoder_attention_scale()));
  LATIMER_RETURN_IF_ERROR(CheckAttention("decoder", in.decoder_heads(),
                                         in.decoder_head_dim(),
                                         in.decoder_attention_scale()));
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
  return Status();
}

Status CheckFeatures(const schema::Architecture& in) {
  if (!kProfile.rms_norm && in.norm_kind() == schema::NormKind::Rms) {
    return LeftOut("RMS norms");
  }
  if (!kProfile.gated_ffn && in.gated_ffn()) {
    return LeftOut("gated feed-forwards");
  }
  if (!kProfile.relative_attention && in.relative_attention()) {
    return LeftOut("attention by relative positions");
  }
  // An SSRU has no distances.
  if (in.relative_attention() &&
      in.network_kind() != schema::NetworkKind::Transformer) {
    return Contradicts();
  }
  return Status();
}

Status ReadArchitecture(const schema::Architecture& in, Architecture* out) {
  LATIMER_RETURN_IF_ERROR(CheckCommon(in));
  const bool gru = in.network_kind() == schema::NetworkKind::Gru;
  if (!gru) {
    LATIMER_RETURN_IF_ERROR(CheckTransformer(in));
    LATIMER_RETURN_IF_ERROR(CheckFeatures(in));
  }
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
      .recurrent = {},
  };
  if constexpr (kProfile.decoder_gru) {
    if (gru) return ReadRecurrent(in, &out->recurrent);
  }
  return Status();
}

Status ReadKnownAnswer(const schema::KnownAnswer& in, const Architecture& a,
                       KnownAnswer* out) {
  const auto good = [](const flatbuffers::Vector<int32_t>& ids,
                       uint32_t longest, int64_t vocabulary) {
    for (const int32_t id : ids) {
      if (id < 0 || id >= vocabulary) return false;
    }
    return ids.size() > 0 && ids.size() <= longest;
  };
  if (!good(*in.source(), a.source_positions, a.source_vocabulary) ||
      !good(*in.target(), a.target_positions, a.target_vocabulary)) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is damaged: its known answer is none that "
                         "it could give.");
  }
  *out = {{in.source()->data(), in.source()->size()},
          {in.target()->data(), in.target()->size()}};
  return Status();
}

Status ReadShortlist(const schema::Shortlist& in, const Architecture& a,
                     Shortlist* out) {
  if (!kProfile.shortlist) return LeftOut("a shortlist");
  const flatbuffers::Vector<uint32_t>& offsets = *in.offsets();
  const flatbuffers::Vector<uint16_t>& tokens = *in.tokens();
  bool good = offsets.size() == uint64_t{a.source_vocabulary} + 1;
  uint32_t before = 0;
  for (const uint32_t offset : offsets) {
    good = good && offset >= before && offset <= tokens.size();
    before = offset;
  }
  for (const uint16_t token : tokens) {
    good = good && token < a.target_vocabulary;
  }
  if (in.copies_source() && a.source_vocabulary != a.target_vocabulary) {
    good = false;
  }
  if (!good || before != tokens.size()) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is damaged: its shortlist and its "
                         "vocabularies disagree.");
  }
  *out = {.first = in.first(),
          .copies_source = in.copies_source(),
          .offsets = {offsets.data(), offsets.size()},
          .tokens = {tokens.data(), tokens.size()}};
  return Status();
}

}  // namespace

uint64_t ComputeChecksum(std::span<const std::byte> file,
                         size_t checksum_offset) {
  LATIMER_CHECK(checksum_offset + sizeof(uint64_t) <= file.size());
  const size_t rest = checksum_offset + sizeof(uint64_t);
  const uint64_t head = XXH3_64bits(file.data(), checksum_offset);
  return XXH3_64bits_withSeed(file.data() + rest, file.size() - rest, head);
}

Status ReadModelFile(std::span<const std::byte> image, bool verify_checksum,
                     Model* model) {
  if (reinterpret_cast<uintptr_t>(image.data()) % kImageAlignment != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The model's bytes must start at a multiple of %u.",
                         static_cast<unsigned>(kImageAlignment));
  }
  std::construct_at(model);  // In place: an assignment takes 4 KB of stack.
  size_t file_bytes = 0;
  const schema::Model* root = nullptr;
  LATIMER_RETURN_IF_ERROR(FindRoot(image, &file_bytes, &root));
  LATIMER_RETURN_IF_ERROR(
      VerifyStructure(image.first(file_bytes), verify_checksum, root));

  ModelInfo& info = model->info;
  info.format_version = root->format_version();
  info.checksum = root->checksum();
  info.sizes.file = file_bytes;
  info.source = View(root->provenance()->source());
  info.license = View(root->provenance()->license());
  info.converter = View(root->provenance()->converter());
  LATIMER_RETURN_IF_ERROR(
      ReadArchitecture(*root->architecture(), &info.architecture));
  LATIMER_RETURN_IF_ERROR(
      ReadGeneration(*root->generation(), info.architecture, &info.generation));
  if (root->known_answer() != nullptr) {
    LATIMER_RETURN_IF_ERROR(ReadKnownAnswer(
        *root->known_answer(), info.architecture, &info.known_answer));
  }
  info.has_certificate = root->certificate() != nullptr;
  if (info.has_certificate) {
    LATIMER_RETURN_IF_ERROR(ReadCertificate(
        *root->certificate(), info.architecture, &info.certificate));
  }
  LATIMER_RETURN_IF_ERROR(BindTensors(*root, model));
  if (verify_checksum) LATIMER_RETURN_IF_ERROR(CheckNumbers(model));
  info.has_shortlist = root->shortlist() != nullptr;
  if (info.has_shortlist) {
    LATIMER_RETURN_IF_ERROR(ReadShortlist(*root->shortlist(), info.architecture,
                                          &model->shortlist));
    info.sizes.shortlist = model->shortlist.offsets.size_bytes() +
                           model->shortlist.tokens.size_bytes();
  }
  info.has_tokenizer = root->tokenizer() != nullptr;
  if (root->sentence_rules() != nullptr) {
    LATIMER_RETURN_IF_ERROR(
        ReadSentenceRules(*root->sentence_rules(), &info.sentence_rules));
  }
  if constexpr (kProfile.tokenizer) {
    if (info.has_tokenizer) {
      LATIMER_RETURN_IF_ERROR(ReadTokenizer(
          *root->tokenizer(), info.architecture, &model->tokenizer,
          &info.tokenizer_needs, &info.sizes.tokenizer));
    }
  }
  return Status();
}

}  // namespace latimer
