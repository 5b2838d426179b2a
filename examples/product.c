/* What a product does with models: it has two slots of flash, which files stand
 * for here; it takes the first one whose signature is good, translates, and
 * keeps the model that it has if the other one is refused.
 * docs/tutorials/product.md explains it.
 *
 *   example_product PUBLIC_KEY.pem SLOT OTHER_SLOT
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "latimer/latimer.h"

typedef struct slot {
  const void* image;
  size_t bytes;
} slot;

typedef struct device {
  char key[1024]; /* in a product, a constant */
  slot slots[2];
  void* workspace;
  size_t workspace_bytes;
  latimer_translator* translator; /* NULL: none */
  unsigned heartbeats;
} device;

/* What a log has: names, numbers and the message, never the text. */
static latimer_code Log(const char* what, int slot, latimer_code code,
                        const char* message) {
  printf("%s %d: %s%s%s\n", what, slot, latimer_strcode(code),
         code == LATIMER_OK ? "" : ": ", code == LATIMER_OK ? "" : message);
  return code;
}

/* The signature covers every byte, so that loading need not check them again.
 * It may take seconds on a small processor: tell the watchdog before. */
static latimer_code Take(device* d, int number) {
  const slot* s = &d->slots[number];
  const latimer_load_options options = {
      .struct_bytes = sizeof(options), .lanes = 1, .trust_file = 1};
  latimer_model_info info = {.struct_bytes = sizeof(info)};
  char message[LATIMER_MESSAGE_BYTES] = "";
  latimer_code code = latimer_verify_signature(s->image, s->bytes, d->key,
                                               message, sizeof(message));
  if (code != LATIMER_OK)
    return Log("signature of slot", number, code, message);
  if (d->translator == NULL) {
    code = latimer_load(s->image, s->bytes, d->workspace, d->workspace_bytes,
                        &options, &d->translator, message, sizeof(message));
  } else {
    code = latimer_reload(d->translator, s->image, s->bytes, &options);
    if (code != LATIMER_OK) strcpy(message, latimer_message(d->translator));
    if (code == LATIMER_RESOURCE_UNAVAILABLE) { /* the one without a model */
      latimer_unload(d->translator);
      d->translator = NULL;
    }
  }
  if (code != LATIMER_OK) return Log("model of slot", number, code, message);
  latimer_get_model_info(d->translator, &info);
  printf("slot %d: checksum %016llx, version %.*s, %lu bytes, Latimer %s\n",
         number, (unsigned long long)info.checksum,
         info.model_version_bytes == 0 ? 4 : (int)info.model_version_bytes,
         info.model_version_bytes == 0 ? "none" : info.model_version,
         (unsigned long)info.file_bytes, latimer_version());
  return LATIMER_OK;
}

/* Runs after each token: a product tells the task that feeds the watchdog. */
static bool Heartbeat(void* context, size_t index, int32_t token) {
  (void)index;
  (void)token;
  ++((device*)context)->heartbeats;
  return true;
}

static void Translate(device* d, const char* text) {
  latimer_options options = {.struct_bytes = sizeof(options)};
  latimer_translation out = {.struct_bytes = sizeof(out)};
  const clock_t begin = clock();
  latimer_code code;
  options.on_token = Heartbeat;
  options.token_context = d;
  if (latimer_set_option(&options, "budget_ms", "2000", NULL, 0) !=
      LATIMER_OK) {
    return;
  }
  code = latimer_translate(d->translator, text, strlen(text), &options, &out);
  if (code != LATIMER_OK) {
    Log("translation", 0, code, latimer_message(d->translator));
    return;
  }
  printf("%.*s\n", (int)out.text_bytes, out.text);
  fprintf(stderr, "telemetry: %s, %lu tokens, %lu of %lu bytes, %.1f ms\n",
          latimer_stop_reason_name(out.stop_reason),
          (unsigned long)out.generated_tokens, (unsigned long)out.source_bytes,
          (unsigned long)strlen(text),
          1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC);
}

/* A workspace for the larger of the two. */
static int Reserve(device* d) {
  const latimer_load_options options = {.struct_bytes = sizeof(options),
                                        .lanes = 1};
  void* const scratch = malloc(latimer_scratch_bytes());
  int i;
  for (i = 0; scratch != NULL && i < 2; ++i) {
    size_t bytes = 0;
    if (latimer_plan_workspace(d->slots[i].image, d->slots[i].bytes, &options,
                               scratch, latimer_scratch_bytes(), &bytes, NULL,
                               NULL, 0) == LATIMER_OK &&
        bytes > d->workspace_bytes) {
      d->workspace_bytes = bytes;
    }
  }
  free(scratch);
  d->workspace = malloc(d->workspace_bytes);
  return d->workspace != NULL;
}

int main(int argc, char** argv) {
  static device d;
  char message[LATIMER_MESSAGE_BYTES];
  FILE* key = argc == 4 ? fopen(argv[1], "rb") : NULL;
  int i;
  if (key == NULL) {
    fputs("usage: example_product PUBLIC_KEY.pem SLOT OTHER_SLOT\n", stderr);
    return 2;
  }
  (void)!fread(d.key, 1, sizeof(d.key) - 1, key);
  fclose(key);
  for (i = 0; i < 2; ++i) {
    if (latimer_map_file(argv[2 + i], &d.slots[i].image, &d.slots[i].bytes,
                         message, sizeof(message)) != LATIMER_OK) {
      fprintf(stderr, "%s: %s\n", argv[2 + i], message);
      return 1;
    }
  }
  if (!Reserve(&d)) return 1;
  for (i = 0; i < 2 && d.translator == NULL; ++i) Take(&d, i);
  if (d.translator == NULL) {
    fputs("no slot has a model\n", stderr);
    return 1;
  }
  Translate(&d, "Where is the station?");
  if (i == 1) { /* An update has come into the other slot. */
    Take(&d, 1);
    Translate(&d, "Where is the station?");
  }
  latimer_unload(d.translator);
  return 0;
}
