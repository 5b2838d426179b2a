/* Most of the C API in one program: example_tour MODEL.ltm TEXT
 *
 * Prints what the model is, the tokens of the text, its translation with the
 * score of each token and the source token it attends to most, and translates
 * the text again: its words side by side, part by part, and as a stream. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latimer/latimer.h"

enum { kMaxTokens = 256, kMaxWords = 64 };

/* Ends the program with the sentence of the call that failed. */
static void check(latimer_code code, const char* message) {
  if (code == LATIMER_OK) return;
  fprintf(stderr, "%s\n", message);
  exit(1);
}

/* ---- Loading: a file of any size, and as much memory as it needs ---- */

typedef struct model {
  const void* image;
  size_t image_bytes;
  void* workspace;
  latimer_translator* translator;
} model;

static model load(const char* path) {
  const latimer_load_options options = {
      .struct_bytes = sizeof(options), .threads = 1, .lanes = 4};
  const size_t scratch_bytes = latimer_scratch_bytes();
  void* scratch = malloc(scratch_bytes);
  size_t workspace_bytes;
  char message[LATIMER_MESSAGE_BYTES];
  model m;
  check(latimer_map_file(path, &m.image, &m.image_bytes, message,
                         sizeof(message)),
        message);
  check(latimer_plan_workspace(m.image, m.image_bytes, &options, scratch,
                               scratch_bytes, &workspace_bytes, NULL, message,
                               sizeof(message)),
        message);
  free(scratch);
  m.workspace = malloc(workspace_bytes);
  check(latimer_load(m.image, m.image_bytes, m.workspace, workspace_bytes,
                     &options, &m.translator, message, sizeof(message)),
        message);
  return m;
}

static void unload(model* m) {
  latimer_unload(m->translator); /* before what it reads and writes goes */
  free(m->workspace);
  latimer_unmap_file(m->image, m->image_bytes);
}

/* ---- What the model is ---- */

static void print_model(latimer_translator* translator) {
  latimer_model_info info = {.struct_bytes = sizeof(info)};
  const char* name;
  const char* prefix;
  int32_t token;
  size_t i;
  check(latimer_get_model_info(translator, &info), latimer_message(translator));
  printf("Latimer %s, compiled with %s\n", latimer_version(), LATIMER_VERSION);
  printf("model: %s, tile %s, %llu bytes, checksum %016llx\n", info.weights,
         info.tile, (unsigned long long)info.file_bytes,
         (unsigned long long)info.checksum);
  printf("licence: %u bytes\n", (unsigned)info.license_bytes);
  printf("vocabularies: %u source, %u target; at most %u and %u tokens\n",
         (unsigned)info.source_vocabulary, (unsigned)info.target_vocabulary,
         (unsigned)info.max_source_tokens, (unsigned)info.max_target_tokens);
  for (i = 0; (name = latimer_language(translator, i, &token)) != NULL; ++i) {
    printf("language: %s, token %d\n", name, (int)token);
  }
  for (i = 0; (name = latimer_task(translator, i, &prefix)) != NULL; ++i) {
    printf("task: %s, prefix \"%s\"\n", name, prefix);
  }
}

/* ---- Text and tokens ---- */

static void print_tokens(latimer_translator* translator, const char* text) {
  int32_t ids[kMaxTokens];
  char piece[LATIMER_PIECE_BYTES];
  size_t count, i;
  check(
      latimer_tokenize(translator, text, strlen(text), ids, kMaxTokens, &count),
      latimer_message(translator));
  for (i = 0; i < count; ++i) {
    latimer_source_piece(translator, ids[i], piece);
    printf("source token: %d %s\n", (int)ids[i], piece);
  }
}

/* The source token that all layers and heads together attend to most. */
static size_t most_attended(const latimer_translator* translator,
                            const latimer_translation* t, size_t row) {
  size_t best = 0, column;
  double best_weight = -1;
  for (column = 0; column < t->source_count; ++column) {
    double weight = 0;
    uint32_t layer, head;
    for (layer = 0; layer < t->attention_layers; ++layer) {
      for (head = 0; head < t->attention_heads; ++head) {
        size_t columns;
        weight += latimer_attention_row(translator, layer, head, row,
                                        &columns)[column];
      }
    }
    if (weight > best_weight) {
      best = column;
      best_weight = weight;
    }
  }
  return best;
}

static bool count_token(void* context, size_t index, int32_t token) {
  (void)index;
  (void)token;
  ++*(size_t*)context;
  return true; /* false would end the translation */
}

static void set(latimer_options* options, const char* name, const char* value) {
  char message[LATIMER_MESSAGE_BYTES];
  check(latimer_set_option(options, name, value, message, sizeof(message)),
        message);
}

