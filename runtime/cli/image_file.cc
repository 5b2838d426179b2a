// The image from a file: mapped, or read into RAM that the profile keeps for
// it (copied_image_bytes).

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/image.h"
#include "latimer/profile_config.h"

namespace latimer::cli {
namespace {

using Image = std::span<const std::byte>;

constexpr size_t kCopyBytes = kProfile.copied_image_bytes;
alignas(64) std::byte copy[kCopyBytes > 0 ? kCopyBytes : 1];

Image Map(const char* path, int file, size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (address == MAP_FAILED) {
    std::fprintf(stderr, "latimer: %s: cannot map the model (%s).\n", path,
                 std::strerror(errno));
    return {};
  }
  return {static_cast<const std::byte*>(address), bytes};
}

Image Copy(const char* path, int file, size_t bytes) {
  if (bytes > kCopyBytes) {
    std::fprintf(stderr,
                 "latimer: %s: the model has %llu bytes, but profile \"%s\" of "
                 "this build keeps %llu for it; build with the profile that "
                 "latimer-convert --copy-image --profile writes for this "
                 "model.\n",
                 path, static_cast<unsigned long long>(bytes), kProfile.name,
                 static_cast<unsigned long long>(kCopyBytes));
    return {};
  }
  size_t done = 0;
  while (done < bytes) {
    const ssize_t count = read(file, copy + done, bytes - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      std::fprintf(stderr, "latimer: %s: cannot read the model (%s).\n", path,
                   count < 0 ? std::strerror(errno) : "it became shorter");
      return {};
    }
    done += static_cast<size_t>(count);
  }
  return {copy, bytes};
}

}  // namespace

bool CarriesModel() { return false; }

Image OpenImage(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    std::fprintf(stderr, "latimer: %s: cannot open the model (%s).\n", path,
                 std::strerror(errno));
    return {};
  }
  Image image;
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    std::fprintf(stderr, "latimer: %s: not a model file (%s).\n", path,
                 S_ISDIR(info.st_mode) ? "it is a directory"
                                       : "it is empty or no regular file");
  } else {
    const auto bytes = static_cast<size_t>(info.st_size);
    image = kCopyBytes > 0 ? Copy(path, file, bytes) : Map(path, file, bytes);
  }
  close(file);
  return image;
}

}  // namespace latimer::cli
