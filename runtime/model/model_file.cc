#include "model/model_file.h"

#include <algorithm>

#include "latimer/internal/memory_plan.h"
#include "model/bind_tensors.h"
#include "model/check_numbers.h"
#include "model/checksum.h"
#include "model/errors.h"
#include "model/tables.h"
#include "model/views.h"
#include "model_generated.h"

namespace latimer {
namespace {

constexpr size_t kImageAlignment = 64;
// For the root, architecture, generation, provenance, tokenizer, and each
// tensor.
constexpr uint32_t kMaxTables =
    64 + 32 * (kProfile.encoder_layers + kProfile.decoder_layers + 4);
constexpr uint32_t kMaxDepth = 8;

// Finds the root table. First checks what users can understand: identifier,
// length and version.
Status FindRoot(std::span<const std::byte> image, size_t* file_bytes,
                const schema::Model** root) {
  constexpr size_t kSmallest = 64;
  if (reinterpret_cast<uintptr_t>(image.data()) % kImageAlignment != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The model's bytes must start at a multiple of %u.",
                         static_cast<unsigned>(kImageAlignment));
  }
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
  if (model->format_version() < kOldestFormatVersion ||
      model->format_version() > kFormatVersion) {
    return Status::Error(
        StatusCode::kUnsupportedVersion,
        "The model has format version %u but this build reads versions %u to "
        "%u; convert it again with the latimer-convert of this build.",
        static_cast<unsigned>(model->format_version()),
        static_cast<unsigned>(kOldestFormatVersion),
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

Status ReadKnownAnswer(const schema::KnownAnswer& in, const Architecture& a,
                       KnownAnswer* out) {
  const auto good = [](std::span<const int32_t> ids, uint32_t longest,
                       int64_t vocabulary) {
    for (const int32_t id : ids) {
      if (id < 0 || id >= vocabulary) return false;
    }
    return !ids.empty() && ids.size() <= longest;
  };
  if (!good(ViewOf(in.source()), a.source_positions, a.source_vocabulary) ||
      !good(ViewOf(in.target()), a.target_positions, a.target_vocabulary)) {
    return Damaged("its known answer", "is not one that it could give");
  }
  *out = {ViewOf(in.source()), ViewOf(in.target())};
  return Status();
}

Status ReadSpeech(const schema::SpeechTokens* in, const Architecture& a,
                  SpeechTokens* out) {
  if (in == nullptr) return Damaged("its speech", "has no tokens");
  *out = {in->transcribe(), in->translate(),         in->no_timestamps(),
          in->no_speech(),  in->start_of_previous(), in->first_timestamp()};
  for (const int32_t id :
       {out->transcribe, out->translate, out->no_timestamps, out->no_speech,
        out->start_of_previous, out->first_timestamp}) {
    if (id >= -1 && id < int64_t{a.target_vocabulary}) continue;
    return Damaged("its speech", "names a token outside the vocabulary");
  }
  return Status();
}

[[maybe_unused]] Status ReadSpeechHeads(std::span<const uint32_t> in,
                                        const Architecture& a,
                                        std::span<const uint32_t>* out) {
  const uint64_t count = uint64_t{a.decoder_layers} * a.decoder_heads;
  for (const uint32_t head : in) {
    if (head >= count) return Damaged("its speech", "names a head too many");
  }
  if (in.size() > kMostSpeechHeadLayers * a.decoder_heads) {
    return Damaged("its speech", "has too many heads");
  }
  *out = in;
  return Status();
}

Status ReadShortlist(const schema::Shortlist& in, Model* model) {
  const Architecture& a = model->info.architecture;
  if (!kProfile.shortlist) return LeftOut(" has", "a shortlist");
  const std::span<const uint32_t> offsets = ViewOf(in.offsets());
  const std::span<const uint16_t> tokens = ViewOf(in.tokens());
  bool good = offsets.size() == uint64_t{a.source_vocabulary} + 1;
  uint32_t before = 0, longest = 0;
  for (const uint32_t offset : offsets) {
    good = good && offset >= before && offset <= tokens.size();
    longest = std::max(longest, offset - before);
    before = offset;
  }
  uint16_t largest = 0;  // Compilers make it a maximum of many at a time.
  for (const uint16_t token : tokens) largest = std::max(largest, token);
  good = good && largest < a.target_vocabulary;
  if (in.copies_source() && a.source_vocabulary != a.target_vocabulary) {
    good = false;
  }
  if (!good || before != tokens.size()) {
    return Damaged("its shortlist", "does not match its vocabularies");
  }
  model->shortlist = {.first = in.first(),
                      .copies_source = in.copies_source(),
                      .offsets = offsets,
                      .tokens = tokens};
  model->info.sizes.shortlist = offsets.size_bytes() + tokens.size_bytes();
  const Linear& output = model->tensors.output;
  model->info.shortlist = {
      .common = std::min(in.first(), a.target_vocabulary) + 1,  // EOS.
      .longest = longest + (in.copies_source() ? 1 : 0),
      .row_bytes =
          PackedChannelBytes(GatheredType(output.type), model->tile, output.k) +
          sizeof(float) + sizeof(uint32_t)};
  // The lists of a sentence overlap: together the 30 tokens of an average one
  // allow about as many as 20 would apart.
  constexpr uint64_t kUsualLists = 20;
  ModelSizes& sizes = model->info.sizes;
  const ShortlistSize& size = model->info.shortlist;
  sizes.streamed_per_token =
      sizes.decoder +
      std::min(sizes.output,
               (size.common + kUsualLists * size.longest) * size.row_bytes);
  return Status();
}

}  // namespace

Status FindFileBytes(std::span<const std::byte> image, size_t* file_bytes) {
  const schema::Model* root = nullptr;
  return FindRoot(image, file_bytes, &root);
}

Status ReadModelFile(std::span<const std::byte> image, bool verify_checksum,
                     Model* model) {
  std::construct_at(model);  // In place: assigning would take 4 KB of stack.
  size_t file_bytes = 0;
  const schema::Model* root = nullptr;
  LATIMER_RETURN_IF_ERROR(FindRoot(image, &file_bytes, &root));
  LATIMER_RETURN_IF_ERROR(
      VerifyStructure(image.first(file_bytes), verify_checksum, root));

  ModelDescription& info = model->info;
  info.format_version = root->format_version();
  info.checksum = root->checksum();
  info.sizes.file = file_bytes;
  info.source = ViewOf(root->provenance()->source());
  info.license = ViewOf(root->provenance()->license());
  info.converter = ViewOf(root->provenance()->converter());
  if (const auto* version = root->provenance()->model_version()) {
    info.model_version = ViewOf(version);
  }
  if (const auto* scores = root->provenance()->published_scores()) {
    info.published_scores = ViewOf(scores);
  }
  if (const auto* assumptions = root->provenance()->assumptions()) {
    info.assumptions = ViewOf(assumptions);
  }
  LATIMER_RETURN_IF_ERROR(
      ReadArchitecture(*root->architecture(), &info.architecture));
  LATIMER_RETURN_IF_ERROR(
      ReadGeneration(*root->generation(), info.architecture, &info.generation));
  LATIMER_RETURN_IF_ERROR(
      ReadAlignment(*root->generation(), info.architecture, &info.alignment));
  info.source_vocabulary = info.architecture.source_vocabulary;
  info.target_vocabulary = info.architecture.target_vocabulary;
  info.eos = info.generation.eos;
  info.languages = info.generation.languages;
  info.tasks = info.generation.tasks;
  if (root->known_answer() != nullptr) {
    LATIMER_RETURN_IF_ERROR(ReadKnownAnswer(
        *root->known_answer(), info.architecture, &info.known_answer));
  }
  if (info.architecture.reads_speech()) {
    LATIMER_RETURN_IF_ERROR(
        ReadSpeech(root->speech(), info.architecture, &info.speech));
    if constexpr (kProfile.speech()) {
      if (root->speech_heads() != nullptr) {
        LATIMER_RETURN_IF_ERROR(ReadSpeechHeads(ViewOf(root->speech_heads()),
                                                info.architecture,
                                                &info.speech_heads));
      }
    }
    info.reads_speech = true;
  }
  info.has_certificate = root->certificate() != nullptr;
  if (info.has_certificate) {
    LATIMER_RETURN_IF_ERROR(ReadCertificate(
        *root->certificate(), info.architecture, &info.certificate));
    info.certified_share = info.certificate.agreement();
  }
  LATIMER_RETURN_IF_ERROR(BindTensors(*root, model));
  if (verify_checksum) LATIMER_RETURN_IF_ERROR(CheckNumbers(model));
  info.has_shortlist = root->shortlist() != nullptr;
  if (info.has_shortlist) {
    LATIMER_RETURN_IF_ERROR(ReadShortlist(*root->shortlist(), model));
  }
  info.has_tokenizer = root->tokenizer() != nullptr;
  if (root->sentence_rules() != nullptr) {
    LATIMER_RETURN_IF_ERROR(
        ReadSentenceRules(*root->sentence_rules(), &info.sentence_rules));
  }
  if constexpr (kProfile.tokenizer) {
    if (info.has_tokenizer) {
      LATIMER_RETURN_IF_ERROR(ReadTokenizers(*root, model));
    }
  }
  return Status();
}

}  // namespace latimer
