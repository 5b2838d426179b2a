// Translates one sentence with the C++ API: example_cpp MODEL.ltm TEXT

#include <cstdio>

#include "latimer/translator.h"

// A board without a file system links the model into flash instead.
alignas(64) static std::byte image[64 << 20];
static latimer::Workspace workspace;

int main(int argc, char** argv) {
  std::FILE* file = argc == 3 ? std::fopen(argv[1], "rb") : nullptr;
  if (file == nullptr) {
    std::fputs("usage: example_cpp MODEL.ltm TEXT\n", stderr);
    return 2;
  }
  const size_t bytes = std::fread(image, 1, sizeof(image), file);
  std::fclose(file);

  latimer::Translator translator;
  const latimer::Status status = translator.Load({image, bytes}, &workspace);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    return 1;
  }
  const auto translation = translator.Translate(argv[2]);
  if (!translation.ok()) {
    std::fprintf(stderr, "%s\n", translation.status().message());
    return 1;
  }
  std::printf("%.*s\n", static_cast<int>(translation->text.size()),
              translation->text.data());
  return 0;
}
