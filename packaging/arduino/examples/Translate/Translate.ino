// Translates each line from the serial port. model.h is made of a file of
// latimer-convert: (echo 'alignas(64) const'; xxd -i -n model model.ltm) > model.h
#include <latimer.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

alignas(64) static unsigned char workspace[2 << 20];  // `latimer plan` says how many.
static char line[256];
static latimer_translator* translator;

extern "C" uint64_t latimer_machine_nanoseconds() { return micros() * 1000ull; }

extern "C" void latimer_machine_failed(const char* message) {
  Serial.println(message);
  abort();
}

void setup() {
  Serial.begin(115200);
  Serial.setTimeout(60000);
  char message[LATIMER_MESSAGE_BYTES];
  if (latimer_load(model, sizeof(model), workspace, sizeof(workspace), nullptr,
                   &translator, message, sizeof(message)) != LATIMER_OK) {
    Serial.println(message);
  }
}

void loop() {
  const size_t count = Serial.readBytesUntil('\n', line, sizeof(line));
  if (count == 0 || translator == nullptr) return;
  latimer_translation translation = {};
  translation.struct_bytes = sizeof(translation);
  if (latimer_translate(translator, line, count, nullptr, &translation) ==
      LATIMER_OK) {
    Serial.write(translation.text, translation.text_bytes);
    Serial.println();
  } else {
    Serial.println(latimer_message(translator));
  }
}
