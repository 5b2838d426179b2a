#include "cli/session.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/image.h"
#include "latimer/signature.h"

namespace latimer::cli {
namespace {

// One model at a time; only the pages that a model uses are ever touched.
Workspace workspace;

Result<PublicKey> ReadKey(const char* path) {
  char text[4096];
  std::FILE* file = std::fopen(path, "rb");
  const size_t bytes =
      file == nullptr ? 0 : std::fread(text, 1, sizeof(text), file);
  const int error = file == nullptr || std::ferror(file) != 0 ? errno : 0;
  if (file != nullptr) std::fclose(file);
  if (error == 0) return ParsePublicKey({text, bytes});
  return Status::Error(StatusCode::kResourceUnavailable,
                       "cannot read the key (%s).", std::strerror(error));
}

Status Verify(std::span<const std::byte> image, const char* key_path) {
  const Result<PublicKey> key = ReadKey(key_path);
  if (!key.ok()) {
    return Status::Error(key.status().code(), "--require-signature %s: %s",
                         key_path, key.status().message());
  }
  return VerifySignature(image, *key);
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
  const Status status = Load(arguments);
  return status.ok() || Fail(arguments, status) == kSuccess;
}

bool Session::ReadInfo(const Arguments& arguments, ModelInfo* info) {
  Status status = OpenOnce(arguments);
  if (status.ok()) {
    status = ReadModelInfo(image_, arguments.verify_checksum, &workspace, info);
  }
  return status.ok() || Fail(arguments, status) == kSuccess;
}

int Fail(const Arguments& arguments, const Status& status) {
  std::fprintf(stderr, "latimer: %s: %s\n", arguments.model, status.message());
  return kFailure;
}

std::vector<std::string> KernelNames(const Translator& translator) {
  std::vector<std::string> names;
  for (int i = 0; const char* name = translator.kernel_name(i); ++i) {
    names.emplace_back(name);
  }
  return names;
}

}  // namespace latimer::cli
