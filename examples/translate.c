/* Translates one sentence with the C API: example_c MODEL.ltm TEXT */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latimer/latimer.h"

int main(int argc, char** argv) {
  FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) {
    fputs("usage: example_c MODEL.ltm TEXT\n", stderr);
    return 2;
  }
  const size_t most = 64 << 20;
  const size_t alignment = latimer_workspace_alignment();
  const size_t workspace_bytes = latimer_workspace_bytes();
  void* image = aligned_alloc(alignment, most);
  void* workspace = aligned_alloc(alignment, workspace_bytes);
  const size_t image_bytes = fread(image, 1, most, file);
  fclose(file);

  char message[400];
  latimer_translator* translator;
  latimer_translation translation;
  if (latimer_load(image, image_bytes, workspace, workspace_bytes,
                   /*threads=*/1, &translator, message,
                   sizeof(message)) != LATIMER_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  if (latimer_translate(translator, argv[2], strlen(argv[2]), /*options=*/NULL,
                        &translation) != LATIMER_OK) {
    fprintf(stderr, "%s\n", latimer_message(translator));
    return 1;
  }
  printf("%.*s\n", (int)translation.text_bytes, translation.text);
  latimer_unload(translator);
  free(workspace);
  free(image);
  return 0;
}
