#include "os/system.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>

namespace latimer::cli {
namespace {

// Only a request: a system without huge pages, or a page cache that already
// holds the file in small ones, serves what it has.
void AskForHugePages(void* address, size_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(address, bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(address);
  static_cast<void>(bytes);
#endif
}

FileId IdOf(const struct stat& info) {
  return {static_cast<uint64_t>(info.st_dev),
          static_cast<uint64_t>(info.st_ino), S_ISREG(info.st_mode)};
}

}  // namespace

char** PrepareProgram(int*, char** argv) {
  // Exceeding the limit of file sizes becomes an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  return argv;
}

int OpenFile(const char* path, OpenMode mode) {
  int flags = O_CLOEXEC;
  switch (mode) {
    case OpenMode::kRead:
      flags |= O_RDONLY;
      break;
    case OpenMode::kReadAtOnce:
      flags |= O_RDONLY | O_NONBLOCK;
      break;
    case OpenMode::kWrite:
      flags |= O_WRONLY | O_CREAT | O_TRUNC;
      break;
  }
  return open(path, flags, 0666);
}

std::FILE* OpenStream(const char* path, const char* mode) {
  char close_on_exec[8];
  std::snprintf(close_on_exec, sizeof(close_on_exec), "%se", mode);
  return std::fopen(path, close_on_exec);
}

int StatFile(const char* path, struct stat* info) { return stat(path, info); }

bool IdentifyFile(const char* path, FileId* id) {
  struct stat info;
  if (stat(path, &info) != 0) return false;
  *id = IdOf(info);
  return true;
}

bool IdentifyStream(int stream, FileId* id) {
  struct stat info;
  if (fstat(stream, &info) != 0) return false;
  *id = IdOf(info);
  return true;
}

int CheckReadable(const char* path) { return access(path, R_OK); }

bool IsTerminal(int stream) { return isatty(stream) == 1; }

bool IsInputReadable(bool wait) {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  // Input that cannot be polled, such as a file, counts as readable.
  return poll(&input, 1, wait ? -1 : 0) != 0;
}

ssize_t ReadInput(char* to, size_t bytes) {
  return read(STDIN_FILENO, to, bytes);
}

ssize_t PeekInput(char* to, size_t bytes, off_t at) {
  return pread(STDIN_FILENO, to, bytes, at);
}

void* AllocatePages(size_t bytes, bool all) {
  void* const pages =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | (all ? 0 : MAP_NORESERVE), -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (all) AskForHugePages(pages, bytes);
  return pages;
}

void FreePages(void* pages, size_t bytes) { munmap(pages, bytes); }

const void* MapPages(int file, size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (pages == MAP_FAILED) return nullptr;
  AskForHugePages(pages, bytes);
  return pages;
}

bool SealPages(void* pages, size_t bytes) {
  return mprotect(pages, bytes, PROT_READ) == 0;
}

}  // namespace latimer::cli
