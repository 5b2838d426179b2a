/* The public C API of Latimer: the same translator, for C and for bindings.
 *
 * Nothing here allocates. The caller provides the memory: a workspace of
 * latimer_workspace_bytes() bytes and the bytes of the model file, both 64-byte
 * aligned and both kept until latimer_unload. Strings are UTF-8.
 */
#ifndef LATIMER_LATIMER_H_
#define LATIMER_LATIMER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The codes of latimer::StatusCode (status.h), in the same order. */
typedef enum latimer_code {
  LATIMER_OK = 0,
  LATIMER_INVALID_ARGUMENT,
  LATIMER_FAILED_PRECONDITION,
  LATIMER_NOT_A_MODEL,
  LATIMER_TRUNCATED,
  LATIMER_CORRUPT,
  LATIMER_UNSUPPORTED_VERSION,
  LATIMER_EXCEEDS_PROFILE,
  LATIMER_TILE_NOT_IN_BUILD,
  LATIMER_UNSUPPORTED_CPU,
  LATIMER_TEXT_TOO_LONG,
  LATIMER_RESOURCE_UNAVAILABLE
} latimer_code;

/* Why a translation ended: latimer::StopReason (stop.h), in the same order. */
typedef enum latimer_stop_reason {
  LATIMER_EOS = 0,
  LATIMER_LENGTH_LIMIT,
  LATIMER_LOOP,
  LATIMER_BUDGET,
  LATIMER_CANCELLED
} latimer_stop_reason;

/* A loaded model. Lives inside the workspace. */
typedef struct latimer_translator latimer_translator;

/* A translation; everything it points to is valid until the next call with
 * the same translator. */
typedef struct latimer_translation {
  const char* text; /* not zero-terminated; NULL for ids */
  size_t text_bytes;
  const int32_t* tokens; /* target ids, EOS included when it was produced */
  size_t token_count;
  size_t source_bytes; /* of the text given; see latimer_translate_part */
  int space_follows;   /* 1: white space separates this part and the rest */
  latimer_stop_reason stop_reason;
  size_t generated_tokens; /* including those of a loop that was cut */
} latimer_translation;

/* Settings that replace those of the model's generation config; all zero: the
 * model's. Strings are zero-terminated, NULL for none, and need to live only
 * until the call returns. See struct TranslateOptions in latimer/translation.h.
 */
typedef struct latimer_options {
  uint32_t max_target_tokens;
  uint32_t min_target_tokens;
  const char* source_language; /* "eng_Latn", for a multilingual model */
  const char* target_language;
  const char* task;                /* one of the model's: "summarization" */
  const char* prefix;              /* put before the text: "summarize: " */
  const int32_t* forced_first;     /* NULL, or the id that comes first */
  const uint32_t* no_repeat_ngram; /* NULL, or a length; 0: off */
  float repetition_penalty;        /* 0: the model's; 1: off */
  const int32_t* suppressed;       /* ids that may not be produced */
  size_t suppressed_count;
  int no_guards;          /* 1: do not stop loops and translations that are far
                             too long */
  uint32_t budget_tokens; /* for the call; 0: no limit */
  uint32_t budget_ms;
  bool (*on_token)(void* context, size_t index, int32_t id); /* NULL: none */
  void* token_context;
} latimer_options;

/* Bytes and alignment of the workspace in this build. */
size_t latimer_workspace_bytes(void);
size_t latimer_workspace_alignment(void);

/* Loads a model with `threads` threads (1: only the caller's). A workspace of
 * fewer bytes is enough if it holds this model; if not, the message says how
 * many do. On success *translator is set. On failure *translator is NULL and
 * `message`, if it is not NULL, receives one sentence of up to
 * message_bytes - 1 bytes. */
latimer_code latimer_load(const void* image, size_t image_bytes,
                          void* workspace, size_t workspace_bytes,
                          uint32_t threads, latimer_translator** translator,
                          char* message, size_t message_bytes);

