#include "cli/session.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/image.h"
#include "latimer/signature.h"

namespace latimer::cli {
namespace {

// One model at a time; only what is used is ever touched.
Workspace workspace;

Result<PublicKey> ReadKey(const char* path) {
  char text[4096];
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) {
    return Status::Error(StatusCode::kResourceUnavailable,
                         "cannot open the key (%s).", std::strerror(errno));
  }
  const size_t bytes = std::fread(text, 1, sizeof(text), file);
  const int error = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (error != 0) {
    return Status::Error(StatusCode::kResourceUnavailable,
                         "cannot read the key (%s).", std::strerror(error));
  }
  return ParsePublicKey({text, bytes});
}

Status Verify(std::span<const std::byte> image, const char* key_path) {
  const Result<PublicKey> key = ReadKey(key_path);
  if (!key.ok()) {
    return Status::Error(key.status().code(), "--require-signature %s: %s",
                         key_path, key.status().message());
  }
  return VerifySignature(image, *key);
}

// Prints the sentence of an error; true where there is none.
bool Check(const Status& status, const char* model) {
  if (!status.ok()) {
    std::fprintf(stderr, "latimer: %s: %s\n", model, status.message());
  }
  return status.ok();
}

}  // namespace

Status Session::OpenOnce(const Arguments& arguments) {
  if (!image_.empty()) return Status();
  std::span<const std::byte> image;
  LATIMER_RETURN_IF_ERROR(OpenImage(arguments.model, arguments.copy, &image));
  if (arguments.require_signature != nullptr) {
    LATIMER_RETURN_IF_ERROR(Verify(image, arguments.require_signature));
  }
  image_ = image;
  return Status();
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
