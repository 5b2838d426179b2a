#include "base/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "latimer/mapped_file.h"

namespace latimer {
namespace {

Status Refused(const char* path, const char* why) {
  return Status::Error(StatusCode::kResourceUnavailable,
                       "%s: cannot map the model, because %s.", path, why);
}

// strerror may allocate.
Status Refused(const char* path, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Refused(path, "there is no such file");
    case EACCES:
    case EPERM:
      return Refused(path, "it may not be read");
    case ENOMEM:
      return Refused(path, "this process has no addresses left for it");
    case EMFILE:
    case ENFILE:
      return Refused(path, "too many files are open");
    default:
      return Status::Error(StatusCode::kResourceUnavailable,
                           "%s: cannot map the model (error %d of the system).",
                           path, error);
  }
}

Status Map(const char* path, int file, std::span<const std::byte>* bytes) {
  struct stat info;
  if (fstat(file, &info) != 0) return Refused(path, errno);
  if (S_ISDIR(info.st_mode)) return Refused(path, "it is a folder");
  if (!S_ISREG(info.st_mode)) return Refused(path, "it is not a regular file");
  if (info.st_size == 0) return Refused(path, "it is empty");
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > SIZE_MAX / 2) return Refused(path, ENOMEM);
  void* const address =
      mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, file, 0);
  if (address == MAP_FAILED) return Refused(path, errno);
#ifdef MADV_HUGEPAGE
  // Only a request. A fault for every 4 KB would take longer than the checksum.
  madvise(address, static_cast<size_t>(size), MADV_HUGEPAGE);
#endif
  *bytes = {static_cast<const std::byte*>(address), static_cast<size_t>(size)};
  return Status();
}

}  // namespace

Status MapFile(const char* path, std::span<const std::byte>* bytes) {
  // Without O_NONBLOCK a FIFO would wait for a writer.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Refused(path, errno);
  const Status status = Map(path, file, bytes);
  close(file);
  return status;
}

void UnmapFile(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const int failed = munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
  LATIMER_CHECK(failed == 0);
}

MappedFile::~MappedFile() { UnmapFile(bytes_); }

Status MappedFile::Open(const char* path) {
  UnmapFile(bytes_);
  bytes_ = {};
  return MapFile(path, &bytes_);
}

}  // namespace latimer
