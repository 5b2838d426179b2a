// Translates one sentence with a model that is part of the program, for a
// device without a file system: example_embedded TEXT

#include <cstdio>

#include "latimer/embedded_model.h"
#include "latimer/translator.h"

static latimer::Workspace workspace;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: example_embedded TEXT\n", stderr);
    return 2;
  }
  latimer::Translator translator;
  const latimer::Status status =
      translator.Load(latimer::EmbeddedModel(), &workspace);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    return 1;
  }
  const auto translation = translator.Translate(argv[1]);
  if (!translation.ok()) {
    std::fprintf(stderr, "%s\n", translation.status().message());
    return 1;
  }
  std::printf("%.*s\n", static_cast<int>(translation->text.size()),
              translation->text.data());
  return 0;
}
