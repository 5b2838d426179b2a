/* The public C API of Latimer: the same translator, for C and for bindings.
 * It is C99; examples/translate.c is a small program, examples/tour.c uses most
 * of it.
 *
 *   latimer_open         loads a model file
 *   latimer_set_option   beams, a language, a limit ...
 *   latimer_translate    a text; valid until the next call
 *   latimer_close
 *
 * Below, what most programs need comes first, and what few need last.
 *
 * Texts are UTF-8 with a length in bytes; strings (const char* without a
 * length) are zero-terminated. A token is an id of the model's source or target
 * vocabulary. What is read may be NULL if its length is 0; with a length it is
 * LATIMER_INVALID_ARGUMENT.
 *
 * Structs begin with their size, which the caller sets, so that they can grow:
 *
 *   latimer_options options = {.struct_bytes = sizeof(options)};
 *
 * All other members may stay zero: what is zero is not given. In C++
 * `latimer_options options = {};` first does the same. A program that was
 * compiled with an older header sets a smaller size: members beyond it count as
 * zero, and are not written. A larger size is LATIMER_INVALID_ARGUMENT if a
 * member that this library does not know is not zero.
 *
 * Messages: a function that takes a translator, or what was begun with one,
 * leaves the sentence that says why it failed for latimer_message. The others
 * that can fail write it to `message`, unless that is NULL: up to message_bytes
 * - 1 bytes, and "" if they succeed.
 *
 * Lifetimes: what options point to, and the text, must live until the text has
 * been translated: until the call returns, or, if a text is translated part by
 * part or beside others, until its last part has finished. What a translation
 * points to is valid until the next call with the same translator.
 *
 * Nothing but latimer_open allocates, and with one thread nothing but that,
 * latimer_map_file and their counterparts asks anything of the system. A
 * translator may be used by one thread at a time.
 */
#ifndef LATIMER_LATIMER_H_
#define LATIMER_LATIMER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "latimer/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A model file ---- */

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

/* The name of a code, such as "NOT_A_MODEL"; "UNKNOWN" for one that this
 * library does not know. docs/tutorials/product.md says what to do about each.
 */
const char* latimer_strcode(latimer_code code);

/* Bytes that the longest message takes, with its terminating zero. */
#define LATIMER_MESSAGE_BYTES 400

/* A loaded model. */
typedef struct latimer_translator latimer_translator;

/* How to load a model; all zero: as it is usual. */
typedef struct latimer_load_options {
  size_t struct_bytes;
  uint32_t threads; /* that share the work, the caller's included; 0: 1. See
                       LoadOptions in latimer/options.h */
  uint32_t lanes;   /* sentences side by side; 0: as many as there is room for,
                       and for latimer_plan_workspace the build's */
  uint32_t beams;   /* most of a sentence; 0: as many as the model asks for */
  int pin_threads;  /* 1: bind each but the caller's to a processor */
  int trust_file;   /* 1: skip the pass over the file that finds damage */
  const char* room_for; /* what a translation can keep besides its text:
                           "attention,scores,alignment" or some of these; NULL:
                           all; "": none. HTML needs alignment. */
  const char* cpu;      /* newest instruction set to use; NULL: all that the CPU
                           has. For tests */
} latimer_load_options;

/* Maps a model file, takes as much memory as it needs from the heap, and loads
 * it; needs an operating system. `options` may be NULL. On success *translator
 * is set, for latimer_close, on failure it is NULL. Errors: those of
 * latimer_map_file and latimer_load, and LATIMER_RESOURCE_UNAVAILABLE if there
 * is too little memory. */
latimer_code latimer_open(const char* path, const latimer_load_options* options,
                          latimer_translator** translator, char* message,
                          size_t message_bytes);

/* Unloads a translator of latimer_open, or none (NULL), frees its memory and
 * unmaps the file. */
void latimer_close(latimer_translator* translator);

/* The error message of the last call that failed, one sentence; "" if none
 * failed. Valid until the next call. */
