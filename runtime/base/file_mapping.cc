#include "base/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"

namespace latimer {
namespace {

// strerror may allocate.
Status Refused(const char* path, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return NotMapped(path, kNoSuchFile);
    case EACCES:
    case EPERM:
      return NotMapped(path, kMayNotBeRead);
    case ENOMEM:
      return NotMapped(path, kNoAddresses);
    case EMFILE:
    case ENFILE:
      return NotMapped(path, kTooManyFiles);
    default:
      return NotMapped(path, static_cast<uint64_t>(error));
  }
}

Status Map(const char* path, int file, std::span<const std::byte>* bytes) {
  struct stat info;
  if (fstat(file, &info) != 0) return Refused(path, errno);
  if (S_ISDIR(info.st_mode)) return NotMapped(path, kIsAFolder);
  if (!S_ISREG(info.st_mode)) return NotMapped(path, kNotARegularFile);
  if (info.st_size == 0) return NotMapped(path, kIsEmpty);
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > SIZE_MAX / 2) return NotMapped(path, kNoAddresses);
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

Status MapPath(const char* path, std::span<const std::byte>* bytes) {
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

}  // namespace latimer
