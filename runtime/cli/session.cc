#include "cli/session.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "latimer/board_config.h"

namespace latimer::cli {
namespace {

// One model at a time; only what is used is ever touched.
Workspace workspace;

// The whole file, or an empty span and a sentence on standard error.
std::span<const std::byte> MapFile(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    std::fprintf(stderr, "latimer: %s: cannot open the model (%s).\n", path,
                 std::strerror(errno));
    return {};
  }
  struct stat info;
  void* address = MAP_FAILED;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    std::fprintf(stderr, "latimer: %s: not a model file (%s).\n", path,
                 S_ISDIR(info.st_mode) ? "it is a directory"
                                       : "it is empty or no regular file");
  } else {
    address = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ,
                   MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) {
      std::fprintf(stderr, "latimer: %s: cannot map the model (%s).\n", path,
                   std::strerror(errno));
    }
  }
  close(file);
  if (address == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(address),
          static_cast<size_t>(info.st_size)};
}

// Prints the sentence of an error; true where there is none.
bool Check(const Status& status, const char* model) {
  if (!status.ok()) {
    std::fprintf(stderr, "latimer: %s: %s\n", model, status.message());
  }
  return status.ok();
}

// The board's, as far as the profile has room for them.
constexpr uint32_t kDefaultThreads =
    kBoard.threads < kProfile.threads ? kBoard.threads : kProfile.threads;

}  // namespace

Session::~Session() {
  if (!image_.empty()) {
    munmap(const_cast<std::byte*>(image_.data()), image_.size());
  }
}

// Prints the sentence of an error; true where there is none.
bool Session::Map(const Arguments& arguments) {
  if (image_.empty()) image_ = MapFile(arguments.model);
  return !image_.empty();
}

Status Session::Load(const Arguments& arguments) {
  const uint32_t threads =
      arguments.threads != 0 ? arguments.threads : kDefaultThreads;
  return translator_.Load(image_, &workspace,
                          {.threads = threads,
                           .pin_threads = threads > 1,
                           .verify_checksum = arguments.verify_checksum,
                           .cpu = arguments.cpu});
}

bool Session::Open(const Arguments& arguments) {
  return Map(arguments) && Check(Load(arguments), arguments.model);
}

bool Session::ReadInfo(const Arguments& arguments, ModelInfo* info) {
  return Map(arguments) &&
         Check(
             ReadModelInfo(image_, arguments.verify_checksum, &workspace, info),
             arguments.model);
}

}  // namespace latimer::cli