static void print_translation(latimer_translator* translator,
                              const char* text) {
  size_t told = 0, i;
  latimer_options options = {.struct_bytes = sizeof(options),
                             .on_token = count_token,
                             .token_context = &told};
  latimer_translation t = {.struct_bytes = sizeof(t)};
  char piece[LATIMER_PIECE_BYTES], source[LATIMER_PIECE_BYTES];
  const char* again;
  size_t again_bytes;
  int32_t ids[kMaxTokens];
  size_t count;
  set(&options, "attention", "cross");
  set(&options, "scores", "true");
  check(latimer_translate(translator, text, strlen(text), &options, &t),
        latimer_message(translator));
  printf("translation: %.*s\n", (int)t.text_bytes, t.text);
  printf("stop reason %d after %u tokens, of which the callback saw %u\n",
         (int)t.stop_reason, (unsigned)t.generated_tokens, (unsigned)told);
  for (i = 0; i < t.token_count; ++i) {
    latimer_target_piece(translator, t.tokens[i], piece);
    printf("target token: %d %s, score %.4f", (int)t.tokens[i], piece,
           t.scores[i].log_probability);
    if (i < t.attention_rows) {
      latimer_source_piece(translator,
                           t.source[most_attended(translator, &t, i)], source);
      printf(", from %s", source);
    }
    printf("\n");
  }
  /* The next call reuses the memory of this translation. */
  count = t.token_count < kMaxTokens ? t.token_count : kMaxTokens;
  memcpy(ids, t.tokens, count * sizeof(ids[0]));
  check(latimer_detokenize(translator, ids, count, &again, &again_bytes),
        latimer_message(translator));
  printf("detokenized: %.*s\n", (int)again_bytes, again);
}

/* ---- Several sentences side by side ---- */

static void print_words(latimer_translator* translator, const char* text) {
  char* words[kMaxWords] = {NULL};
  void* memory = malloc(latimer_cursor_bytes());
  latimer_translation t = {.struct_bytes = sizeof(t)};
  size_t count = 0, next = 0, i;
  while (count < kMaxWords && *(text += strspn(text, " ")) != '\0') {
    const size_t length = strcspn(text, " ");
    words[count] = calloc(length + 1, 1);
    memcpy(words[count++], text, length);
    text += length;
  }
  while (next < count || latimer_under_way(translator) > 0) {
    int finished;
    uint64_t ticket;
    /* Words fit, so that each is one part, and one cursor will do. */
    while (next < count && latimer_can_begin(translator)) {
      latimer_cursor* cursor =
          latimer_cursor_begin(translator, words[next], strlen(words[next]),
                               NULL, memory, latimer_cursor_bytes());
      check(latimer_begin_next(translator, cursor, next, NULL),
            latimer_message(translator));
      ++next;
    }
    check(latimer_advance(translator, &finished, &ticket, &t),
          latimer_message(translator));
    if (!finished) continue;
    /* They finish in any order: keep the text for its place. */
    words[ticket] = realloc(words[ticket], t.text_bytes + 1);
    memcpy(words[ticket], t.text, t.text_bytes);
    words[ticket][t.text_bytes] = '\0';
  }
  for (i = 0; i < count; ++i) {
    printf("word: %s\n", words[i]);
    free(words[i]);
  }
  free(memory);
}

/* ---- A text of any length ---- */

static void print_parts(latimer_translator* translator, const char* text) {
  void* memory = malloc(latimer_cursor_bytes());
  latimer_translation part = {.struct_bytes = sizeof(part)};
  latimer_cursor* cursor = latimer_cursor_begin(
      translator, text, strlen(text), NULL, memory, latimer_cursor_bytes());
  while (!latimer_cursor_done(cursor)) {
    check(latimer_translate_next(translator, cursor, &part),
          latimer_message(translator));
    printf("part: %.*s\n", (int)part.text_bytes, part.text);
  }
  printf("stop reason %d after %u bytes\n",
         (int)latimer_cursor_stop_reason(cursor),
         (unsigned)latimer_cursor_source_bytes(cursor));
  free(memory);
}

/* ---- Running text ---- */

static void print_portion(void* context, const latimer_streamed_text* portion) {
  (void)context;
  fwrite(portion->text, 1, portion->text_bytes, stdout);
}

static void print_stream(latimer_translator* translator, const char* text) {
  void* memory = malloc(latimer_text_bytes());
  latimer_text* stream = latimer_text_begin(translator, NULL, print_portion,
                                            NULL, memory, latimer_text_bytes());
  printf("streamed: ");
  for (; *text != '\0'; ++text) { /* chunks of any size, here of one byte */
    check(latimer_text_push(stream, text, 1), latimer_message(translator));
  }
  check(latimer_text_finish(stream), latimer_message(translator));
  printf("\n");
  free(memory);
}

int main(int argc, char** argv) {
  model m;
  if (argc != 3) {
    fputs("usage: example_tour MODEL.ltm TEXT\n", stderr);
    return 2;
  }
  m = load(argv[1]);
  print_model(m.translator);
  print_tokens(m.translator, argv[2]);
  print_translation(m.translator, argv[2]);
  print_words(m.translator, argv[2]);
  print_parts(m.translator, argv[2]);
  print_stream(m.translator, argv[2]);
  unload(&m);
  return 0;
}
