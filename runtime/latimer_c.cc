// The C API on top of the C++ one.

#include <cstring>
#include <new>

#include "latimer/latimer.h"
#include "latimer/translator.h"

// Stands before the C++ workspace in the memory that the caller gives.
struct latimer_translator {
  latimer::Translator translator;
  latimer::Status last_error;
};

namespace {

using latimer::Result;
using latimer::Status;
using latimer::StatusCode;
using latimer::Translation;

static_assert(static_cast<int>(StatusCode::kResourceUnavailable) ==
              LATIMER_RESOURCE_UNAVAILABLE);

constexpr size_t kAlignment = alignof(latimer::Workspace);
constexpr size_t kHeaderBytes = latimer::Padded(sizeof(latimer_translator));

latimer_code CodeOf(const Status& status) {
  return static_cast<latimer_code>(status.code());
}

latimer_code Give(latimer_translator* translator,
                  const Result<Translation>& result, latimer_translation* out) {
  *out = latimer_translation{};
  if (!result.ok()) {
    translator->last_error = result.status();
    return CodeOf(result.status());
  }
  out->text = result->text.data();
  out->text_bytes = result->text.size();
  out->tokens = result->tokens.data();
  out->token_count = result->tokens.size();
  out->source_bytes = result->source_bytes;
  out->space_follows = result->space_follows ? 1 : 0;
  out->stopped_at_limit =
      result->stop_reason == latimer::StopReason::kLengthLimit ? 1 : 0;
  return LATIMER_OK;
}

Status Load(const void* image, size_t image_bytes, void* workspace,
            size_t workspace_bytes, uint32_t threads,
            latimer_translator** translator) {
  if (image == nullptr || workspace == nullptr ||
      workspace_bytes < latimer_workspace_bytes() ||
      reinterpret_cast<uintptr_t>(workspace) % kAlignment != 0) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "Give an image and a workspace of %llu bytes at a multiple of %u.",
        static_cast<unsigned long long>(latimer_workspace_bytes()),
        static_cast<unsigned>(kAlignment));
  }
  auto* bytes = static_cast<std::byte*>(workspace);
  auto* created = new (bytes) latimer_translator;
  // Not value-initialized: only what is used is touched.
  auto* memory = new (bytes + kHeaderBytes) latimer::Workspace;
  latimer::LoadOptions options;
  options.threads = threads;
  const Status status = created->translator.Load(
      {static_cast<const std::byte*>(image), image_bytes}, memory, options);
  if (status.ok()) *translator = created;
  return status;
}

}  // namespace

size_t latimer_workspace_bytes(void) {
  return kHeaderBytes + sizeof(latimer::Workspace);
}

size_t latimer_workspace_alignment(void) { return kAlignment; }

latimer_code latimer_load(const void* image, size_t image_bytes,
                          void* workspace, size_t workspace_bytes,
                          uint32_t threads, latimer_translator** translator,
                          char* message, size_t message_bytes) {
  *translator = nullptr;
  const Status status =
      Load(image, image_bytes, workspace, workspace_bytes, threads, translator);
  if (message != nullptr && message_bytes > 0) {
    const size_t length = std::strlen(status.message());
    const size_t kept = length < message_bytes - 1 ? length : message_bytes - 1;
    std::memcpy(message, status.message(), kept);
    message[kept] = '\0';
  }
  return CodeOf(status);
}

void latimer_unload(latimer_translator* translator) {
  translator->~latimer_translator();
}

latimer_code latimer_translate(latimer_translator* translator, const char* text,
                               size_t text_bytes,
                               latimer_translation* translation) {
  return Give(translator, translator->translator.Translate({text, text_bytes}),
              translation);
}

latimer_code latimer_translate_part(latimer_translator* translator,
                                    const char* text, size_t text_bytes,
                                    latimer_translation* translation) {
  return Give(translator,
              translator->translator.TranslatePart({text, text_bytes}),
              translation);
}

latimer_code latimer_translate_ids(latimer_translator* translator,
                                   const int32_t* ids, size_t id_count,
                                   uint32_t max_target_tokens,
                                   uint32_t min_target_tokens,
                                   latimer_translation* translation) {
  latimer::TranslateOptions options;
  options.max_target_tokens = max_target_tokens;
  options.min_target_tokens = min_target_tokens;
  return Give(translator,
              translator->translator.TranslateIds({ids, id_count}, options),
              translation);
}

const char* latimer_message(const latimer_translator* translator) {
  return translator->last_error.message();
}
