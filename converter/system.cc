#include "converter/system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace latimer {

int OpenToRead(const std::filesystem::path& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int CreateLocked(const std::filesystem::path& path) {
  for (;;) {
    const int file =
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return file;
    // Without locks, no file counts as abandoned.
    struct stat info;
    if (flock(file, LOCK_EX) != 0 || fstat(file, &info) != 0 ||
        info.st_nlink > 0) {
      return file;
    }
    // Another process removed it as abandoned before it was locked.
    close(file);
  }
}

void RemoveIfLeftBehind(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  close(file);
}

int AllocateFile(int file, uint64_t bytes) {
  return posix_fallocate(file, 0, static_cast<off_t>(bytes));
}

bool SyncFile(int file) { return fsync(file) == 0; }

void SyncFolder(const std::filesystem::path& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  (void)fsync(file);  // Some file systems refuse it.
  close(file);
}

std::byte* MapBytes(int file, size_t bytes, bool write) {
  void* const address =
      mmap(nullptr, bytes, PROT_READ | (write ? PROT_WRITE : 0),
           write ? MAP_SHARED : MAP_PRIVATE, file, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

void UnmapBytes(const std::byte* bytes, size_t size) {
  munmap(const_cast<std::byte*>(bytes), size);
}

void ForgetPages(const std::byte* bytes, size_t size) {
  // madvise needs whole pages.
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t before = reinterpret_cast<uintptr_t>(bytes) % page;
  // The pages are never written, so nothing is lost. This is only advice, so
  // errors do not matter.
  (void)madvise(const_cast<std::byte*>(bytes - before), before + size,
                MADV_DONTNEED);
}

}  // namespace latimer
