// The C API on top of the C++ one: what a model is.

#include "internals.h"
#include "latimer_c.h"

static_assert(static_cast<int>(latimer::NetworkKind::kLstm) == LATIMER_LSTM);
static_assert(sizeof(latimer_model_info) ==
              offsetof(latimer_model_info, f16_matrices) + sizeof(uint64_t));

namespace {

void FillArchitecture(const latimer::Architecture& a, latimer_model_info* out) {
  out->network = static_cast<latimer_network_kind>(a.network_kind);
  out->encoder_layers = a.encoder_layers;
  out->decoder_layers = a.decoder_layers;
  out->source_vocabulary = a.source_vocabulary;
  out->target_vocabulary = a.target_vocabulary;
  if (a.is_recurrent()) return;
  out->d_model = a.d_model;
  out->encoder_heads = a.encoder_heads;
  out->decoder_heads = a.decoder_heads;
  out->encoder_ffn = a.encoder_ffn;
  out->decoder_ffn = a.decoder_ffn;
}

latimer_model_info InfoOf(const latimer::Translator& translator) {
  const latimer::ModelDescription& info =
      latimer::Internals::Describe(translator);
  latimer_model_info out = {};
  out.format_version = info.format_version;
  out.checksum = info.checksum;
  out.file_bytes = info.sizes.file;
  out.bytes_per_token = info.sizes.streamed_per_token;
  out.weights = info.weights;
  out.tile = info.tile;
  out.source = info.source.data();
  out.source_bytes = info.source.size();
  out.license = info.license.data();
  out.license_bytes = info.license.size();
  out.converter = info.converter.data();
  out.converter_bytes = info.converter.size();
  out.model_version = info.model_version.data();
  out.model_version_bytes = info.model_version.size();
  FillArchitecture(info.architecture, &out);
  out.max_source_tokens = translator.max_source_tokens();
  out.max_target_tokens = translator.max_target_tokens();
  out.decoder_start = info.generation.decoder_start;
  out.eos = info.generation.eos;
  out.pad = info.generation.pad;
  out.has_tokenizer = info.has_tokenizer ? 1 : 0;
  out.has_shortlist = info.has_shortlist ? 1 : 0;
  out.int4_matrices = info.int4_matrices;
  out.int6_matrices = info.int6_matrices;
  out.f16_matrices = info.f16_matrices;
  out.threads = translator.threads();
  out.language_count = info.generation.languages.size();
  out.task_count = info.generation.tasks.size();
  out.has_certificate = info.has_certificate ? 1 : 0;
  if (info.has_certificate) {
    out.certified_share = info.certificate.agreement();
  }
  return out;
}

}  // namespace

latimer_code latimer_get_model_info(latimer_translator* translator,
                                    latimer_model_info* info) {
  const latimer::Status status = latimer::CheckSize("latimer_model_info", info);
  if (status.ok()) latimer::WriteStruct(InfoOf(translator->translator), info);
  return latimer::Give(translator, status);
}

const char* latimer_language(const latimer_translator* translator, size_t index,
                             int32_t* token) {
  const auto languages =
      latimer::Internals::Describe(translator->translator).generation.languages;
  if (index >= languages.size()) return nullptr;
  if (token != nullptr) *token = languages[index].token;
  return languages[index].code;
}

const char* latimer_task(const latimer_translator* translator, size_t index,
                         const char** prefix) {
  const auto tasks =
      latimer::Internals::Describe(translator->translator).generation.tasks;
  if (index >= tasks.size()) return nullptr;
  if (prefix != nullptr) *prefix = tasks[index].prefix;
  return tasks[index].name;
}

const char* latimer_kernel_name(const latimer_translator* translator,
                                int index) {
  return index < 0
             ? nullptr
             : latimer::Internals::KernelName(translator->translator, index);
}
