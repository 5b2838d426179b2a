// The image from a file: mapped, or read into memory, either on demand (--copy)
// or into RAM that the profile reserves (copied_image_bytes).
//
// A page fault for every 4 KB of a mapped model would take longer than its
// checksum, so both ways ask for huge pages.

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/image.h"
#include "latimer/profile_config.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

using Image = std::span<const std::byte>;

constexpr size_t kCopyBytes = kProfile.copied_image_bytes;
alignas(64) std::byte copy_buffer[kCopyBytes > 0 ? kCopyBytes : 1];

Status FileError(const char* what, const char* why) {
  return Status::Error(StatusCode::kResourceUnavailable, "%s (%s).", what, why);
}

Status Map(int file, size_t bytes, Image* image) {
  const void* const address = MapPages(file, bytes);
  if (address == nullptr) {
    return FileError("cannot map the model", std::strerror(errno));
  }
  *image = {static_cast<const std::byte*>(address), bytes};
  return Status();
}

Status Read(int file, std::byte* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t count = read(file, to + done, bytes - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return FileError("cannot read the model",
                       count < 0 ? std::strerror(errno) : "it became shorter");
    }
    done += static_cast<size_t>(count);
  }
  return Status();
}

// Reads the file into pages that are then made read-only.
Status CopyAndSeal(int file, size_t bytes, Image* image) {
  void* const address = AllocatePages(bytes, /*all=*/true);
  if (address == nullptr) {
    return FileError("cannot allocate a copy of the model",
                     std::strerror(errno));
  }
  LATIMER_RETURN_IF_ERROR(Read(file, static_cast<std::byte*>(address), bytes));
  if (!SealPages(address, bytes)) {
    return FileError("cannot seal the copy of the model", std::strerror(errno));
  }
  *image = {static_cast<const std::byte*>(address), bytes};
  return Status();
}

Status Copy(int file, size_t bytes, Image* image) {
  static bool is_taken = false;
  if (is_taken) {
    return Status::Error(StatusCode::kExceedsProfile,
                         "profile \"%s\" of this build reserves RAM for one "
                         "model file only.",
                         kProfile.name);
  }
  if (bytes > kCopyBytes) {
    return Status::Error(
        StatusCode::kExceedsProfile,
        "The model has %llu bytes, but profile \"%s\" of this build reserves "
        "%llu for it; build with the profile that latimer-convert --copy-image "
        "--profile writes for this model.",
        static_cast<unsigned long long>(bytes), kProfile.name,
        static_cast<unsigned long long>(kCopyBytes));
  }
  LATIMER_RETURN_IF_ERROR(Read(file, copy_buffer, bytes));
  is_taken = true;
  *image = {copy_buffer, bytes};
  return Status();
}

Status Open(int file, bool copy, Image* image) {
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    return FileError("not a model file", S_ISDIR(info.st_mode)
                                             ? "it is a directory"
                                             : "it is empty or not a "
                                               "regular file");
  }
  const auto bytes = static_cast<size_t>(info.st_size);
  if (kCopyBytes > 0) return Copy(file, bytes, image);
  return copy ? CopyAndSeal(file, bytes, image) : Map(file, bytes, image);
}

}  // namespace

bool CarriesModel() { return false; }

Status OpenImage(const char* path, bool copy, Image* image) {
  const int file = OpenFile(path, OpenMode::kReadAtOnce);
  if (file < 0) return FileError("cannot open the model", std::strerror(errno));
  const Status status = Open(file, copy, image);
  close(file);
  return status;
}

}  // namespace latimer::cli
