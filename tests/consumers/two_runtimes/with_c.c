/* Translates with the C API of the other runtime. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latimer/latimer.h"

bool TranslateShort(const void* image, size_t bytes, const char* text) {
  const size_t workspace_bytes = latimer_workspace_bytes();
  void* workspace =
      aligned_alloc(latimer_workspace_alignment(), workspace_bytes);
  char message[400];
  latimer_translator* translator;
  latimer_translation translation = {.struct_bytes = sizeof(translation)};
  if (latimer_load(image, bytes, workspace, workspace_bytes, /*options=*/NULL,
                   &translator, message, sizeof(message)) != LATIMER_OK) {
    fprintf(stderr, "%s\n", message);
    return false;
  }
  const bool translated =
      latimer_translate(translator, text, strlen(text), /*options=*/NULL,
                        &translation) == LATIMER_OK;
  if (translated) {
    printf("%.*s\n", (int)translation.text_bytes, translation.text);
  }
  latimer_unload(translator);
  free(workspace);
  return translated;
}