const char* latimer_message(const latimer_translator* translator);

/* ---- Translating ---- */

/* A word or phrase of the source and what stands for it in the translation;
 * neither is zero-terminated. */
typedef struct latimer_term {
  const char* source;
  size_t source_bytes;
  const char* target;
  size_t target_bytes;
} latimer_term;

/* Bytes [begin, end) of a text. */
typedef struct latimer_text_range {
  uint32_t begin;
  uint32_t end;
} latimer_text_range;

/* What replaces settings of the model; all zero: the model's own. More in
 * latimer/options.h. */
typedef struct latimer_options {
  size_t struct_bytes;
  uint64_t named[64];        /* for latimer_set_option alone */
  const int32_t* suppressed; /* tokens that may not be produced */
  size_t suppressed_count;
  /* What the translation begins with, in place of target_prefix. */
  const int32_t* target_prefix_ids;
  size_t target_prefix_count;
  /* Sequences that may not be produced: number i is banned_tokens[
   * banned_ends[i - 1]] up to that before banned_ends[i]. */
  const int32_t* banned_tokens;
  const uint32_t* banned_ends;
  size_t banned_count; /* of the sequences */
  const latimer_term* terms;
  size_t term_count;
  /* Bytes of the text that come out once each, as they are. */
  const latimer_text_range* protected_ranges;
  size_t protected_range_count;
  /* Called for each token; false ends the sentence. NULL: none. */
  bool (*on_token)(void* context, size_t index, int32_t token);
  void* token_context;
  uint64_t stream; /* the text's number, for sampling */
} latimer_options;

/* Sets an option of options whose struct_bytes are set. Names and values are
 * those of the command line with "_" for "-", and flags are "true" or "false":
 *
 *   source_lang, target_lang   languages of a multilingual model: "eng_Latn"
 *   language_code              put before the text: ">>deu<<"
 *   task, prefix               "summarization"; put before the text
 *   sentences                  false: do not translate each sentence and line
 *                              by itself
 *   paragraphs                 lines are wrapped, and need not end a sentence
 *   max_target_tokens, min_target_tokens     EOS included
 *   budget_tokens, budget_ms   for the text
 *   guards                     false: do not stop loops and translations that
 *                              are far too long
 *   protect                    placeholders, URLs, e-mail addresses and numbers
 *                              with units, paths, versions, prices and
 *                              other numbers come out once each, as they are
 *   fold                       false: do not read characters that the model
 *                              lacks as what it has (a dash as -)
 *   keep_unknown               false: the model reads its unknown token for
 *                              characters that it lacks, and they are lost
 *   beams, length_penalty, early_stopping    "false", "true" or "never"
 *   alternatives               instead of beams: that many best tokens after
 *                              the target prefix, each completed greedily
 *   sample, temperature, top_k, top_p, min_p, seed
 *   target_prefix              a text that the translation begins with
 *   forced_first_token, no_repeat_ngram, repetition_penalty
 *   attention                  whose weights to keep: "cross" (row: target
 *                              token; column: source token), "encoder" (row
 *                              and column: source tokens), "decoder" (row:
 *                              target token; column: decoder_start or an
 *                              earlier token) or "none"
 *   scores, alignment          what else to keep
 *
 * `value` is borrowed if it is a text, like all that options point to. Options
 * may be copied. LATIMER_INVALID_ARGUMENT, and a message that names the option
 * and what it takes, if there is no such option or it takes no such value. */
latimer_code latimer_set_option(latimer_options* options, const char* name,
                                const char* value, char* message,
                                size_t message_bytes);

/* Why a translation ended: latimer::StopReason (translation.h), in the same
 * order. */
typedef enum latimer_stop_reason {
  LATIMER_EOS = 0,
  LATIMER_LENGTH_LIMIT,
  LATIMER_LOOP,
  LATIMER_BUDGET,
  LATIMER_CANCELLED
} latimer_stop_reason;

