// Translates with the C++ API of one runtime.

#include <cstdio>

#include "latimer/translator.h"

static latimer::Workspace workspace;

extern "C" bool TranslateLong(const void* image, size_t bytes,
                              const char* text) {
  latimer::Translator translator;
  const latimer::Status status = translator.Load(
      {static_cast<const std::byte*>(image), bytes}, &workspace);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    return false;
  }
  const auto translation = translator.Translate(text);
  if (!translation.ok()) return false;
  std::printf("%u: %.*s\n", translator.max_source_tokens(),
              static_cast<int>(translation->text.size()),
              translation->text.data());
  return true;
}