/* Stops the threads. The workspace and the image may then be freed. */
void latimer_unload(latimer_translator* translator);

/* Translates a whole text; see Translator::Translate. `options` may be NULL,
 * here and below. */
latimer_code latimer_translate(latimer_translator* translator, const char* text,
                               size_t text_bytes,
                               const latimer_options* options,
                               latimer_translation* translation);

/* Translates the beginning of a text of any length, as much as fits; call again
 * with what follows translation->source_bytes. See Translator::TranslateNext.
 */
latimer_code latimer_translate_part(latimer_translator* translator,
                                    const char* text, size_t text_bytes,
                                    const latimer_options* options,
                                    latimer_translation* translation);

/* Translates source ids as they are. */
latimer_code latimer_translate_ids(latimer_translator* translator,
                                   const int32_t* ids, size_t id_count,
                                   const latimer_options* options,
                                   latimer_translation* translation);

/* Several sentences at a time: see Translator::Begin. Begin sentences while
 * latimer_can_begin returns 1, then call latimer_advance until
 * latimer_under_way is 0. `begun` receives source_bytes and space_follows;
 * options->suppressed must live until the sentence has finished. */
latimer_code latimer_begin_part(latimer_translator* translator,
                                const char* text, size_t text_bytes,
                                const latimer_options* options, uint64_t ticket,
                                latimer_translation* begun);
latimer_code latimer_begin_ids(latimer_translator* translator,
                               const int32_t* ids, size_t id_count,
                               const latimer_options* options, uint64_t ticket);
int latimer_can_begin(const latimer_translator* translator);
size_t latimer_under_way(const latimer_translator* translator);

/* Generates a token for each sentence. If one has finished, *finished is 1,
 * *ticket is its ticket, and *translation its translation, or the code says why
 * there is none; see Translator::Advance. */
latimer_code latimer_advance(latimer_translator* translator, int* finished,
                             uint64_t* ticket,
                             latimer_translation* translation);

/* While cancelled is 1, every sentence of this translator ends before its next
 * token with LATIMER_CANCELLED. May be called by any thread and by a signal
 * handler. */
void latimer_set_cancelled(latimer_translator* translator, int cancelled);

/* Running text of any length: see latimer/text_stream.h. A stream lives in
 * latimer_text_bytes() bytes of the caller's memory, aligned as for any type,
 * which the caller may reuse at any time. */
typedef struct latimer_text latimer_text;

/* A portion of the translation; valid until the receiver returns. */
typedef struct latimer_streamed_text {
  const char* text; /* not zero-terminated; all of them are the translation */
  size_t text_bytes;
  const char* source; /* what it translates; 0 bytes for white space */
  size_t source_bytes;
  uint64_t line; /* line that the sentence begins on, from 1 */
  int cut;       /* 1: the sentence exceeds the longest source */
  latimer_stop_reason stop_reason;
} latimer_streamed_text;
typedef void (*latimer_receiver)(void* context, const latimer_streamed_text*);

size_t latimer_text_bytes(void);
/* Returns NULL if memory_bytes are too few. `options` may be NULL; what they
 * point to must live as long as the stream. */
latimer_text* latimer_text_begin(latimer_translator* translator,
                                 const latimer_options* options,
                                 latimer_receiver receiver, void* context,
                                 void* memory, size_t memory_bytes);
/* Takes more of the text and translates the sentences that are now complete.
 */
latimer_code latimer_text_push(latimer_text* text, const char* bytes,
                               size_t byte_count);
/* Translates what is left; the next push begins another text. */
latimer_code latimer_text_finish(latimer_text* text);

/* The error message of the last call that failed, one sentence; "" if none
 * failed. Zero-terminated; valid until the next call. */
const char* latimer_message(const latimer_translator* translator);

#ifdef __cplusplus
}
#endif

#endif /* LATIMER_LATIMER_H_ */
