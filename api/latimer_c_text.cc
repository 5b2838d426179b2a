// The C API on top of the C++ one: text streams, and text as tokens.

#include "latimer/streams.h"
#include "latimer_c.h"
#include "text/slice.h"

using latimer::CheckGiven;
using latimer::Give;

static_assert(sizeof(latimer_streamed_text) ==
              offsetof(latimer_streamed_text, stop_reason) +
                  sizeof(latimer_stop_reason));
static_assert(LATIMER_PIECE_BYTES == latimer::Translator::kMaxPieceBytes + 1);

struct latimer_text
    : latimer::ReceivedStream<latimer::TextStream, latimer_receiver> {
  latimer_text(latimer_translator* of, const latimer::TranslateOptions& options,
               latimer_receiver to, void* with)
      : ReceivedStream(of, options, &Receive, to, with) {}

  static void Receive(void* self, const latimer::StreamedText& in) {
    const auto* text = static_cast<ReceivedStream*>(self);
    const latimer_streamed_text out = {
        sizeof(latimer_streamed_text),
        in.text.data(),
        in.text.size(),
        in.source.data(),
        in.source.size(),
        in.line,
        in.cut ? 1 : 0,
        static_cast<latimer_stop_reason>(in.stop_reason)};
    text->receiver(text->context, &out);
  }
};

static_assert(sizeof(latimer_text) <= LATIMER_TEXT_BYTES);

size_t latimer_text_bytes(void) { return sizeof(latimer_text); }

latimer_text* latimer_text_begin(latimer_translator* translator,
                                 const latimer_options* options,
                                 latimer_receiver receiver, void* context,
                                 void* memory, size_t memory_bytes) {
  return latimer::BeginIn<latimer_text>(
      memory, memory_bytes,
      "A text stream lives in latimer_text_bytes() bytes.", translator, options,
      receiver, context);
}

latimer_code latimer_text_push(latimer_text* text, const char* bytes,
                               size_t byte_count) {
  return text->Push(bytes, byte_count);
}

latimer_code latimer_text_finish(latimer_text* text) { return text->Finish(); }

latimer_code latimer_tokenize(latimer_translator* translator, const char* text,
                              size_t text_bytes, int32_t* ids, size_t most,
                              size_t* id_count) {
  *id_count = 0;
  const latimer_code code = CheckGiven(translator, text, text_bytes);
  if (code != LATIMER_OK) return code;
  const auto count =
      translator->translator.Tokenize({text, text_bytes}, {ids, most});
  if (count.ok()) *id_count = *count;
  return Give(translator, count.status());
}

latimer_code latimer_tokenize_target(latimer_translator* translator,
                                     const char* text, size_t text_bytes,
                                     int32_t* ids, size_t most,
                                     size_t* id_count) {
  *id_count = 0;
  const latimer_code code = CheckGiven(translator, text, text_bytes);
  if (code != LATIMER_OK) return code;
  const auto count =
      translator->translator.TokenizeTarget({text, text_bytes}, {ids, most});
  if (count.ok()) *id_count = *count;
  return Give(translator, count.status());
}

latimer_code latimer_count_tokens(latimer_translator* translator,
                                  const char* text, size_t text_bytes,
                                  size_t* id_count) {
  *id_count = 0;
  const latimer_code code = CheckGiven(translator, text, text_bytes);
  if (code != LATIMER_OK) return code;
  const auto count = translator->translator.CountTokens({text, text_bytes});
  if (count.ok()) *id_count = *count;
  return Give(translator, count.status());
}

latimer_code latimer_detokenize(latimer_translator* translator,
                                const int32_t* ids, size_t id_count,
                                const char** text, size_t* text_bytes) {
  *text = nullptr;
  *text_bytes = 0;
  const latimer_code code = CheckGiven(translator, ids, id_count);
  if (code != LATIMER_OK) return code;
  const auto found = translator->translator.Detokenize({ids, id_count});
  if (found.ok()) {
    *text = found->data();
    *text_bytes = found->size();
  }
  return Give(translator, found.status());
}

size_t latimer_source_piece(const latimer_translator* translator, int32_t token,
                            char piece[LATIMER_PIECE_BYTES]) {
  const std::string_view found = translator->translator.SourcePiece(
      token, {piece, LATIMER_PIECE_BYTES - 1});
  // It may be anywhere in `piece`.
  if (!found.empty()) std::memmove(piece, found.data(), found.size());
  piece[found.size()] = '\0';
  return found.size();
}

size_t latimer_target_piece(const latimer_translator* translator, int32_t token,
                            char piece[LATIMER_PIECE_BYTES]) {
  const std::string_view found = latimer::First(
      translator->translator.TargetPiece(token), LATIMER_PIECE_BYTES - 1);
  if (!found.empty()) std::memcpy(piece, found.data(), found.size());
  piece[found.size()] = '\0';
  return found.size();
}

size_t latimer_language_code_bytes(const latimer_translator* translator,
                                   const char* text, size_t text_bytes) {
  if (text == nullptr) return 0;
  return translator->translator.LanguageCodeBytes({text, text_bytes});
}
