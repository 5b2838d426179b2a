// Translates one sentence with the C++ API: example_cpp MODEL.ltm TEXT

#include <cstdio>

#include "latimer/hosted_model.h"

// A device without a heap has a static latimer::Workspace instead, one without
// files the model in flash: embedded.cc.
int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: example_cpp MODEL.ltm TEXT\n", stderr);
    return 2;
  }
  latimer::HostedModel model;
  const latimer::Status status =
      model.Open(argv[1], {.lanes = 1, .attention = false, .scores = false});
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    return 1;
  }
  const auto translation = model->Translate(argv[2]);
  if (!translation.ok()) {
    std::fprintf(stderr, "%s\n", translation.status().message());
    return 1;
  }
  std::printf("%.*s\n", static_cast<int>(translation->text.size()),
              translation->text.data());
  return 0;
}
