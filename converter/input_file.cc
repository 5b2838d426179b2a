#include "converter/input_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "converter/system.h"

namespace latimer {
namespace {

// At the end of its life.
struct Unmap {
  std::span<const std::byte> bytes;
  ~Unmap() {
    if (!bytes.empty()) UnmapBytes(bytes.data(), bytes.size());
  }
};

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) {
  const auto fail = [&](const char* what) {
    FailIn(path, what, " (", std::strerror(errno), ")");
  };
  const int file = OpenToRead(path);
  if (file < 0) fail("cannot open the file");
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(file);
    FailIn(path, "not a regular file");
  }
  const auto size = static_cast<size_t>(info.st_size);
  if (size > 0) {
    const std::byte* const address = MapBytes(file, size, /*write=*/false);
    if (address == nullptr) {
      close(file);
      fail("cannot map the file");
    }
    bytes_ = {address, size};
  }
  close(file);
  if (!IsCompressed(AsText(bytes_))) return;
  const Unmap unmap{bytes_};
  unpacked_ = Unpack(AsText(bytes_), path);
  bytes_ = std::as_bytes(std::span(unpacked_));
}

InputFile::~InputFile() {
  if (compressed()) return;
  const Unmap unmap{bytes_};
}

void InputFile::Forget(std::span<const std::byte> part) const {
  if (part.empty() || compressed()) return;
  LATIMER_CHECK(part.data() >= bytes_.data() &&
                part.data() + part.size() <= bytes_.data() + bytes_.size());
  ForgetPages(part.data(), part.size());
}

}  // namespace latimer