/* The name of a reason, such as "length_limit"; "unknown" for one that this
 * library does not know. */
const char* latimer_stop_reason_name(latimer_stop_reason reason);

/* A token's score, after the logits processors. */
typedef struct latimer_token_score {
  float log_probability; /* natural logarithm; 0 for a forced token */
  float margin;          /* to the second best token; may be infinite */
} latimer_token_score;

/* A target token, in the translation, and the source token that it was aligned
 * to, in the text, or the part of one, that was translated; an empty range:
 * none. See TokenLink in latimer/translation.h. */
typedef struct latimer_token_link {
  latimer_text_range target;
  latimer_text_range source;
} latimer_token_link;

/* A translation, or a part of one.
 *
 * A text is translated in parts, one for each sentence or line; a sentence that
 * exceeds the longest source has several. Of a text of several parts
 * latimer_translate gives what holds for all of it, and leaves out what belongs
 * to a part: tokens, source, scores, attention, hypotheses and links are NULL
 * or 0. To get these too, translate part by part: latimer_translate_next. */
typedef struct latimer_translation {
  size_t struct_bytes;
  const char* text; /* text_bytes bytes, not zero-terminated; NULL for ids */
  size_t text_bytes;
  const int32_t* tokens; /* of the target, EOS included if it was produced */
  size_t token_count;
  size_t source_bytes; /* of the parts that have begun, of which the last may be
                          incomplete after LATIMER_BUDGET and
                          LATIMER_CANCELLED; 0 for ids */
  const char* space;   /* of a part that others follow: what to write between
                          its translation and theirs; it may view the text */
  size_t space_bytes;
  latimer_stop_reason stop_reason; /* of all parts, the most severe */
  size_t generated_tokens; /* of all parts, and of a loop that was cut */
  const int32_t* source;   /* tokens that were read, those included that the
                              model puts around every text */
  size_t source_count;
  const latimer_token_score* scores; /* one for each token, or NULL */
  const latimer_token_link* links;   /* with `alignment` */
  size_t link_count;                 /* at least that of the tokens, or 0 */
  uint32_t attention_layers;         /* of latimer_attention_row; 0 without */
  uint32_t attention_heads;
  size_t attention_rows;
  size_t hypothesis_count; /* of latimer_hypothesis; 0 without beams */
  size_t parts;            /* of the text */
  double mean_score; /* with `scores`: the mean log-probability of the tokens of
                        all parts; 0 without */
} latimer_translation;

/* Translates a whole text; see Translator::Translate. `options` may be NULL,
 * here and below. */
latimer_code latimer_translate(latimer_translator* translator, const char* text,
                               size_t text_bytes,
                               const latimer_options* options,
                               latimer_translation* translation);

/* While cancelled is 1, every sentence of this translator ends before its next
 * token with LATIMER_CANCELLED. May be called by any thread and by a signal
 * handler. */
void latimer_set_cancelled(latimer_translator* translator, int cancelled);

/* ---- Running text of any length: see latimer/streams.h ---- */

/* A stream lives in latimer_text_bytes() bytes of the caller's memory, aligned
 * as for any type, which the caller may reuse at any time. */
typedef struct latimer_text latimer_text;

/* A portion of the translation; valid until the receiver returns. The library
 * sets struct_bytes. */
typedef struct latimer_streamed_text {
  size_t struct_bytes;
  const char* text; /* not zero-terminated; all of them are the translation */
  size_t text_bytes;
  const char* source; /* what it translates; 0 bytes for white space */
  size_t source_bytes;
  uint64_t line; /* line that the sentence begins on, from 1 */
  int cut;       /* 1: the sentence exceeds the longest source */
  latimer_stop_reason stop_reason;
} latimer_streamed_text;
/* Receives the translation in order. */
typedef void (*latimer_receiver)(void* context, const latimer_streamed_text*);

