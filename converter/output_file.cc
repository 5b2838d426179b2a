#include "converter/output_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "converter/error.h"

namespace latimer {
namespace {

// Unlike that of another file of this process, and of another process.
std::string TemporaryName(const std::filesystem::path& path) {
  static std::atomic<int> count = 0;
  return path.string() + ".partial." + std::to_string(getpid()) + "." +
         std::to_string(count++);
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored) &&
      !std::filesystem::is_regular_file(path_, ignored)) {
    throw ConversionError(path_.string() + ": not a regular file.");
  }
  temporary_ = TemporaryName(path_);
  // What a process with this number left behind when it was killed.
  unlink(temporary_.c_str());
  file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) Fail("cannot create the file", errno);
}

OutputFile::~OutputFile() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  if (file_ >= 0) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::Fail(const char* what, int error) const {
  throw ConversionError(path_.string() + ": " + what + " (" +
                        std::strerror(error) + ").");
}

void OutputFile::Reserve(uint64_t bytes) {
  LATIMER_CHECK(bytes_.empty());
  if (bytes == 0) return;
  // Without it a full disk would be a SIGBUS later.
  const int error = posix_fallocate(file_, 0, static_cast<off_t>(bytes));
  if (error != 0) Fail("cannot write the file", error);
  void* address = mmap(nullptr, static_cast<size_t>(bytes),
                       PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (address == MAP_FAILED) Fail("cannot map the file", errno);
  bytes_ = {static_cast<std::byte*>(address), static_cast<size_t>(bytes)};
}

void OutputFile::Commit() {
  if (fsync(file_) != 0) Fail("cannot write the file", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    Fail("cannot rename the finished file", errno);
  }
  temporary_.clear();
}

void WriteFileAtomically(const std::filesystem::path& path,
                         std::span<const std::byte> bytes) {
  OutputFile file(path);
  file.Reserve(bytes.size());
  if (!bytes.empty()) {
    std::memcpy(file.bytes().data(), bytes.data(), bytes.size());
  }
  file.Commit();
}

}  // namespace latimer
