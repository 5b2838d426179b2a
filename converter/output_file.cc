#include "converter/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "converter/error.h"

namespace latimer {
namespace {

constexpr std::string_view kMark = ".partial.";

// A name that no other file of this process and no other process uses.
std::string TemporaryName(const std::filesystem::path& path) {
  static std::atomic<int> count = 0;
  return path.string() + std::string(kMark) + std::to_string(getpid()) + "." +
         std::to_string(count++);
}

// Creates a temporary file and locks it while it is open, which shows that its
// owner is alive. Returns -1 and sets errno if it cannot.
int CreateLocked(const std::filesystem::path& path, std::string* name) {
  for (;;) {
    *name = TemporaryName(path);
    const int file =
        open(name->c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) continue;
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

// Removes a temporary file whose owner was killed.
void RemoveIfLeftBehind(const std::string& name) {
  const int file = open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(name.c_str());
  close(file);
}

// Removes the abandoned files of conversions into `path`.
void RemoveLeftovers(const std::filesystem::path& path) {
  const std::string begin = path.filename().string() + std::string(kMark);
  std::error_code ignored;
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : ".";
  for (std::filesystem::directory_iterator i(folder, ignored), end;
       !ignored && i != end; i.increment(ignored)) {
    const std::string name = i->path().filename().string();
    if (name.starts_with(begin) && i->is_regular_file(ignored)) {
      RemoveIfLeftBehind(i->path().string());
    }
  }
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored) &&
      !std::filesystem::is_regular_file(path_, ignored)) {
    FailIn(path_, "not a regular file");
  }
  RemoveLeftovers(path_);
  file_ = CreateLocked(path_, &temporary_);
  if (file_ < 0) Fail("cannot create the file", errno);
}

OutputFile::~OutputFile() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  if (file_ >= 0) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::Fail(const char* what, int error) const {
  FailIn(path_, what, " (", std::strerror(error), ")");
}

void OutputFile::Reserve(uint64_t bytes) {
  LATIMER_CHECK(bytes_.empty());
  if (bytes == 0) return;
  // Otherwise a full disk would cause a SIGBUS later.
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