/* Bytes that a stream takes. */
size_t latimer_text_bytes(void);
/* Returns NULL if memory_bytes are too few, or the options are refused (see
 * latimer_message). What the options point to must live as long as the stream,
 * which may have another text after each finish. */
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

/* ---- Numbers: see latimer/number_check.h ---- */

/* Most numbers that latimer_check_numbers finds. */
enum { LATIMER_MOST_CHECKED_NUMBERS = 256 };

/* Compares the numbers of a text with those of its translation, whatever made
 * it. Returns how many are missing or surplus; 0: none. Writes the bytes of the
 * first range_count of them: of those that the translation lacks, in the
 * source, and then of those that the source lacks, in the translation.
 * *missing_count, if it is not NULL, receives how many the translation lacks.
 */
size_t latimer_check_numbers(const char* source, size_t source_bytes,
                             const char* translation, size_t translation_bytes,
                             latimer_text_range* ranges, size_t range_count,
                             size_t* missing_count);

/* ---- The model ---- */

/* What a model and its translator are. Strings live as long as the image; those
 * with a length are not zero-terminated. */
typedef struct latimer_model_info {
  size_t struct_bytes;
  uint32_t format_version;
  uint32_t threads;  /* of this translator */
  uint64_t checksum; /* of the file, XXH3-64 */
  uint64_t file_bytes;
  const char* weights;       /* "f32", "f16" or "int8" */
  const char* tile;          /* packed layout, such as "8x8" */
  const char* model_version; /* NULL: none */
  size_t model_version_bytes;
  const char* source; /* what it was converted from */
  size_t source_bytes;
  const char* license;
  size_t license_bytes;
  uint32_t source_vocabulary; /* tokens */
  uint32_t target_vocabulary;
  uint32_t max_source_tokens; /* EOS included, that build and model hold */
  uint32_t max_target_tokens;
  int32_t eos;
  int has_tokenizer; /* 0: it translates ids only */
  size_t language_count;
  size_t task_count;
  double certified_share; /* of tokens that the f32 model chooses as well, by
                             the model's certificate; 0: it has none */
} latimer_model_info;

/* Fills *info. LATIMER_INVALID_ARGUMENT if its struct_bytes are wrong. */
latimer_code latimer_get_model_info(latimer_translator* translator,
                                    latimer_model_info* info);

/* Code of a language, such as "deu_Latn", for latimer_options, and its token;
 * in ascending order. NULL if there is no such language. */
const char* latimer_language(const latimer_translator* translator, size_t index,
                             int32_t* token);

/* Name of a task, such as "summarization", and its prefix, "summarize: ".
 * NULL if there is no such task. `prefix` may be NULL. */
const char* latimer_task(const latimer_translator* translator, size_t index,
                         const char** prefix);

/* ---- HTML of any size: see latimer/streams.h ---- */

/* Lives in latimer_html_bytes() bytes of the caller's memory, like a text
 * stream. With two models, the receiver of the first one's HTML pushes it into
 * that of the second. */
typedef struct latimer_html latimer_html;

/* Receives the output in order: all `html`s, one after another. */
typedef void (*latimer_html_receiver)(void* context, const char* html,
                                      size_t html_bytes);

/* Bytes that it takes. */
size_t latimer_html_bytes(void);
/* As latimer_text_begin. The model must have been loaded with room for
 * alignment. */
latimer_html* latimer_html_begin(latimer_translator* translator,
                                 const latimer_options* options,
                                 latimer_html_receiver receiver, void* context,
                                 void* memory, size_t memory_bytes);
/* Takes more of the document. Sentences may be under way when it returns. */
latimer_code latimer_html_push(latimer_html* html, const char* bytes,
                               size_t byte_count);
/* Translates what is left; the next push begins another document. */
latimer_code latimer_html_finish(latimer_html* html);

/* ---- Speech of any length: see latimer/speech_stream.h ---- */

/* Transcribes recordings, one after another, with a model that reads speech. It
 * lives in latimer_speech_bytes() bytes of the caller's memory, about 2 MB,
 * like a text stream. */
