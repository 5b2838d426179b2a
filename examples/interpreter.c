/* Hears one language and writes another, sentence by sentence, with the C API:
 *   arecord -q -f S16_LE -r 16000 -c 1 -t raw |
 *     example_interpreter WHISPER.ltm MODEL.ltm
 */

#include <stdio.h>
#include <stdlib.h>

#include "latimer/latimer.h"

static latimer_translator* Open(const char* path) {
  const latimer_load_options options = {.struct_bytes = sizeof(options),
                                        .lanes = 1};
  char message[LATIMER_MESSAGE_BYTES];
  latimer_translator* translator;
  if (latimer_open(path, &options, &translator, message, sizeof(message)) !=
      LATIMER_OK) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
  return translator;
}

static void Check(int ok, const latimer_translator* translator) {
  if (ok) return;
  fprintf(stderr, "%s\n", latimer_message(translator));
  exit(1);
}

static void Write(void* context, const latimer_streamed_text* text) {
  (void)context;
  fwrite(text->text, 1, text->text_bytes, stdout);
  fflush(stdout);
}

typedef struct {
  latimer_translator* translator;
  latimer_text* text;
} mouth;

/* What was said continues the text; its sentences are translated when they are
 * complete. */
static void Hear(void* context, const latimer_segment* segment) {
  const mouth* m = context;
  Check(latimer_text_push(m->text, segment->text, segment->text_bytes) ==
            LATIMER_OK,
        m->translator);
}

int main(int argc, char** argv) {
  const latimer_speech_options options = {.struct_bytes = sizeof(options),
                                          .pcm_rate = 16000};
  latimer_translator* ears;
  latimer_speech* speech;
  mouth m;
  void *speech_memory, *text_memory;
  char samples[3200]; /* a tenth of a second */
  size_t bytes;
  if (argc != 3) {
    fputs("usage: example_interpreter WHISPER.ltm MODEL.ltm < PCM\n", stderr);
    return 2;
  }
  ears = Open(argv[1]);
  m.translator = Open(argv[2]);
  text_memory = malloc(latimer_text_bytes());
  speech_memory = malloc(latimer_speech_bytes());
  m.text =
      latimer_text_begin(m.translator, /*options=*/NULL, Write,
                         /*context=*/NULL, text_memory, latimer_text_bytes());
  Check(m.text != NULL, m.translator);
  speech = latimer_speech_begin(ears, &options, Hear, &m, speech_memory,
                                latimer_speech_bytes());
  Check(speech != NULL, ears);
  while ((bytes = fread(samples, 1, sizeof(samples), stdin)) > 0) {
    Check(latimer_speech_push(speech, samples, bytes) == LATIMER_OK, ears);
  }
  Check(latimer_speech_finish(speech) == LATIMER_OK, ears);
  Check(latimer_text_finish(m.text) == LATIMER_OK, m.translator);
  putchar('\n');
  latimer_close(m.translator);
  latimer_close(ears);
  free(speech_memory);
  free(text_memory);
  return 0;
}
