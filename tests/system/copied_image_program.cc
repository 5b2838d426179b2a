// Opens the model file that is its argument as `latimer` does, and writes the
// bytes that it got to standard output.

#include <cstdint>
#include <cstdio>

#include "cli/image.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::span<const std::byte> image;
  const latimer::Status status = latimer::cli::OpenImage(argv[1], &image);
  if (!status.ok()) {
    std::fprintf(stderr, "latimer: %s\n", status.message());
    return 1;
  }
  if (reinterpret_cast<uintptr_t>(image.data()) % 64 != 0) return 3;
  std::remove(argv[1]);
  std::fwrite(image.data(), 1, image.size(), stdout);
  return 0;
}