typedef struct latimer_speech latimer_speech;

/* How to transcribe; all zero: as it is usual. More in
 * latimer/transcriber.h. */
typedef struct latimer_speech_options {
  size_t struct_bytes;
  const char* language;   /* spoken, such as "de"; NULL: the model tells */
  const char* prompt;     /* words of the subject, as they are to be spelled */
  size_t max_tokens;      /* of a window; 0: as many as the model writes */
  uint32_t pcm_rate;      /* samples per second of raw PCM of 16 bits,
                             little-endian, mono; 0: recordings are WAVs */
  int translate;          /* 1: write English, whatever is spoken */
  int short_window;       /* 1: encode what was spoken and 3 s of silence */
  int no_timestamps;      /* 1: a window is a segment, and is cut in a pause */
  int no_previous_text;   /* 1: read each window without the text before it */
  int no_fallback;        /* 1: never try again at a higher temperature */
  size_t word_timestamps; /* 1: segments have words */
} latimer_speech_options;

/* A word, with the marks beside it: latimer::TranscriptionWord. */
typedef struct latimer_word {
  const char* text; /* not zero-terminated, with the space that it begins with;
                       all of a segment are its text */
  size_t text_bytes;
  double start; /* seconds from the beginning of the recording */
  double end;
  float probability;
} latimer_word;

/* What is said from one time to another: latimer::TranscriptionSegment
 * (transcriber.h). Valid until the receiver returns. The library sets
 * struct_bytes. */
typedef struct latimer_segment {
  size_t struct_bytes;
  const char* text; /* not zero-terminated, with the space that it begins with;
                       all of them are the text */
  size_t text_bytes;
  const char* language; /* what is spoken; "": the model has one language */
  double start;         /* seconds from the beginning of the recording */
  double end;
  const int32_t* tokens;
  size_t token_count;
  float temperature; /* that its tokens were drawn at; 0: none */
  float avg_logprob; /* of these and the rest: of its window of 30 seconds */
  float compression_ratio;
  float no_speech_prob; /* the probability that nothing is said */
  float language_probability;
  latimer_stop_reason stop_reason;
  const latimer_word* words; /* with word_timestamps; otherwise none */
  size_t word_count;
} latimer_segment;
/* Receives the segments in order. */
typedef void (*latimer_segment_receiver)(void* context, const latimer_segment*);

/* Bytes that it takes; 0: this build reads no speech. */
size_t latimer_speech_bytes(void);
/* As latimer_text_begin. Returns NULL, too, if the model reads text.
 */
latimer_speech* latimer_speech_begin(latimer_translator* translator,
                                     const latimer_speech_options* options,
                                     latimer_segment_receiver receiver,
                                     void* context, void* memory,
                                     size_t memory_bytes);
/* Takes more of the recording, and transcribes the windows that are now
 * complete. While latimer_set_cancelled holds, speech is dropped. */
latimer_code latimer_speech_push(latimer_speech* speech, const void* bytes,
                                 size_t byte_count);
/* Transcribes what is left; the next push begins another recording. */
latimer_code latimer_speech_finish(latimer_speech* speech);

/* ---- Text and tokens ---- */

/* Writes the source tokens of a text to `ids`, EOS included, as Hugging Face's
 * tokenizer does, and their number to *id_count. LATIMER_TEXT_TOO_LONG if there
 * are more than `most`. */
latimer_code latimer_tokenize(latimer_translator* translator, const char* text,
                              size_t text_bytes, int32_t* ids, size_t most,
                              size_t* id_count);

/* Writes the tokens of a text of the target likewise, without EOS: for a target
 * prefix or a banned word. LATIMER_INVALID_ARGUMENT if the model cannot do
 * that; see latimer-convert --no-target-tokenizer. */
latimer_code latimer_tokenize_target(latimer_translator* translator,
                                     const char* text, size_t text_bytes,
                                     int32_t* ids, size_t most,
                                     size_t* id_count);

