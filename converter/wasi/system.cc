// What the converter and its runtime ask of WASI, which maps no files and locks
// none: the bytes of a file are in memory, and those of one that is written go
// into it with SyncFile().
#include "converter/system.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>

#include "latimer/machine.h"

namespace latimer {
namespace {

// Page boundaries of other systems; the writer aligns to them.
constexpr size_t kPageBytes = 4096;

// Of each file that is mapped to be written.
std::map<int, std::span<std::byte>>& Written() {
  static std::map<int, std::span<std::byte>> written;
  return written;
}

bool ReadAll(int file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = read(file, bytes.data(), bytes.size());
    if (count == 0) errno = EIO;  // The file has become shorter.
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

int OpenToRead(const std::filesystem::path& path) {
  return open(path.c_str(), O_RDONLY);
}

int CreateLocked(const std::filesystem::path& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0666);
}

void RemoveIfLeftBehind(const std::filesystem::path&) {}

int AllocateFile(int, uint64_t) { return 0; }

bool SyncFile(int file) {
  const auto found = Written().find(file);
  if (found == Written().end()) return true;
  std::span<const std::byte> rest = found->second;
  while (!rest.empty()) {
    const ssize_t count = write(file, rest.data(), rest.size());
    if (count <= 0) return false;
    rest = rest.subspan(static_cast<size_t>(count));
  }
  Written().erase(found);
  return true;
}

void SyncFolder(const std::filesystem::path&) {}

std::byte* MapBytes(int file, size_t bytes, bool write) {
  const size_t padded = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  auto* const address =
      static_cast<std::byte*>(std::aligned_alloc(kPageBytes, padded));
  if (address == nullptr) return nullptr;
  const std::span<std::byte> all(address, bytes);
  if (write) {
    std::fill(all.begin(), all.end(), std::byte{});
    Written()[file] = all;
  } else if (!ReadAll(file, all)) {
    std::free(address);
    return nullptr;
  }
  return address;
}

void UnmapBytes(const std::byte* bytes, size_t) {
  std::erase_if(Written(),
                [&](const auto& of) { return of.second.data() == bytes; });
  std::free(const_cast<std::byte*>(bytes));
}

void ForgetPages(const std::byte*, size_t) {}

}  // namespace latimer

uint64_t latimer_machine_nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::steady_clock::now().time_since_epoch() /
      std::chrono::nanoseconds(1));
}

void latimer_machine_failed(const char* message) {
  std::fprintf(stderr, "%s\n", message);
  std::abort();
}
