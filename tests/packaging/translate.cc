// targets/bare/translate.cc with an amalgamation: translates each line that
// comes from the UART by the C API, with the model that is part of the program.
#include "latimer.h"
#include "machine.h"

extern "C" const void* latimer_embedded_model(size_t* bytes);

namespace {

alignas(64) unsigned char workspace[LATIMER_WORKSPACE_BYTES];
char line[4096];

int Fail(const char* message) {
  machine::Write(message);
  machine::Write("\n");
  return 1;
}

}  // namespace

int Main() {
  size_t bytes = 0;
  const void* const model = latimer_embedded_model(&bytes);
  char message[LATIMER_MESSAGE_BYTES];
  latimer_translator* translator = nullptr;
  if (latimer_load(model, bytes, workspace, sizeof(workspace), nullptr,
                   &translator, message, sizeof(message)) != LATIMER_OK) {
    return Fail(message);
  }
  size_t length = 0;
  while (machine::ReadLine(line, sizeof(line), &length)) {
    latimer_translation translation = {};
    translation.struct_bytes = sizeof(translation);
    if (latimer_translate(translator, line, length, nullptr, &translation) !=
        LATIMER_OK) {
      return Fail(latimer_message(translator));
    }
    machine::Write({translation.text, translation.text_bytes});
    machine::Write("\n");
  }
  return 0;
}