/* The number of tokens that latimer_tokenize writes. */
latimer_code latimer_count_tokens(latimer_translator* translator,
                                  const char* text, size_t text_bytes,
                                  size_t* id_count);

/* The text of target tokens, without special ones; not zero-terminated, valid
 * until the next call. */
latimer_code latimer_detokenize(latimer_translator* translator,
                                const int32_t* ids, size_t id_count,
                                const char** text, size_t* text_bytes);

/* Bytes of the longest piece, with a terminating zero. */
#define LATIMER_PIECE_BYTES 1024

/* Writes the piece of a source or target token to `piece`, zero-terminated,
 * with U+2581 for a space, and returns its bytes without the zero; 0 if there
 * is no tokenizer or no such token. It is slow, and meant for display. */
size_t latimer_source_piece(const latimer_translator* translator, int32_t token,
                            char piece[LATIMER_PIECE_BYTES]);
size_t latimer_target_piece(const latimer_translator* translator, int32_t token,
                            char piece[LATIMER_PIECE_BYTES]);

/* Bytes of the >>language<< code that a text begins with; 0 if there is none or
 * the model has no such codes. */
size_t latimer_language_code_bytes(const latimer_translator* translator,
                                   const char* text, size_t text_bytes);

/* ---- Source tokens in place of a text ---- */

/* Translates source tokens as they are: no EOS is added. */
latimer_code latimer_translate_ids(latimer_translator* translator,
                                   const int32_t* ids, size_t id_count,
                                   const latimer_options* options,
                                   latimer_translation* translation);

/* ---- More about options ---- */

/* The name of an option, by its place from 0 on; NULL after the last one. */
const char* latimer_option_name(size_t place);
/* LATIMER_INVALID_ARGUMENT if options contradict each other, or if one has no
 * effect because of what others or the model say. A translation ignores such
 * options. */
latimer_code latimer_check_options(latimer_translator* translator,
                                   const latimer_options* options);

/* ---- More about a translation: the one that the last call gave ---- */

/* The text of hypothesis `index` of a text, or of a part of one, the best one
 * first, or with index 0 of a translation without hypotheses, with what the
 * options protect; not zero-terminated, valid until the next call, in place of
 * the translation's text. */
latimer_code latimer_hypothesis_text(latimer_translator* translator,
                                     size_t index, const char** text,
                                     size_t* text_bytes);

/* Its tokens, and the sum of their log-probabilities divided by their number to
 * the power of the length penalty. 0 if there is none. */
int latimer_hypothesis(const latimer_translator* translator, size_t index,
                       const int32_t** tokens, size_t* token_count,
                       float* score);

/* A word's score: the mean log-probability of its tokens. */
typedef struct latimer_word_score {
  size_t begin; /* bytes [begin, end) of the text */
  size_t end;
  float log_probability;
} latimer_word_score;

/* Writes the scores of the words of a translation that has token scores, and
 * their number; see Translator::ScoreWords. LATIMER_FAILED_PRECONDITION if the
 * translation has several parts. */
latimer_code latimer_score_words(latimer_translator* translator,
                                 latimer_word_score* words, size_t most,
                                 size_t* word_count);

/* The attention weights of one layer and head in a row: *columns numbers whose
 * sum is 1. NULL if the translation has none, or no such row. All weights
 * follow (0, 0, 0): row by row, in a row layer by layer, in a layer head by
 * head. */
const float* latimer_attention_row(const latimer_translator* translator,
                                   uint32_t layer, uint32_t head, size_t row,
                                   size_t* columns);

/* ---- A text of any length, part by part: see latimer/text_cursor.h ----
 *
 *   while (!latimer_cursor_done(cursor)) {
 *     if (latimer_translate_next(translator, cursor, &part) != LATIMER_OK) ...
 *     ... part.text, and part.space if !latimer_cursor_done(cursor) ...
 *   }
 *
 * All that concerns several parts is the cursor's business: the budget, the
 * language code that the text begins with, protected ranges, and that only the
 * first part has the target prefix. */

