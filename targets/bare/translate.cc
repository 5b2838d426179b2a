// Translates each line that comes from the UART, with the model that is part of
// the program. Ctrl-D ends it.
#include "latimer/embedded_model.h"
#include "latimer/translator.h"
#include "machine.h"

namespace {

latimer::Workspace workspace;
char line[latimer::kProfile.text_bytes];

}  // namespace

int Main() {
  latimer::Translator translator;
  const latimer::Status status =
      translator.Load(latimer::EmbeddedModel(), &workspace);
  if (!status.ok()) {
    machine::Write(status.message());
    machine::Write("\n");
    return 1;
  }
  size_t length = 0;
  while (machine::ReadLine(line, sizeof(line), &length)) {
    const auto translation = translator.Translate({line, length});
    machine::Write(translation.ok() ? translation->text
                                    : translation.status().message());
    machine::Write("\n");
  }
  return 0;
}
