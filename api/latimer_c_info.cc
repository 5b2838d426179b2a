// The C API on top of the C++ one: what a model is.

#include "internals.h"
#include "latimer/signature.h"
#include "latimer_c.h"

static_assert(sizeof(latimer_model_info) ==
              offsetof(latimer_model_info, certified_share) + sizeof(double));

namespace {

latimer_model_info InfoOf(const latimer::Translator& translator) {
  const latimer::ModelDescription& info =
      latimer::Internals::Describe(translator);
  latimer_model_info out = {};
  out.format_version = info.format_version;
  out.threads = translator.threads();
  out.checksum = info.checksum;
  out.file_bytes = info.sizes.file;
  out.weights = info.weights;
  out.tile = info.tile;
  out.model_version = info.model_version.data();
  out.model_version_bytes = info.model_version.size();
  out.source = info.source.data();
  out.source_bytes = info.source.size();
  out.license = info.license.data();
  out.license_bytes = info.license.size();
  out.source_vocabulary = info.architecture.source_vocabulary;
  out.target_vocabulary = info.architecture.target_vocabulary;
  out.max_source_tokens = translator.max_source_tokens();
  out.max_target_tokens = translator.max_target_tokens();
  out.eos = info.generation.eos;
  out.has_tokenizer = info.has_tokenizer ? 1 : 0;
  out.language_count = info.generation.languages.size();
  out.task_count = info.generation.tasks.size();
  if (info.has_certificate) {
    out.certified_share = info.certificate.agreement();
  }
  return out;
}

}  // namespace

const char* latimer_strcode(latimer_code code) {
  return NameOf(static_cast<latimer::StatusCode>(code));
}

const char* latimer_stop_reason_name(latimer_stop_reason reason) {
  return NameOf(static_cast<latimer::StopReason>(reason));
}

latimer_code latimer_signed_bytes(const void* image, size_t image_bytes,
                                  size_t* signed_bytes, char* message,
                                  size_t message_bytes) {
  const auto found =
      latimer::SignedBytes({static_cast<const std::byte*>(image), image_bytes});
  latimer::WriteMessage(found.status(), message, message_bytes);
  *signed_bytes = found.ok() ? found->size() : 0;
  return latimer::CodeOf(found.status());
}

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