/* What is left of a text, in latimer_cursor_bytes() bytes of the caller's
 * memory, aligned as for any type, which the caller may reuse at any time. */
typedef struct latimer_cursor latimer_cursor;

/* Bytes that a cursor takes. */
size_t latimer_cursor_bytes(void);
/* Returns NULL if memory_bytes are too few, or the text or the options are
 * refused (see latimer_message). A budget_ms begins now. */
latimer_cursor* latimer_cursor_begin(latimer_translator* translator,
                                     const char* text, size_t text_bytes,
                                     const latimer_options* options,
                                     void* memory, size_t memory_bytes);
/* Translates the next part, whose bytes and stop reason `translation` has, with
 * the translator of the cursor. LATIMER_FAILED_PRECONDITION if none may begin.
 * Other errors: those of Translator::TranslateNext. */
latimer_code latimer_translate_next(latimer_translator* translator,
                                    latimer_cursor* cursor,
                                    latimer_translation* translation);
/* Begins the next part beside other sentences; see latimer_advance. `begun`, if
 * it is not NULL, receives source_bytes. Once the part has finished, which says
 * what `space` there is behind it, latimer_cursor_finish must be told, once and
 * in any order. */
latimer_code latimer_begin_next(latimer_translator* translator,
                                latimer_cursor* cursor, uint64_t ticket,
                                latimer_translation* begun);
void latimer_cursor_finish(latimer_cursor* cursor,
                           const latimer_translation* part);
/* 1: the next part may begin. With a budget, parts go one after another. */
int latimer_cursor_can_begin(const latimer_cursor* cursor);
/* 1: no further part will begin: the text has ended, or a budget or the caller
 * ended it. */
int latimer_cursor_done(const latimer_cursor* cursor);
/* Of the parts that have finished, the most severe reason; LATIMER_BUDGET if
 * nothing was left for the next part. */
latimer_stop_reason latimer_cursor_stop_reason(const latimer_cursor* cursor);
/* Bytes of the parts that have begun, white space after them included. */
size_t latimer_cursor_source_bytes(const latimer_cursor* cursor);
/* From now on the text that has not begun lies at `rest`: all of it, or its
 * first latimer_cursor_window_bytes() bytes. So a text of any length can go
 * through memory of fixed size. */
void latimer_cursor_move(latimer_cursor* cursor, const char* rest,
                         size_t rest_bytes);
size_t latimer_cursor_window_bytes(void);

/* ---- Several sentences side by side: see Translator::Begin ----
 *
 * Begin sentences with this or with latimer_begin_next while latimer_can_begin
 * returns 1, then call latimer_advance until latimer_under_way is 0. Each gets
 * the tokens that it gets alone. */

/* Begins the translation of source tokens; see Translator::BeginIds. */
latimer_code latimer_begin_ids(latimer_translator* translator,
                               const int32_t* ids, size_t id_count,
                               const latimer_options* options, uint64_t ticket);
/* 1 if a sentence may begin. */
int latimer_can_begin(const latimer_translator* translator);
/* Sentences that have begun and were not yet returned by latimer_advance. */
size_t latimer_under_way(const latimer_translator* translator);

/* Generates a token for each sentence. If one has finished, *finished is 1,
 * *ticket is its ticket, and *translation its translation, or the code says why
 * there is none; see Translator::Advance. */
latimer_code latimer_advance(latimer_translator* translator, int* finished,
                             uint64_t* ticket,
                             latimer_translation* translation);

/* ---- Loading from memory of the caller's ----
 *
 *   latimer_map_file        the bytes of a model file
 *   latimer_plan_workspace  how much memory this model needs
 *   latimer_load            makes a translator in that memory
 *   latimer_unload */

/* Maps a model file of any size read-only. *image is aligned to a page.
 * LATIMER_RESOURCE_UNAVAILABLE if there is no such file, or it cannot be
 * mapped; LATIMER_INVALID_ARGUMENT if the path is NULL. */
