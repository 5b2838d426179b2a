#include "converter/output_file.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "converter/error.h"
#include "converter/system.h"

namespace latimer {
namespace {

constexpr std::string_view kMark = ".partial.";

// A name that no other file of this process and no other process uses.
std::filesystem::path TemporaryName(std::filesystem::path path) {
  static std::atomic<int> count = 0;
  path += kMark;
  path += std::to_string(getpid()) + "." + std::to_string(count++);
  return path;
}

// Creates a temporary file. Returns -1 and sets errno if it cannot.
int CreateTemporary(const std::filesystem::path& path,
                    std::filesystem::path* name) {
  int file;
  do {
    *name = TemporaryName(path);
    file = CreateLocked(*name);
  } while (file < 0 && errno == EEXIST);
  return file;
}

// Whether `text` is PID.N, the end of TemporaryName.
bool IsPidAndNumber(std::string_view text) {
  const auto is_number = [](std::string_view digits) {
    return !digits.empty() &&
           digits.find_first_not_of("0123456789") == digits.npos;
  };
  const size_t dot = text.find('.');
  return dot != text.npos && is_number(text.substr(0, dot)) &&
         is_number(text.substr(dot + 1));
}

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Removes the abandoned files of conversions into `path`.
void RemoveLeftovers(const std::filesystem::path& path) {
  const std::string begin = path.filename().string() + std::string(kMark);
  std::error_code ignored;
  for (std::filesystem::directory_iterator i(FolderOf(path), ignored), end;
       !ignored && i != end; i.increment(ignored)) {
    const std::string name = i->path().filename().string();
    if (name.starts_with(begin) &&
        IsPidAndNumber(std::string_view(name).substr(begin.size())) &&
        i->is_regular_file(ignored)) {
      RemoveIfLeftBehind(i->path());
    }
  }
}

// The file that a symbolic link, or a chain of them, leads to.
std::filesystem::path WithoutLinks(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // As Linux.
  std::error_code ignored;
  for (int i = 0; std::filesystem::is_symlink(path, ignored); ++i) {
    if (i == kMostLinks) FailIn(path, "too many symbolic links");
    const std::filesystem::path to =
        std::filesystem::read_symlink(path, ignored);
    path = path.parent_path() / to;  // `to`, if it is absolute.
  }
  return path;
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path)
    : path_(WithoutLinks(std::move(path))) {
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored) &&
      !std::filesystem::is_regular_file(path_, ignored)) {
    FailIn(path_, "not a regular file");
  }
  RemoveLeftovers(path_);
  file_ = CreateTemporary(path_, &temporary_);
  if (file_ < 0) Fail("cannot create the file", errno);
}

OutputFile::~OutputFile() {
  if (!bytes_.empty()) UnmapBytes(bytes_.data(), bytes_.size());
  if (file_ >= 0) close(file_);
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void OutputFile::Fail(const char* what, int error) const {
  FailIn(path_, what, " (", std::strerror(error), ")");
}

void OutputFile::Reserve(uint64_t bytes) {
  LATIMER_CHECK(bytes_.empty());
  if (bytes == 0) return;
  // Otherwise a full disk would cause a SIGBUS later.
  const int error = AllocateFile(file_, bytes);
  if (error != 0) Fail("cannot write the file", error);
  const auto size = static_cast<size_t>(bytes);
  std::byte* const address = MapBytes(file_, size, /*write=*/true);
  if (address == nullptr) Fail("cannot map the file", errno);
  bytes_ = {address, size};
}

void OutputFile::Commit() {
  if (!SyncFile(file_)) Fail("cannot write the file", errno);
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) {
    FailIn(path_, "cannot rename the finished file (", error.message(), ")");
  }
  temporary_.clear();
  SyncFolder(FolderOf(path_));
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
