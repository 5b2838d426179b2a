/* Translates a few sentences with the model in the partition "model". */
#include <stdio.h>
#include <string.h>

#include "esp_heap_caps.h"
#include "esp_partition.h"
#include "latimer.h"

#define WORKSPACE_BYTES (2 << 20) /* `latimer plan` says how many. */

static int run(void) {
  static const char* const texts[] = {"Good morning.", "How are you today?"};
  const latimer_load_options load = {
      .struct_bytes = sizeof(load), .lanes = 1, .room_for = "alignment"};
  latimer_translation translation = {.struct_bytes = sizeof(translation)};
  latimer_translator* translator;
  char message[LATIMER_MESSAGE_BYTES];
  esp_partition_mmap_handle_t handle;
  const void* model;
  const esp_partition_t* partition = esp_partition_find_first(
      ESP_PARTITION_TYPE_DATA, (esp_partition_subtype_t)0x40, "model");
  if (partition == NULL ||
      esp_partition_mmap(partition, 0, partition->size, ESP_PARTITION_MMAP_DATA,
                         &model, &handle) != ESP_OK) {
    puts("The partition table has no \"model\" that can be mapped.");
    return 1;
  }
  void* workspace = heap_caps_aligned_alloc(64, WORKSPACE_BYTES, MALLOC_CAP_8BIT);
  if (workspace == NULL) {
    printf("There are no %d bytes of RAM.\n", WORKSPACE_BYTES);
    return 1;
  }
  if (latimer_load(model, partition->size, workspace, WORKSPACE_BYTES, &load,
                   &translator, message, sizeof(message)) != LATIMER_OK) {
    puts(message);
    return 1;
  }
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); ++i) {
    if (latimer_translate(translator, texts[i], strlen(texts[i]), NULL,
                          &translation) != LATIMER_OK) {
      puts(latimer_message(translator));
      return 1;
    }
    printf("%.*s\n", (int)translation.text_bytes, translation.text);
  }
  return 0;
}

void app_main(void) { run(); }
