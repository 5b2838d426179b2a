// The C API on top of itself: a model file in one call.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "latimer/latimer.h"

namespace {

// What latimer_close gives back. It comes before the translator, which begins
// the workspace.
struct alignas(64) Opened {
  void* memory;
  const void* image;
  size_t image_bytes;
};

latimer_code NoMemory(size_t bytes, char* message, size_t message_bytes) {
  if (message != nullptr) {
    std::snprintf(message, message_bytes,
                  "There are no %zu bytes of memory for the model.", bytes);
  }
  return LATIMER_RESOURCE_UNAVAILABLE;
}

latimer_code Plan(const Opened& opened, const latimer_load_options* options,
                  size_t* workspace_bytes, char* message,
                  size_t message_bytes) {
  const size_t scratch_bytes = latimer_scratch_bytes();
  void* const scratch = std::malloc(scratch_bytes);
  if (scratch == nullptr) {
    return NoMemory(scratch_bytes, message, message_bytes);
  }
  const latimer_code code = latimer_plan_workspace(
      opened.image, opened.image_bytes, options, scratch, scratch_bytes,
      workspace_bytes, nullptr, message, message_bytes);
  std::free(scratch);
  return code;
}

// Reserves memory for the rest of `opened`, the workspace, and loads the model.
latimer_code Load(const Opened& opened, size_t workspace_bytes,
                  const latimer_load_options* options,
                  latimer_translator** translator, char* message,
                  size_t message_bytes) {
  const size_t bytes = alignof(Opened) + sizeof(Opened) + workspace_bytes;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) return NoMemory(bytes, message, message_bytes);
  const auto address = reinterpret_cast<uintptr_t>(memory);
  auto* const begin = reinterpret_cast<Opened*>(
      (address + alignof(Opened) - 1) / alignof(Opened) * alignof(Opened));
  *begin = {memory, opened.image, opened.image_bytes};
  const latimer_code code =
      latimer_load(opened.image, opened.image_bytes, begin + 1, workspace_bytes,
                   options, translator, message, message_bytes);
  if (code != LATIMER_OK) std::free(memory);
  return code;
}

}  // namespace

latimer_code latimer_open(const char* path, const latimer_load_options* options,
                          latimer_translator** translator, char* message,
                          size_t message_bytes) {
  *translator = nullptr;
  Opened opened = {};
  latimer_code code = latimer_map_file(path, &opened.image, &opened.image_bytes,
                                       message, message_bytes);
  if (code != LATIMER_OK) return code;
  size_t workspace_bytes = 0;
  code = Plan(opened, options, &workspace_bytes, message, message_bytes);
  if (code == LATIMER_OK) {
    code = Load(opened, workspace_bytes, options, translator, message,
                message_bytes);
  }
  if (code != LATIMER_OK) latimer_unmap_file(opened.image, opened.image_bytes);
  return code;
}

void latimer_close(latimer_translator* translator) {
  if (translator == nullptr) return;
  const Opened opened = reinterpret_cast<Opened*>(translator)[-1];
  latimer_unload(translator);
  std::free(opened.memory);
  latimer_unmap_file(opened.image, opened.image_bytes);
}