latimer_code latimer_map_file(const char* path, const void** image,
                              size_t* image_bytes, char* message,
                              size_t message_bytes);

/* After latimer_unload. */
void latimer_unmap_file(const void* image, size_t image_bytes);

/* Bytes that latimer_plan_workspace works in. */
size_t latimer_scratch_bytes(void);

/* Reads from a model file how large a workspace must be to load it with these
 * options (NULL: all zero). Works in `scratch`, memory at any address, which
 * may be freed after the call. *cached_token_bytes, if it is not NULL, receives
 * what room for one more token takes in the caches of several lanes: see
 * WorkspacePlan in latimer/plan.h. Errors: those of latimer_load that concern
 * the file. */
latimer_code latimer_plan_workspace(const void* image, size_t image_bytes,
                                    const latimer_load_options* options,
                                    void* scratch, size_t scratch_bytes,
                                    size_t* workspace_bytes,
                                    uint64_t* cached_token_bytes, char* message,
                                    size_t message_bytes);

/* Bytes that are enough for any model of this build, and the alignment of
 * images. A workspace may be at any address; what is before its first multiple
 * of the alignment is not used. */
size_t latimer_workspace_bytes(void);
size_t latimer_workspace_alignment(void);

/* For static memory, upper bounds of latimer_workspace_bytes(), where the
 * profile's workspace has so many bytes as `latimer plan` says, and of the
 * functions of the same names. An amalgamation for one model also has
 * LATIMER_WORKSPACE_BYTES. */
#define LATIMER_WORKSPACE_BYTES_FOR(profile_bytes) ((profile_bytes) + 1024)
#define LATIMER_CURSOR_BYTES 1024
#define LATIMER_TEXT_BYTES 12288
#define LATIMER_HTML_BYTES 200704
#define LATIMER_SPEECH_BYTES 2097152

/* Verifies a model and prepares the workspace. The image must be aligned; image
 * and workspace must live until latimer_unload. On success *translator is set,
 * on failure it is NULL. Several translators may share an image; each needs a
 * workspace of its own. Errors: those of Translator::Load
 * (latimer/translator.h). */
latimer_code latimer_load(const void* image, size_t image_bytes,
                          void* workspace, size_t workspace_bytes,
                          const latimer_load_options* options,
                          latimer_translator** translator, char* message,
                          size_t message_bytes);

/* Loads another model in place of the one of a translator, into the same
 * workspace, after the sentences under way, the streams and the cursors of this
 * translator have ended. If it fails, the old model stays loaded, so its image
 * must stay, too. Only LATIMER_RESOURCE_UNAVAILABLE leaves no model: then call
 * nothing but latimer_message, this again, or latimer_unload. Errors: those of
 * latimer_load. */
latimer_code latimer_reload(latimer_translator* translator, const void* image,
                            size_t image_bytes,
                            const latimer_load_options* options);

/* Stops the threads. The workspace and the image may then be freed. */
void latimer_unload(latimer_translator* translator);

/* ---- Signed models: see latimer/signature.h ---- */

/* Writes the bytes of the signed file that an image begins with: the model's
 * own and its signature's, without what follows, such as the rest of a flash
 * partition. Errors: see SignedBytes. */
latimer_code latimer_signed_bytes(const void* image, size_t image_bytes,
                                  size_t* signed_bytes, char* message,
                                  size_t message_bytes);

/* Checks that the owner of a public key, in PEM and zero-terminated, has signed
 * the file that an image begins with. LATIMER_INVALID_ARGUMENT if that is no
 * such key, or the build has no libsodium. Other errors: see SignedBytes and
 * VerifySignature. */
latimer_code latimer_verify_signature(const void* image, size_t image_bytes,
                                      const char* public_key, char* message,
                                      size_t message_bytes);

#ifdef __cplusplus
}
#endif

#endif /* LATIMER_LATIMER_H_ */
