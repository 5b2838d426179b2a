// The C API on top of the C++ one.

#include <atomic>
#include <cstring>
#include <new>

#include "latimer/latimer.h"
#include "latimer/text_stream.h"
#include "latimer/translator.h"

// Comes before the C++ workspace in the caller's memory.
struct latimer_translator {
  latimer::Translator translator;
  latimer::Status last_error;
  std::atomic<bool> cancelled = false;
};

namespace {

using latimer::Result;
using latimer::Status;
using latimer::StatusCode;
using latimer::Translation;

static_assert(static_cast<int>(StatusCode::kResourceUnavailable) ==
              LATIMER_RESOURCE_UNAVAILABLE);
static_assert(static_cast<int>(latimer::StopReason::kCancelled) ==
              LATIMER_CANCELLED);

constexpr size_t kAlignment = alignof(latimer::Workspace);
constexpr size_t kHeaderBytes = latimer::Padded(sizeof(latimer_translator));

latimer_code CodeOf(const Status& status) {
  return static_cast<latimer_code>(status.code());
}

// Keeps a failure for latimer_message, and returns the code.
latimer_code Give(latimer_translator* translator, const Status& status) {
  if (!status.ok()) translator->last_error = status;
  return CodeOf(status);
}

latimer_code Give(latimer_translator* translator,
                  const Result<Translation>& result, latimer_translation* out) {
  *out = latimer_translation{};
  if (!result.ok()) return Give(translator, result.status());
  out->text = result->text.data();
  out->text_bytes = result->text.size();
  out->tokens = result->tokens.data();
  out->token_count = result->tokens.size();
  out->source_bytes = result->source_bytes;
  out->stop_reason = static_cast<latimer_stop_reason>(result->stop_reason);
  out->generated_tokens = result->generated_tokens;
  return LATIMER_OK;
}

Status Load(const void* image, size_t image_bytes, void* workspace,
            size_t workspace_bytes, uint32_t threads,
            latimer_translator** translator) {
  if (image == nullptr || workspace == nullptr ||
      workspace_bytes < kHeaderBytes ||
      reinterpret_cast<uintptr_t>(workspace) % kAlignment != 0) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "Give an image and a workspace of %llu bytes at a multiple of %u.",
        static_cast<unsigned long long>(latimer_workspace_bytes()),
        static_cast<unsigned>(kAlignment));
  }
  const std::span memory(static_cast<std::byte*>(workspace), workspace_bytes);
  auto* created = new (memory.data()) latimer_translator;
  latimer::LoadOptions options;
  options.threads = threads;
  const Status status = created->translator.Load(
      {static_cast<const std::byte*>(image), image_bytes},
      memory.subspan(kHeaderBytes), options);
  if (status.ok()) *translator = created;
  return status;
}

