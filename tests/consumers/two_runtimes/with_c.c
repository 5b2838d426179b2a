/* Translates with the C API of the other runtime. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "latimer/latimer.h"

bool TranslateShort(const char* path, const char* text) {
  char message[400];
  latimer_translator* translator;
  latimer_translation translation = {.struct_bytes = sizeof(translation)};
  if (latimer_open(path, /*options=*/NULL, &translator, message,
                   sizeof(message)) != LATIMER_OK) {
    fprintf(stderr, "%s\n", message);
    return false;
  }
  const bool translated =
      latimer_translate(translator, text, strlen(text), /*options=*/NULL,
                        &translation) == LATIMER_OK;
  if (translated) {
    printf("%.*s\n", (int)translation.text_bytes, translation.text);
  }
  latimer_close(translator);
  return translated;
}
