/* Translates one sentence with the C API: example_c MODEL.ltm TEXT */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latimer/latimer.h"

/* Of a model of any size: maps the file, asks how much memory translation
 * takes, and loads it into a *workspace of that size, which the caller frees.
 * The mapping ends with the process. */
static latimer_translator* load(const char* path, void** workspace) {
  const latimer_load_options options = {
      .struct_bytes = sizeof(options), .lanes = 1, .no_insight = 1};
  const size_t scratch_bytes = latimer_scratch_bytes();
  void* scratch = malloc(scratch_bytes);
  const void* image;
  size_t image_bytes, workspace_bytes;
  latimer_translator* translator = NULL;
  char message[LATIMER_MESSAGE_BYTES];
  if (latimer_map_file(path, &image, &image_bytes, message, sizeof(message)) !=
          LATIMER_OK ||
      latimer_plan_workspace(image, image_bytes, &options, scratch,
                             scratch_bytes, &workspace_bytes, NULL, message,
                             sizeof(message)) != LATIMER_OK ||
      latimer_load(image, image_bytes, *workspace = malloc(workspace_bytes),
                   workspace_bytes, &options, &translator, message,
                   sizeof(message)) != LATIMER_OK) {
    fprintf(stderr, "%s\n", message);
  }
  free(scratch);
  return translator;
}

int main(int argc, char** argv) {
  latimer_translation translation = {.struct_bytes = sizeof(translation)};
  void* workspace = NULL;
  latimer_translator* translator;
  int failed = 1;
  if (argc != 3) {
    fputs("usage: example_c MODEL.ltm TEXT\n", stderr);
    return 2;
  }
  translator = load(argv[1], &workspace);
  if (translator != NULL) {
    failed = latimer_translate(translator, argv[2], strlen(argv[2]),
                               /*options=*/NULL, &translation) != LATIMER_OK;
    if (failed) {
      fprintf(stderr, "%s\n", latimer_message(translator));
    } else {
      printf("%.*s\n", (int)translation.text_bytes, translation.text);
    }
    latimer_unload(translator);
  }
  free(workspace);
  return failed;
}
