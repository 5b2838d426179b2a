#include "cli/session.h"

#include <cstdio>

#include "cli/image.h"

namespace latimer::cli {
namespace {

// One model at a time; only what is used is ever touched.
Workspace workspace;

// Prints the sentence of an error; true where there is none.
bool Check(const Status& status, const char* model) {
  if (!status.ok()) {
    std::fprintf(stderr, "latimer: %s: %s\n", model, status.message());
  }
  return status.ok();
}

}  // namespace

Status Session::OpenOnce(const Arguments& arguments) {
  return image_.empty() ? OpenImage(arguments.model, arguments.copy, &image_)
                        : Status();
}

Status Session::Load(const Arguments& arguments) {
  LATIMER_RETURN_IF_ERROR(OpenOnce(arguments));
  return translator_.Load(image_, &workspace,
                          {.threads = arguments.threads,
                           .pin_threads = arguments.threads > 1,
                           .verify_checksum = arguments.verify_checksum,
                           .cpu = arguments.cpu});
}

bool Session::Open(const Arguments& arguments) {
  return Check(Load(arguments), arguments.model);
}

bool Session::ReadInfo(const Arguments& arguments, ModelInfo* info) {
  if (!Check(OpenOnce(arguments), arguments.model)) return false;
  return Check(
      ReadModelInfo(image_, arguments.verify_checksum, &workspace, info),
      arguments.model);
}

std::vector<std::string> KernelNames(const Translator& translator) {
  std::vector<std::string> names;
  for (int i = 0; const char* name = translator.kernel_name(i); ++i) {
    names.emplace_back(name);
  }
  return names;
}

}  // namespace latimer::cli
