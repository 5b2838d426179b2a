// Translates with the C++ API of one runtime.

#include <cstdio>

#include "latimer/hosted_model.h"

extern "C" bool TranslateLong(const char* path, const char* text) {
  latimer::HostedModel model;
  const latimer::Status status = model.Open(path);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    return false;
  }
  const auto translation = model->Translate(text);
  if (!translation.ok()) return false;
  std::printf("%u: %.*s\n", model->max_source_tokens(),
              static_cast<int>(translation->text.size()),
              translation->text.data());
  return true;
}
