#include "converter/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "converter/error.h"

namespace latimer {

InputFile::InputFile(const std::filesystem::path& path) {
  const auto fail = [&](const char* what) {
    FailIn(path, what, " (", std::strerror(errno), ")");
  };
  // Without O_NONBLOCK a FIFO would wait for a writer.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail("cannot open the file");
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(file);
    FailIn(path, "not a regular file");
  }
  const auto size = static_cast<size_t>(info.st_size);
  if (size > 0) {
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) {
      close(file);
      fail("cannot map the file");
    }
    bytes_ = {static_cast<const std::byte*>(address), size};
  }
  close(file);
}

InputFile::~InputFile() {
  if (!bytes_.empty()) {
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

void InputFile::Forget(std::span<const std::byte> part) const {
  if (part.empty()) return;
  LATIMER_CHECK(part.data() >= bytes_.data() &&
                part.data() + part.size() <= bytes_.data() + bytes_.size());
  // The mapping starts on a page boundary, and madvise needs whole pages.
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t offset = static_cast<size_t>(part.data() - bytes_.data());
  const size_t begin = offset / page * page;
  // The pages are never written, so nothing is lost. This is only advice, so
  // errors do not matter.
  (void)madvise(const_cast<std::byte*>(bytes_.data() + begin),
                offset + part.size() - begin, MADV_DONTNEED);
}

}  // namespace latimer