std::string_view View(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

latimer::TranslateOptions OptionsOf(const latimer_translator* translator,
                                    const latimer_options* in) {
  latimer::TranslateOptions out;
  out.cancel = &translator->cancelled;
  if (in == nullptr) return out;
  out.max_target_tokens = in->max_target_tokens;
  out.min_target_tokens = in->min_target_tokens;
  out.source_language = View(in->source_language);
  out.target_language = View(in->target_language);
  out.task = View(in->task);
  out.prefix = View(in->prefix);
  if (in->forced_first != nullptr) out.forced_first_token = *in->forced_first;
  if (in->no_repeat_ngram != nullptr) {
    constexpr uint32_t kMost = INT32_MAX;
    out.no_repeat_ngram = static_cast<int32_t>(
        *in->no_repeat_ngram < kMost ? *in->no_repeat_ngram : kMost);
  }
  out.repetition_penalty = in->repetition_penalty;
  out.suppressed = {in->suppressed, in->suppressed_count};
  out.guards = in->no_guards == 0;
  out.budget_tokens = in->budget_tokens;
  out.budget_ms = in->budget_ms;
  out.on_token = in->on_token;
  out.token_context = in->token_context;
  return out;
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
                               const latimer_options* options,
                               latimer_translation* translation) {
  return Give(translator,
              translator->translator.Translate({text, text_bytes},
                                               OptionsOf(translator, options)),
              translation);
}

latimer_code latimer_translate_part(latimer_translator* translator,
                                    const char* text, size_t text_bytes,
                                    const latimer_options* options,
                                    latimer_translation* translation) {
  latimer::TextCursor cursor({text, text_bytes},
                             OptionsOf(translator, options));
  const latimer_code code = Give(
      translator, translator->translator.TranslateNext(cursor), translation);
  translation->space_follows = cursor.space_follows() ? 1 : 0;
  return code;
}

latimer_code latimer_translate_ids(latimer_translator* translator,
                                   const int32_t* ids, size_t id_count,
                                   const latimer_options* options,
                                   latimer_translation* translation) {
  return Give(translator,
              translator->translator.TranslateIds(
                  {ids, id_count}, OptionsOf(translator, options)),
              translation);
}

latimer_code latimer_begin_part(latimer_translator* translator,
                                const char* text, size_t text_bytes,
                                const latimer_options* options, uint64_t ticket,
                                latimer_translation* begun) {
  latimer::TextCursor cursor({text, text_bytes},
                             OptionsOf(translator, options));
  const Status status = translator->translator.Begin(cursor, ticket);
  *begun = latimer_translation{};
  begun->source_bytes = cursor.source_bytes();
  begun->space_follows = cursor.space_follows() ? 1 : 0;
  return Give(translator, status);
}

latimer_code latimer_begin_ids(latimer_translator* translator,
                               const int32_t* ids, size_t id_count,
                               const latimer_options* options,
                               uint64_t ticket) {
  return Give(translator,
              translator->translator.BeginIds(
                  {ids, id_count}, OptionsOf(translator, options), ticket));
}

int latimer_can_begin(const latimer_translator* translator) {
  return translator->translator.CanBegin() ? 1 : 0;
}

size_t latimer_under_way(const latimer_translator* translator) {
  return translator->translator.under_way();
}

latimer_code latimer_advance(latimer_translator* translator, int* finished,
                             uint64_t* ticket,
                             latimer_translation* translation) {
  latimer::FinishedTranslation out;
  *translation = latimer_translation{};
  *finished = translator->translator.Advance(&out) ? 1 : 0;
  if (*finished == 0) return LATIMER_OK;
  *ticket = out.ticket;
  if (!out.status.ok()) return Give(translator, out.status);
  return Give(translator, out.translation, translation);
}

void latimer_set_cancelled(latimer_translator* translator, int cancelled) {
  translator->cancelled.store(cancelled != 0, std::memory_order_relaxed);
}

struct latimer_text {
  latimer_text(latimer_translator* of, const latimer::TranslateOptions& options,
               latimer_receiver to, void* with)
      : translator(of),
        receiver(to),
        context(with),
        stream(of->translator, options, &Receive, this) {}

  static void Receive(void* self, const latimer::StreamedText& in) {
    const auto* text = static_cast<latimer_text*>(self);
    const latimer_streamed_text out = {
        in.text.data(),
        in.text.size(),
        in.source.data(),
        in.source.size(),
        in.line,
        in.cut ? 1 : 0,
        static_cast<latimer_stop_reason>(in.stop_reason)};
    text->receiver(text->context, &out);
  }

  latimer_translator* translator;
  latimer_receiver receiver;
  void* context;
  latimer::TextStream stream;
};

size_t latimer_text_bytes(void) { return sizeof(latimer_text); }

latimer_text* latimer_text_begin(latimer_translator* translator,
                                 const latimer_options* options,
                                 latimer_receiver receiver, void* context,
                                 void* memory, size_t memory_bytes) {
  if (memory == nullptr || memory_bytes < sizeof(latimer_text)) return nullptr;
  return new (memory) latimer_text(translator, OptionsOf(translator, options),
                                   receiver, context);
}

latimer_code latimer_text_push(latimer_text* text, const char* bytes,
                               size_t byte_count) {
  return Give(text->translator, text->stream.Push({bytes, byte_count}));
}

latimer_code latimer_text_finish(latimer_text* text) {
  return Give(text->translator, text->stream.Finish());
}

const char* latimer_message(const latimer_translator* translator) {
  return translator->last_error.message();
}
