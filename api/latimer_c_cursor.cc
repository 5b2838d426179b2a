// The C API on top of the C++ one: the parts of a text of any length.

#include <cstring>

#include "latimer/text_cursor.h"
#include "latimer_c.h"

using latimer::Give;
using latimer::Status;
using latimer::StatusCode;

struct latimer_cursor {
  latimer_cursor(latimer_translator*, const latimer::TranslateOptions& options,
                 std::string_view text)
      : cursor(text, options) {}

  // Keeps the language code that the text began with, so that the text may go.
  // One that is longer than any piece stands for no token.
  void KeepCode() {
    const std::string_view code = cursor.language_code();
    if (code.data() == language_code || code.empty()) return;
    const size_t kept = code.size() < sizeof(language_code) ? code.size() : 0;
    std::memcpy(language_code, code.data(), kept);
    cursor.Move(cursor.rest(), {language_code, kept});
  }

  latimer::TextCursor cursor;
  char language_code[256];
};

namespace {

latimer_code CheckNext(latimer_translator* translator,
                       const latimer_cursor* cursor,
                       const latimer_translation* out) {
  translator->last = {};
  if (!cursor->cursor.CanBegin()) {
    return Give(translator,
                Status::Error(StatusCode::kFailedPrecondition,
                              "No part of this text may begin now; ask "
                              "latimer_cursor_can_begin."));
  }
  if (out == nullptr) return LATIMER_OK;
  return Give(translator, latimer::CheckSize("latimer_translation", out));
}

}  // namespace

static_assert(sizeof(latimer_cursor) <= LATIMER_CURSOR_BYTES);

size_t latimer_cursor_bytes(void) { return sizeof(latimer_cursor); }

size_t latimer_cursor_window_bytes(void) {
  return 2 * latimer::kProfile.text_bytes;
}

latimer_cursor* latimer_cursor_begin(latimer_translator* translator,
                                     const char* text, size_t text_bytes,
                                     const latimer_options* options,
                                     void* memory, size_t memory_bytes) {
  if (latimer::CheckGiven(translator, text, text_bytes) != LATIMER_OK) {
    return nullptr;
  }
  return latimer::BeginIn<latimer_cursor>(
      memory, memory_bytes, "A cursor lives in latimer_cursor_bytes() bytes.",
      translator, options, std::string_view(text, text_bytes));
}

latimer_code latimer_translate_next(latimer_translator* translator,
                                    latimer_cursor* cursor,
                                    latimer_translation* translation) {
  const latimer_code code = CheckNext(translator, cursor, translation);
  if (code != LATIMER_OK) return code;
  const auto part = translator->translator.TranslateNext(cursor->cursor);
  if (part.ok()) cursor->KeepCode();
  return latimer::GiveTranslation(translator, part, translation);
}

latimer_code latimer_begin_next(latimer_translator* translator,
                                latimer_cursor* cursor, uint64_t ticket,
                                latimer_translation* begun) {
  latimer_code code = CheckNext(translator, cursor, begun);
  if (code != LATIMER_OK) return code;
  latimer::TextCursor& of = cursor->cursor;
  const size_t before = of.source_bytes();
  code = Give(translator, translator->translator.Begin(of, ticket));
  if (code != LATIMER_OK) return code;
  cursor->KeepCode();
  if (begun == nullptr) return code;
  latimer::Translation part;
  part.source_bytes = of.source_bytes() - before;
  return latimer::GiveTranslation(translator, part, begun);
}

void latimer_cursor_finish(latimer_cursor* cursor,
                           const latimer_translation* part) {
  latimer::Translation finished;
  finished.stop_reason = static_cast<latimer::StopReason>(part->stop_reason);
  finished.generated_tokens = part->generated_tokens;
  cursor->cursor.Finish(finished);
}

void latimer_cursor_move(latimer_cursor* cursor, const char* rest,
                         size_t rest_bytes) {
  cursor->cursor.Move({rest, rest_bytes}, cursor->cursor.language_code());
}

int latimer_cursor_can_begin(const latimer_cursor* cursor) {
  return cursor->cursor.CanBegin() ? 1 : 0;
}

int latimer_cursor_done(const latimer_cursor* cursor) {
  return cursor->cursor.done() ? 1 : 0;
}

latimer_stop_reason latimer_cursor_stop_reason(const latimer_cursor* cursor) {
  return static_cast<latimer_stop_reason>(cursor->cursor.stop_reason());
}

size_t latimer_cursor_source_bytes(const latimer_cursor* cursor) {
  return cursor->cursor.source_bytes();
}
