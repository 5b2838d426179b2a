/* Translates one sentence with the C API: example_c MODEL.ltm TEXT */

#include <stdio.h>
#include <string.h>

#include "latimer/latimer.h"

int main(int argc, char** argv) {
  const latimer_load_options options = {
      .struct_bytes = sizeof(options), .lanes = 1, .room_for = "alignment"};
  latimer_translation translation = {.struct_bytes = sizeof(translation)};
  latimer_translator* translator;
  char message[LATIMER_MESSAGE_BYTES];
  int failed;
  if (argc != 3) {
    fputs("usage: example_c MODEL.ltm TEXT\n", stderr);
    return 2;
  }
  if (latimer_open(argv[1], &options, &translator, message, sizeof(message)) !=
      LATIMER_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  failed = latimer_translate(translator, argv[2], strlen(argv[2]),
                             /*options=*/NULL, &translation) != LATIMER_OK;
  if (failed) {
    fprintf(stderr, "%s\n", latimer_message(translator));
  } else {
    printf("%.*s\n", (int)translation.text_bytes, translation.text);
  }
  latimer_close(translator);
  return failed;
}
